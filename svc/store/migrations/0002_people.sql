-- People who sign in, what they changed, and what an operator did about alerts.
ALTER TABLE alerts ADD COLUMN seen_at INTEGER;
ALTER TABLE alerts ADD COLUMN closed_at INTEGER;
CREATE INDEX alerts_open ON alerts (id) WHERE closed_at IS NULL;

CREATE TABLE users (
    id          TEXT PRIMARY KEY,
    email       TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    role        TEXT NOT NULL CHECK (role IN ('operator', 'owner', 'member')),
    partner_id  TEXT REFERENCES partners (id),
    password    TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    disabled_at INTEGER,
    CHECK ((role = 'operator') = (partner_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX users_by_partner ON users (partner_id, created_at, id);

CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,
    user_id    TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    address    TEXT NOT NULL,
    browser    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id, seen_at);
CREATE INDEX sessions_by_age ON sessions (seen_at);

CREATE TABLE invitations (
    id         TEXT PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,
    role       TEXT NOT NULL CHECK (role IN ('operator', 'owner', 'member')),
    partner_id TEXT REFERENCES partners (id),
    email      TEXT,
    user_id    TEXT REFERENCES users (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER,
    CHECK ((role = 'operator') = (partner_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_partner ON invitations (partner_id, created_at);

CREATE TABLE sign_in_tries (
    subject TEXT PRIMARY KEY,
    since   INTEGER NOT NULL,
    tries   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_tries_by_age ON sign_in_tries (since);

CREATE TABLE audit (
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    actor_id   TEXT,
    actor      TEXT NOT NULL,
    action     TEXT NOT NULL,
    partner_id TEXT,
    subject_id TEXT,
    subject    TEXT NOT NULL,
    before     TEXT,
    after      TEXT
) STRICT;
CREATE INDEX audit_by_action ON audit (action, id);
CREATE INDEX audit_by_actor ON audit (actor_id, id);
CREATE INDEX audit_by_partner ON audit (partner_id, id);
CREATE INDEX audit_by_subject ON audit (subject_id, id);
