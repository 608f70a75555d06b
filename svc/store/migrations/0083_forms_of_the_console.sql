-- rolling
-- A form of the console that is sent twice is carried out once, and what was typed outlives the end of a session.
CREATE TABLE sent_forms (                    -- of the console: one that is sent twice is carried out once
    hash       BLOB PRIMARY KEY,             -- SHA-256 of user, page and what was sent
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    answer     TEXT                          -- JSON: where it led to; NULL: being carried out; empty: it broke off
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_forms_by_user ON sent_forms (user_id, created_at);
CREATE INDEX sent_forms_by_age ON sent_forms (created_at);

CREATE TABLE kept_forms (                    -- typed into the console by somebody whose session had ended
    hash       BLOB PRIMARY KEY,             -- SHA-256 of the token in the address where it is filled in again
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    sealed     BLOB NOT NULL,                -- svc.base.crypto.answer_encryption with the token: address and fields, no secrets
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_forms_by_user ON kept_forms (user_id, created_at);
CREATE INDEX kept_forms_by_age ON kept_forms (created_at);
