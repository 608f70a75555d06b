-- The font that an account's videos are set in, with the licence that it is used under.
CREATE TABLE brand_fonts (
    account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
    licence     TEXT NOT NULL,
    file        TEXT NOT NULL,
    size_bytes  INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER brand_fonts_added AFTER INSERT ON brand_fonts BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM accounts WHERE id = new.account_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER brand_fonts_removed AFTER DELETE ON brand_fonts BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM accounts WHERE id = old.account_id);
END;
