-- Who made a one-time link, so that it ends with that person's rights; the audit log knows it of those that are there.
ALTER TABLE invitations ADD COLUMN creator TEXT;
UPDATE invitations SET creator = (
    SELECT actor_id FROM audit WHERE subject_id = invitations.id AND action IN ('user.invite', 'user.reset-link') LIMIT 1
);

CREATE TABLE second_factors (
    user_id      TEXT PRIMARY KEY REFERENCES users (id),
    nonce        BLOB NOT NULL,
    key_version  INTEGER NOT NULL,
    last_step    INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    confirmed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE recovery_codes (
    hash    BLOB PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);
