-- Every table of the service. All instants are integer milliseconds since 1970-01-01 UTC, all days are UTC dates
-- ('2026-11-21'), all months are '2026-11', all money is integer millionths of the operator's currency. Identifiers are
-- lower-case UUIDs as text. A change to this file after a release needs a numbered file in svc/store/migrations/ too.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,                  -- 'schema_version', 'maintenance', 'boot'
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE partners (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL,
    status          TEXT NOT NULL DEFAULT 'Active' CHECK (status IN ('Active', 'Suspended', 'Closed')),
    tier            TEXT NOT NULL DEFAULT 'Free' CHECK (tier IN ('Free', 'Standard', 'Enterprise')),
    key_rotation    INTEGER NOT NULL DEFAULT 1,  -- SelfServeKeyRotationEnabled
    self_lifecycle  INTEGER NOT NULL DEFAULT 1,  -- self-serve lifecycle operations: reinstatement of webhooks
    created_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE customers (                     -- whom a partner works for; ceilings span the customer's accounts
    id                  TEXT PRIMARY KEY,
    partner_id          TEXT NOT NULL REFERENCES partners (id),
    name                TEXT NOT NULL,
    monthly_ceiling     INTEGER,             -- budget gate 2; NULL: none
    concurrency_ceiling INTEGER,             -- NULL: none
    created_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX customers_by_partner ON customers (partner_id, created_at, id);

CREATE TABLE accounts (
    id                  TEXT PRIMARY KEY,
    partner_id          TEXT NOT NULL REFERENCES partners (id),
    customer_id         TEXT NOT NULL REFERENCES customers (id),
    name                TEXT NOT NULL,
    status              TEXT NOT NULL DEFAULT 'Active' CHECK (status IN ('Active', 'Pilot', 'Suspended', 'Closed')),
    environment         TEXT NOT NULL CHECK (environment IN ('live', 'sandbox')),
    creator             TEXT,                -- sandbox: the user whose test keys reach it
    default_project_type TEXT NOT NULL,
    auto_release        INTEGER NOT NULL DEFAULT 0,
    monthly_ceiling     INTEGER,             -- budget gate 1; NULL: none
    concurrency_ceiling INTEGER,             -- NULL: none
    accent              TEXT NOT NULL DEFAULT '#3d7eff',
    created_at          INTEGER NOT NULL,
    CHECK ((environment = 'sandbox') = (creator IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_by_partner ON accounts (partner_id, created_at, id);
CREATE INDEX accounts_by_customer ON accounts (customer_id);

CREATE TABLE project_types (
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    slug            TEXT NOT NULL,
    name            TEXT NOT NULL,
    title_template  TEXT NOT NULL DEFAULT '{topic}',  -- may name {topic} and {subject}
    price           INTEGER NOT NULL DEFAULT 0,       -- what one production of this type is estimated to cost
    PRIMARY KEY (account_id, slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE avatars (                       -- presenters, available to every account of their customer
    id           TEXT PRIMARY KEY,
    customer_id  TEXT NOT NULL REFERENCES customers (id),
    name         TEXT NOT NULL,
    language_ids TEXT,                       -- JSON list; NULL: every language
    appearance   TEXT NOT NULL DEFAULT '{}', -- JSON: the voice and face fields of svc.media.model.Avatar
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX avatars_by_customer ON avatars (customer_id, created_at, id);

CREATE TABLE connected_platforms (
    account_id   TEXT NOT NULL REFERENCES accounts (id),
    platform     TEXT NOT NULL,              -- a name in svc.platforms
    status       TEXT NOT NULL DEFAULT 'Connected',
    connected_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, platform)
) STRICT, WITHOUT ROWID;

CREATE TABLE sensitivity_rules (
    id         TEXT PRIMARY KEY,
    scope      TEXT NOT NULL CHECK (scope IN ('operator', 'customer', 'account', 'country')),
    scope_id   TEXT,                         -- customer, account or country id; NULL for the operator's
    phrase     TEXT NOT NULL,                -- matched on normalised text
    is_pattern INTEGER NOT NULL DEFAULT 0,   -- 1: phrase is a regular expression
    created_at INTEGER NOT NULL,
    CHECK ((scope = 'operator') = (scope_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX sensitivity_rules_by_scope ON sensitivity_rules (scope, scope_id);

CREATE TABLE api_keys (
    id                    TEXT PRIMARY KEY,
    partner_id            TEXT NOT NULL REFERENCES partners (id),
    hash                  BLOB NOT NULL UNIQUE,  -- SHA-256 of the key; the key itself is stored nowhere
    prefix                TEXT NOT NULL,         -- first characters, for display
    environment           TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    name                  TEXT NOT NULL,
    creator               TEXT,                  -- test keys: the user whose sandbox accounts it reaches
    scopes                TEXT,                  -- JSON list; NULL: all scopes
    permitted_account_ids TEXT,                  -- JSON list; NULL: every account of the environment
    created_at            INTEGER NOT NULL,
    expires_at            INTEGER,               -- set by rotation: the end of the grace period
    revoked_at            INTEGER,
    rotated_to            TEXT REFERENCES api_keys (id),
    verified_at           INTEGER,               -- first verify, which returned the key
    last_used_at          INTEGER                -- at most once a minute
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_partner ON api_keys (partner_id, created_at, id);

CREATE TABLE activation_keys (               -- one use: verify, which makes and returns the live key
    id                    TEXT PRIMARY KEY,
    partner_id            TEXT NOT NULL REFERENCES partners (id),
    hash                  BLOB NOT NULL UNIQUE,
    prefix                TEXT NOT NULL,
    name                  TEXT NOT NULL,     -- of the key to be made, as the two columns below
    scopes                TEXT,
    permitted_account_ids TEXT,
    created_at            INTEGER NOT NULL,
    expires_at            INTEGER NOT NULL,
    spent_at              INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (                      -- the request history; its counted rows are the per-minute budget
    id             INTEGER PRIMARY KEY,
    request_id     TEXT NOT NULL,
    partner_id     TEXT NOT NULL,
    at             INTEGER NOT NULL,
    counted        INTEGER NOT NULL,         -- 0: refused by the budget, a ping, or an inactive partner
    method         TEXT NOT NULL,
    path           TEXT NOT NULL,
    status_code    INTEGER,                  -- NULL: still being answered, or the process died meanwhile
    error_code     TEXT,
    duration_ms    REAL,
    key_prefix     TEXT NOT NULL,
    correlation_id TEXT NOT NULL
) STRICT;
CREATE INDEX requests_by_partner ON requests (partner_id, at, id);
CREATE INDEX requests_refused ON requests (partner_id, at, id) WHERE status_code BETWEEN 400 AND 499;
CREATE INDEX requests_failed ON requests (partner_id, at, id) WHERE status_code BETWEEN 500 AND 599;
CREATE INDEX requests_in_window ON requests (partner_id, at) WHERE counted = 1;

CREATE TABLE request_days (                  -- the daily request budget; a row belongs to its date, nothing is reset
    partner_id TEXT NOT NULL,
    day        TEXT NOT NULL,
    counted    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (partner_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE production_days (               -- the daily production quota of an account, and its usage
    account_id  TEXT NOT NULL,
    day         TEXT NOT NULL,
    triggered   INTEGER NOT NULL DEFAULT 0,
    published   INTEGER NOT NULL DEFAULT 0,  -- by the day on which it ended, as the next two
    failed      INTEGER NOT NULL DEFAULT 0,
    cancelled   INTEGER NOT NULL DEFAULT 0,
    rendered_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_days (                    -- how a partner's requests were answered and its deliveries ended
    partner_id           TEXT NOT NULL,
    day                  TEXT NOT NULL,
    requests             INTEGER NOT NULL DEFAULT 0,
    status2xx            INTEGER NOT NULL DEFAULT 0,
    status4xx            INTEGER NOT NULL DEFAULT 0,
    status5xx            INTEGER NOT NULL DEFAULT 0,
    rate_limited         INTEGER NOT NULL DEFAULT 0,
    deliveries_succeeded INTEGER NOT NULL DEFAULT 0,
    deliveries_failed    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (partner_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (                        -- one row a production: reserved at the trigger, settled at the end
    production_id TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL,
    customer_id   TEXT NOT NULL,
    month         TEXT NOT NULL,
    reserved      INTEGER NOT NULL,
    settled       INTEGER                    -- NULL: not settled yet, the reservation counts
) STRICT, WITHOUT ROWID;

CREATE TABLE spend_months (                  -- running sums of the ledger, moved in the same transaction
    owner_id TEXT NOT NULL,                  -- account or customer
    month    TEXT NOT NULL,
    amount   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (owner_id, month)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
    partner_id    TEXT NOT NULL,
    key           TEXT NOT NULL,
    body_hash     BLOB NOT NULL,             -- SHA-256 of account and canonical body
    production_id TEXT NOT NULL,
    answer        TEXT NOT NULL,             -- the JSON of the first 202
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (partner_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE productions (
    id                TEXT PRIMARY KEY,
    partner_id        TEXT NOT NULL,
    account_id        TEXT NOT NULL REFERENCES accounts (id),
    customer_id       TEXT NOT NULL,
    status            TEXT NOT NULL CHECK (status IN ('Queued', 'Producing', 'AwaitingApproval', 'Distributing',
                                                      'Published', 'Failed', 'Cancelled')),
    title             TEXT NOT NULL,
    topic             TEXT NOT NULL,
    subject_override  TEXT,
    language_id       TEXT NOT NULL,
    country_id        TEXT NOT NULL,
    avatar_id         TEXT NOT NULL,
    project_type      TEXT NOT NULL,
    metadata_md       TEXT,
    api_triggered     INTEGER NOT NULL,
    auto_release      INTEGER NOT NULL,
    scenario          TEXT,                  -- JSON of svc.domain.productions.sandbox; NULL: none
    held_in           TEXT,                  -- the state in which a scenario holds it
    correlation_id    TEXT NOT NULL,         -- of the request that triggered it
    steps_complete    INTEGER NOT NULL DEFAULT 0,
    steps_total       INTEGER NOT NULL,
    current_step      TEXT,                  -- label of the step completed last
    step_fraction     REAL NOT NULL DEFAULT 0,  -- of the running step, 0 to 1
    error_code        TEXT,
    error_message     TEXT,
    failed_step       TEXT,
    last_sequence     INTEGER NOT NULL DEFAULT 0,  -- of its events
    rendered_seconds  REAL NOT NULL DEFAULT 0,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,        -- moves on with every change, by at least 1: the version of the row
    expires_at        INTEGER,
    released_at       INTEGER,
    finished_at       INTEGER,
    cancel_requested_at INTEGER,
    cancel_token      TEXT,                  -- a cancel is being processed
    claim_token       TEXT,                  -- a step is being run
    claim_boot        TEXT,
    claim_until       INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX productions_by_account ON productions (account_id, created_at, id);
CREATE INDEX productions_by_account_status ON productions (account_id, status, created_at, id);
CREATE INDEX productions_by_partner ON productions (partner_id, created_at, id);
-- SQLite uses a partial index only where a query repeats its condition word for word.
CREATE INDEX productions_to_make ON productions (created_at) WHERE status IN ('Queued', 'Producing');
CREATE INDEX productions_open_by_account ON productions (account_id)
    WHERE status IN ('Queued', 'Producing', 'AwaitingApproval', 'Distributing');
CREATE INDEX productions_open_by_customer ON productions (customer_id)
    WHERE status IN ('Queued', 'Producing', 'AwaitingApproval', 'Distributing');

CREATE INDEX productions_claimed ON productions (claim_boot) WHERE claim_token IS NOT NULL;
CREATE INDEX productions_cancelling ON productions (cancel_requested_at) WHERE cancel_token IS NOT NULL;
CREATE INDEX productions_expiring ON productions (expires_at)
    WHERE status IN ('Queued', 'Producing', 'AwaitingApproval');

CREATE TABLE production_steps (
    production_id TEXT NOT NULL REFERENCES productions (id),
    position      INTEGER NOT NULL,          -- 0, 1, …
    name          TEXT NOT NULL,
    label         TEXT NOT NULL,
    status        TEXT NOT NULL DEFAULT 'Pending'
                  CHECK (status IN ('Pending', 'Running', 'Completed', 'Failed', 'Cancelled')),
    attempts      INTEGER NOT NULL DEFAULT 0,
    started_at    INTEGER,
    completed_at  INTEGER,
    PRIMARY KEY (production_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE publications (                  -- one platform's share of a production
    production_id    TEXT NOT NULL REFERENCES productions (id),
    platform         TEXT NOT NULL,
    account_id       TEXT NOT NULL,
    status           TEXT NOT NULL DEFAULT 'Pending'
                     CHECK (status IN ('Pending', 'Publishing', 'Published', 'Failed', 'Withdrawn')),
    platform_post_id TEXT,
    attempts         INTEGER NOT NULL DEFAULT 0,
    error            TEXT,
    next_attempt_at  INTEGER,
    published_at     INTEGER,
    claim_token      TEXT,
    claim_boot       TEXT,
    claim_until      INTEGER,
    PRIMARY KEY (production_id, platform)
) STRICT, WITHOUT ROWID;
CREATE INDEX publications_due ON publications (next_attempt_at) WHERE status IN ('Pending', 'Publishing');
CREATE INDEX publications_claimed ON publications (claim_boot) WHERE claim_token IS NOT NULL;
CREATE INDEX publications_by_post ON publications (platform_post_id) WHERE platform_post_id IS NOT NULL;
CREATE INDEX publications_by_account ON publications (account_id, platform, published_at);

CREATE TABLE deliverables (
    id               TEXT PRIMARY KEY,
    production_id    TEXT NOT NULL REFERENCES productions (id),
    position         INTEGER NOT NULL,
    type             TEXT NOT NULL CHECK (type IN ('Video', 'ClosedCaptions', 'AudioDescription', 'Transcript',
                                                   'ComplianceCertificate')),
    platform         TEXT,
    format           TEXT NOT NULL,
    file             TEXT NOT NULL,          -- relative to the media directory
    size_bytes       INTEGER NOT NULL,
    sha256           TEXT NOT NULL,
    duration_seconds REAL,
    language         TEXT NOT NULL,
    created_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deliverables_by_production ON deliverables (production_id, position);

CREATE TABLE events (
    production_id  TEXT NOT NULL,
    sequence       INTEGER NOT NULL,         -- from 1, no gaps
    partner_id     TEXT NOT NULL,
    account_id     TEXT NOT NULL,
    event_type     TEXT NOT NULL,
    at             INTEGER NOT NULL,
    correlation_id TEXT NOT NULL,
    truncated      INTEGER NOT NULL DEFAULT 0,
    data           TEXT NOT NULL,            -- JSON
    PRIMARY KEY (production_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_partner ON events (partner_id, at);

CREATE TABLE subscriptions (
    id               TEXT PRIMARY KEY,
    partner_id       TEXT NOT NULL REFERENCES partners (id),
    environment      TEXT NOT NULL CHECK (environment IN ('live', 'sandbox')),
    creator          TEXT,                   -- sandbox: whose accounts it hears
    endpoint_url     TEXT NOT NULL,
    event_types      TEXT NOT NULL,          -- JSON list
    account_ids      TEXT,                   -- JSON list; NULL: every account that its key reached
    account_scope_id TEXT,
    permitted_account_ids TEXT,              -- JSON list: what the registering key was permitted; NULL: all
    status           TEXT NOT NULL DEFAULT 'Active' CHECK (status IN ('Active', 'Failed')),
    failure_count    INTEGER NOT NULL DEFAULT 0,
    troubled         INTEGER NOT NULL DEFAULT 0,  -- 1: its last attempt failed or was slow; new deliveries take lane 1
    secret_version   INTEGER NOT NULL,       -- which master key its signing secret is derived from
    last_delivery_at INTEGER,
    last_ping_at     INTEGER,
    created_at       INTEGER NOT NULL,
    deleted_at       INTEGER                 -- logically deleted, never removed
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriptions_by_partner ON subscriptions (partner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE deliveries (                    -- one event for one subscription: the outbox
    id              TEXT PRIMARY KEY,
    subscription_id TEXT NOT NULL REFERENCES subscriptions (id),
    partner_id      TEXT NOT NULL,
    event_id        TEXT NOT NULL,           -- the same on every retry, redelivery and replay
    event_type      TEXT NOT NULL,
    production_id   TEXT NOT NULL,           -- nil UUID for a ping
    sequence        INTEGER NOT NULL,        -- 0 for a ping
    body            BLOB NOT NULL,           -- the bytes that are signed and sent
    status          TEXT NOT NULL CHECK (status IN ('Pending', 'Succeeded', 'Failed', 'Parked', 'Skipped')),
    holds           INTEGER NOT NULL DEFAULT 1,  -- 1: later ones of its production wait for it
    failures        INTEGER NOT NULL DEFAULT 0,  -- failed attempts of this round
    first_failed_at INTEGER,                 -- F1 of this round, from which retry 2 counts
    second_failed_at INTEGER,                -- F2, from which retry 3 counts
    interruptions   INTEGER NOT NULL DEFAULT 0,  -- attempts of this round whose outcome is unknown
    lane            INTEGER NOT NULL DEFAULT 0,  -- 0: first attempts; 1: retries, and whatever a troubled endpoint gets
    next_attempt_at INTEGER,                 -- NULL while Pending: it waits for an earlier one of its production
    claim_token     TEXT,
    claim_boot      TEXT,
    claim_until     INTEGER,
    created_at      INTEGER NOT NULL,
    finished_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (lane, subscription_id, next_attempt_at)
    WHERE status = 'Pending' AND claim_token IS NULL AND next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_claimed ON deliveries (claim_boot, subscription_id) WHERE claim_token IS NOT NULL;
CREATE INDEX deliveries_in_order ON deliveries (subscription_id, production_id, sequence)
    WHERE status = 'Pending' AND holds = 1;
CREATE INDEX deliveries_pending ON deliveries (subscription_id, lane) WHERE status = 'Pending';
CREATE INDEX deliveries_parked ON deliveries (subscription_id) WHERE status = 'Parked';
CREATE INDEX deliveries_by_subscription ON deliveries (subscription_id, created_at, id);
CREATE INDEX deliveries_by_production ON deliveries (production_id, sequence);

CREATE TABLE attempts (
    id           INTEGER PRIMARY KEY,
    delivery_id  TEXT NOT NULL REFERENCES deliveries (id),
    attempted_at INTEGER NOT NULL,
    status_code  INTEGER,
    error        TEXT,                       -- in words for the partner; NULL on success
    duration_ms  REAL
) STRICT;
CREATE INDEX attempts_by_delivery ON attempts (delivery_id, id);

CREATE TABLE plays (                         -- one viewing of a watch page
    id               TEXT PRIMARY KEY,
    platform_post_id TEXT NOT NULL,
    production_id    TEXT NOT NULL,
    platform         TEXT NOT NULL,
    viewer           BLOB NOT NULL,          -- salted hash of the viewer's random cookie, not of the person
    day              TEXT NOT NULL,
    started_at       INTEGER NOT NULL,
    watched_seconds  REAL NOT NULL DEFAULT 0,
    updated_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX plays_by_viewer ON plays (viewer, started_at);
CREATE INDEX plays_unwatched ON plays (started_at) WHERE watched_seconds = 0;
CREATE INDEX plays_by_production ON plays (production_id, platform, day);

CREATE TABLE alerts (                        -- what the operator should know
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    name       TEXT NOT NULL,                -- 'WebhookDeliveryFailed', 'AuthenticationFailureBurst', …
    severity   TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    partner_id TEXT,
    subject_id TEXT,
    message    TEXT NOT NULL,
    notified_at INTEGER                      -- sent to the addresses in SVC_ALERT_URLS
) STRICT;
CREATE INDEX alerts_by_age ON alerts (at);
CREATE INDEX alerts_to_notify ON alerts (id) WHERE notified_at IS NULL;

CREATE TABLE auth_failures (                 -- recent failures by address, for the burst alert
    address    TEXT NOT NULL,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX auth_failures_by_address ON auth_failures (address, at);

CREATE TABLE auth_bursts (                   -- addresses whose burst of failures has been alerted
    address    TEXT PRIMARY KEY,
    alerted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
