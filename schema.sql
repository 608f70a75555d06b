-- Every table of the service. All instants are integer milliseconds since 1970-01-01 UTC, all days are UTC dates
-- ('2026-11-21'), all months are '2026-11', all money is integer millionths of the operator's currency. Identifiers are
-- lower-case UUIDs as text. A change to this file after a release needs a numbered file in svc/store/migrations/ too.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,                  -- 'schema_version', 'maintenance', 'boot', …
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE partners (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL,
    status          TEXT NOT NULL DEFAULT 'Active' CHECK (status IN ('Active', 'Suspended', 'Closed')),
    tier            TEXT NOT NULL DEFAULT 'Free' CHECK (tier IN ('Free', 'Standard', 'Enterprise')),
    key_rotation    INTEGER NOT NULL DEFAULT 1,  -- SelfServeKeyRotationEnabled
    self_lifecycle  INTEGER NOT NULL DEFAULT 1,  -- self-serve lifecycle operations: reinstatement of webhooks
    created_at      INTEGER NOT NULL,
    portal_origins  TEXT NOT NULL DEFAULT ''     -- the sites that may show its portals, with a space between
) STRICT, WITHOUT ROWID;
CREATE INDEX partners_by_name ON partners (lower(name), id);

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
    accent              TEXT NOT NULL DEFAULT '#3d7eff',  -- the brand's first colour
    created_at          INTEGER NOT NULL,
    second_colour       TEXT NOT NULL DEFAULT '',  -- the brand's second colour, '#rrggbb'; empty: the first
    theme               TEXT NOT NULL DEFAULT 'dark' CHECK (theme IN ('dark', 'light')),
    caption_style       TEXT NOT NULL DEFAULT 'highlight' CHECK (caption_style IN ('highlight', 'plain')),
    logo                TEXT,                -- an asset of the account or of its customer; NULL: none
    full_text           INTEGER NOT NULL DEFAULT 0,  -- prose is shown whole, not as a key phrase with a picture
    logo_style          TEXT NOT NULL DEFAULT 'mark' CHECK (logo_style IN ('mark', 'watermark')),
    lower_third         INTEGER NOT NULL DEFAULT 0,  -- name and role of the presenter are shown for some seconds
    script_review       INTEGER NOT NULL DEFAULT 0,  -- scripts are reviewed, unless a brief says otherwise
    music               TEXT NOT NULL DEFAULT 'look'  -- under the speech; 'look': what the look of the video wants
                        CHECK (music IN ('look', 'none', 'calm', 'bright', 'focused')),
    CHECK ((environment = 'sandbox') = (creator IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_by_partner ON accounts (partner_id, created_at, id);
CREATE INDEX accounts_by_customer ON accounts (customer_id);
CREATE INDEX accounts_by_name ON accounts (lower(name), id);

CREATE TABLE brand_fonts (                   -- the font that an account's videos are set in
    account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
    licence     TEXT NOT NULL,               -- what the font is used under, as the person who uploaded it noted
    file        TEXT NOT NULL,               -- below the assets directory
    size_bytes  INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE music_tracks (                  -- the music under the speech of an account's videos
    account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
    licence     TEXT NOT NULL,               -- what the track is used under, as the person who uploaded it noted
    file        TEXT NOT NULL,               -- below the assets directory
    size_bytes  INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE intro_clips (                   -- the clip before the title of an account's videos
    account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
    licence     TEXT NOT NULL,               -- what the clip is used under, as the person who uploaded it noted
    file        TEXT NOT NULL,               -- below the assets directory
    size_bytes  INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL             -- that it lasts
) STRICT, WITHOUT ROWID;

CREATE TABLE outro_clips (                   -- the clip after the close of an account's videos
    account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
    licence     TEXT NOT NULL,               -- what the clip is used under, as the person who uploaded it noted
    file        TEXT NOT NULL,               -- below the assets directory
    size_bytes  INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL             -- that it lasts
) STRICT, WITHOUT ROWID;

CREATE TABLE lexicons (                      -- how an account's own words are spoken
    account_id      TEXT PRIMARY KEY REFERENCES accounts (id),
    entries         TEXT NOT NULL,           -- JSON: [[written, spoken], …]
    updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE project_types (
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    slug            TEXT NOT NULL,
    name            TEXT NOT NULL,
    title_template  TEXT NOT NULL DEFAULT '{topic}',  -- may name {topic} and {subject}
    price           INTEGER NOT NULL DEFAULT 0,       -- what one production of this type is estimated to cost
    look            TEXT NOT NULL DEFAULT 'explainer',  -- svc.base.looks
    PRIMARY KEY (account_id, slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE avatars (                       -- presenters, available to every account of their customer
    id           TEXT PRIMARY KEY,
    customer_id  TEXT NOT NULL REFERENCES customers (id),
    name         TEXT NOT NULL,
    language_ids TEXT,                       -- JSON list; NULL: every language
    appearance   TEXT NOT NULL DEFAULT '{}', -- JSON: the voice and face fields of svc.media.model.Avatar
    created_at   INTEGER NOT NULL,
    portrait     TEXT,                       -- an asset of the customer that is shown instead of the drawn face; NULL: none
    moving       INTEGER NOT NULL DEFAULT 1  -- mouth and eyes move
) STRICT, WITHOUT ROWID;
CREATE INDEX avatars_by_customer ON avatars (customer_id, created_at, id);

CREATE TABLE assets (                        -- uploaded pictures and clips, which briefs name: ![what is seen](name)
    id           TEXT PRIMARY KEY,
    customer_id  TEXT NOT NULL REFERENCES customers (id),
    account_id   TEXT REFERENCES accounts (id),  -- NULL: of every account of the customer
    name         TEXT NOT NULL,
    media_type   TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp', 'video/mp4')),
    file         TEXT NOT NULL,              -- below the assets directory
    size_bytes   INTEGER NOT NULL,
    sha256       TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX assets_by_name ON assets (customer_id, name, coalesce(account_id, ''));

CREATE TABLE connected_platforms (
    account_id   TEXT NOT NULL REFERENCES accounts (id),
    platform     TEXT NOT NULL,              -- a name in svc.platforms
    status       TEXT NOT NULL DEFAULT 'Connected',
    connected_at INTEGER NOT NULL,
    connection_id TEXT,                      -- one of connections; NULL: a platform of this server
    PRIMARY KEY (account_id, platform)
) STRICT, WITHOUT ROWID;

CREATE TABLE connections (                   -- of an account to a place of its own; a removed one keeps no secret
    id             TEXT PRIMARY KEY,
    account_id     TEXT NOT NULL REFERENCES accounts (id),
    name           TEXT NOT NULL,            -- the platform's name in connected_platforms and publications
    connector      TEXT NOT NULL,            -- a name in svc.platforms
    shape          TEXT NOT NULL CHECK (shape IN ('landscape', 'portrait', 'square', 'feed')),
    title_template TEXT NOT NULL,
    text_template  TEXT NOT NULL,
    settings       TEXT NOT NULL,            -- JSON object of what may be shown
    sealed         BLOB,                     -- svc.base.crypto.connection_secrets: what may not
    created_at     INTEGER NOT NULL,
    renewed_at     INTEGER,
    tried_at       INTEGER,
    problem        TEXT,                     -- what the last try or publication met; NULL: nothing
    removed_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX connections_by_account ON connections (account_id, name);

CREATE TABLE connection_tries (              -- exchanges with places that people began in the console and that take long
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    production_id TEXT,                      -- what of is withdrawn; NULL: a connection is tried
    title         TEXT NOT NULL,
    begun_at      INTEGER NOT NULL,
    ended_at      INTEGER,                   -- NULL: it goes on, or its process was lost
    problem       TEXT                       -- NULL: it went well
) STRICT, WITHOUT ROWID;
CREATE INDEX connection_tries_of_account ON connection_tries (account_id, begun_at, id);

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
    expires_at            INTEGER,               -- chosen when it was made, or set by rotation: the end of the grace period
    revoked_at            INTEGER,
    rotated_to            TEXT REFERENCES api_keys (id),
    verified_at           INTEGER,               -- first verify, which returned the key
    last_used_at          INTEGER,               -- at most once a minute
    allowed_ranges        TEXT,                  -- JSON list of CIDR ranges that it may call from; NULL: anywhere
    warned_at             INTEGER                -- the alert that it ends soon
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_ending ON api_keys (expires_at) WHERE expires_at IS NOT NULL AND warned_at IS NULL;
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
    spent_at              INTEGER,
    key_expires_at        INTEGER,           -- of the key to be made, as the next column
    allowed_ranges        TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX activation_keys_by_partner ON activation_keys (partner_id, created_at);

CREATE TABLE requests (                      -- the request history; its counted rows of the last minute are in the budget
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
    correlation_id TEXT NOT NULL,
    times          INTEGER NOT NULL DEFAULT 1  -- how often: refusals outside the budget are counted, not entered one by one
) STRICT;
CREATE INDEX requests_by_partner ON requests (partner_id, at, id);
CREATE INDEX requests_refused ON requests (partner_id, at, id) WHERE status_code BETWEEN 400 AND 499;
CREATE INDEX requests_failed ON requests (partner_id, at, id) WHERE status_code BETWEEN 500 AND 599;
CREATE INDEX requests_by_key ON requests (partner_id, key_prefix, at, id);
CREATE INDEX requests_by_correlation ON requests (correlation_id);

CREATE TABLE refusals (                      -- what refused requests sent and were answered; at most 1,000 a partner
    id           INTEGER PRIMARY KEY,        -- that of the row in requests
    partner_id   TEXT NOT NULL,
    at           INTEGER NOT NULL,
    answer       TEXT NOT NULL,              -- JSON, its beginning
    content_type TEXT,                       -- of the request
    body         TEXT                        -- of the request, its beginning, with secrets masked; NULL: none, or a 5xx answer
) STRICT;
CREATE INDEX refusals_by_partner ON refusals (partner_id, id);
CREATE INDEX refusals_by_time ON refusals (at);

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
CREATE INDEX production_days_by_day ON production_days (day);

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
    counted              INTEGER NOT NULL DEFAULT 0,  -- requests in the daily budget; a row belongs to its date, nothing is reset
    PRIMARY KEY (partner_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_by_day ON usage_days (day);

CREATE TABLE sandbox_days (                  -- the part of usage_days that test keys and their subscriptions caused
    partner_id           TEXT NOT NULL,
    creator              TEXT NOT NULL,      -- the user whose sandbox accounts they address
    day                  TEXT NOT NULL,
    requests             INTEGER NOT NULL DEFAULT 0,
    status2xx            INTEGER NOT NULL DEFAULT 0,
    status4xx            INTEGER NOT NULL DEFAULT 0,
    status5xx            INTEGER NOT NULL DEFAULT 0,
    rate_limited         INTEGER NOT NULL DEFAULT 0,
    deliveries_succeeded INTEGER NOT NULL DEFAULT 0,
    deliveries_failed    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (partner_id, creator, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX sandbox_days_by_day ON sandbox_days (day);

CREATE TABLE ledger (                        -- one row a production: reserved at the trigger, settled at the end
    production_id TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL,
    customer_id   TEXT NOT NULL,
    month         TEXT NOT NULL,
    reserved      INTEGER NOT NULL,
    settled       INTEGER,                   -- NULL: not settled yet, the reservation counts
    for_models    INTEGER NOT NULL DEFAULT 0 -- of what is reserved: what configured models were estimated to charge
) STRICT, WITHOUT ROWID;

CREATE TABLE model_charges (                 -- what each answer of a model cost; the sum replaces ledger.for_models at the end
    id            INTEGER PRIMARY KEY,
    production_id TEXT NOT NULL,
    at            INTEGER NOT NULL,
    purpose       TEXT NOT NULL CHECK (purpose IN ('script', 'speech')),
    model         TEXT NOT NULL,
    units_in      INTEGER NOT NULL,          -- script: tokens; speech: characters
    units_out     INTEGER NOT NULL,          -- script: tokens
    cost          INTEGER NOT NULL
) STRICT;
CREATE INDEX model_charges_by_production ON model_charges (production_id);

CREATE TABLE spend_months (                  -- running sums of the ledger, moved in the same transaction
    owner_id TEXT NOT NULL,                  -- account, or customer: of its live accounts
    month    TEXT NOT NULL,
    amount   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (owner_id, month)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_thresholds (              -- of limits and budgets that were reached: each is told once
    owner_id   TEXT NOT NULL,                -- account, customer or partner
    name       TEXT NOT NULL,                -- of svc.domain.webhooks.usage_thresholds.LIMITS
    period     TEXT NOT NULL,                -- a month or a day
    percent    INTEGER NOT NULL,
    most       INTEGER NOT NULL,             -- the limit: another one has thresholds of its own
    partner_id TEXT NOT NULL,
    reached_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, name, period, percent, most)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_thresholds_of_partner ON usage_thresholds (partner_id);
CREATE INDEX usage_thresholds_by_time ON usage_thresholds (reached_at);

CREATE TABLE idempotency_keys (
    partner_id    TEXT NOT NULL,
    key           TEXT NOT NULL,
    body_hash     BLOB NOT NULL,             -- SHA-256 of account and canonical body
    production_id TEXT NOT NULL,             -- empty: of another operation than the trigger
    answer        TEXT NOT NULL,             -- the JSON of the first 202; empty: it is sealed
    created_at    INTEGER NOT NULL,
    sealed        BLOB,                      -- svc.base.crypto.answer_encryption: the first answer, which may hold a secret
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
    scenario          TEXT,                  -- JSON of svc.domain.lifecycle.sandbox; NULL: none
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
    claim_until       INTEGER,
    estimated_at      INTEGER,                 -- when its files should be there; NULL: unknown
    promised_at       INTEGER,                 -- the same as it was said at the trigger
    retry_of          TEXT,                  -- the failed production whose brief this one takes up again
    lane              INTEGER NOT NULL DEFAULT 1,  -- of the queue: 0 moved to the front, 1 live, 2 sandbox
    not_before        INTEGER,               -- its next step may run from then on; also its place in its partner's queue;
                                             -- NULL: it has none to run, a scenario holds it
    cancel_correlation_id TEXT,              -- of the request that asked for its cancel; NULL: no request did
    external_id       TEXT,                  -- the partner's own reference; not unique
    warnings          TEXT,                  -- JSON list of svc.domain.lifecycle.brief_warnings, as it was triggered; NULL: none
    review            TEXT,                  -- of its script: 'Requested', 'Awaited', 'Approved'; NULL: none
    group_id          TEXT,                  -- of the productions that are the same in several languages; NULL: in one
    translation       TEXT,                  -- of its brief by people: 'Awaited', 'Done'; NULL: none
    revision          INTEGER NOT NULL DEFAULT 1, -- each correction after it was rendered adds one
    look              TEXT,                  -- of its brief; NULL: as the project type has it
    theme             TEXT,                  -- likewise, or as the account has it
    caption_languages TEXT,                  -- JSON list of ids: into which a model translates the captions; NULL: none
    voice_model       TEXT,                  -- of svc.base.voices.OPTIONAL, that speaks it best; NULL: one that is everywhere
    gate_warnings     TEXT                   -- JSON list of svc.domain.productions.gate_warnings, of its last rendering; NULL: none
) STRICT, WITHOUT ROWID;
CREATE INDEX productions_by_account ON productions (account_id, created_at, id);
CREATE INDEX productions_by_account_status ON productions (account_id, status, created_at, id);
-- SQLite uses a partial index only where a query repeats its condition word for word.
CREATE INDEX productions_to_make ON productions (created_at) WHERE status IN ('Queued', 'Producing');

CREATE INDEX productions_in_queue ON productions (partner_id, lane, not_before) WHERE status IN ('Queued', 'Producing');
CREATE INDEX productions_claimed ON productions (claim_boot) WHERE claim_token IS NOT NULL;
CREATE INDEX productions_cancelling ON productions (cancel_requested_at) WHERE cancel_token IS NOT NULL;
CREATE INDEX productions_expiring ON productions (expires_at)
    WHERE status IN ('Queued', 'Producing', 'AwaitingApproval');
CREATE INDEX productions_in_state ON productions (status, created_at, id)
    WHERE status IN ('AwaitingApproval', 'Distributing', 'Failed', 'Cancelled');
CREATE INDEX productions_failed ON productions (finished_at, partner_id) WHERE status = 'Failed';
CREATE INDEX productions_ended ON productions (status, finished_at, partner_id) WHERE status IN ('Published', 'Cancelled');
CREATE INDEX productions_by_title ON productions (partner_id, lower(substr(title, 1, 40)))
    WHERE status <> 'Queued';               -- those that are, which is less work at the trigger, are among those to make
CREATE INDEX productions_by_external_id ON productions (account_id, external_id, created_at, id)
    WHERE external_id IS NOT NULL;
CREATE INDEX productions_in_group ON productions (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX productions_retried ON productions (retry_of) WHERE retry_of IS NOT NULL;

CREATE TABLE workers (                       -- processes that run steps, where several machines share the database
    id         TEXT PRIMARY KEY,             -- as in claim_boot of the productions whose step it runs
    role       TEXT NOT NULL CHECK (role IN ('driver', 'standby', 'worker')),  -- a server that drives, or waits to; a worker
    hostname   TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    version    TEXT NOT NULL,                -- of the program
    steps      INTEGER NOT NULL,             -- how many it runs at the same time
    can_run    TEXT NOT NULL,                -- JSON: the names of the steps that it may run, and of voice models that it has
    started_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,             -- its last sign of life
    sick       TEXT,                         -- why it takes no steps until its place is usable again; NULL: it takes them
    master_keys TEXT,                        -- JSON: the versions of the master keys that it has; NULL: of an earlier release
    signs_with INTEGER                       -- the master key; NULL: it lacks a newer one, or is of an earlier release
) STRICT, WITHOUT ROWID;

CREATE TABLE production_steps (              -- of those that have begun, or were to begin when their process was lost
    production_id TEXT NOT NULL REFERENCES productions (id),
    position      INTEGER NOT NULL,          -- 0, 1, …
    name          TEXT NOT NULL,
    label         TEXT NOT NULL,
    status        TEXT NOT NULL DEFAULT 'Pending'
                  CHECK (status IN ('Pending', 'Running', 'Completed', 'Failed', 'Cancelled')),
    attempts      INTEGER NOT NULL DEFAULT 0,
    started_at    INTEGER,
    completed_at  INTEGER,
    files         TEXT,                      -- JSON: what it did to the work folder, in a bucket (svc.work.files.work_archives); NULL: nothing there
    losses        INTEGER NOT NULL DEFAULT 0,  -- how often its process was lost before it had a result
    PRIMARY KEY (production_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE scripts (                       -- of productions whose script is reviewed, the first and the newest versions: svc.domain.lifecycle.script_review
    production_id TEXT NOT NULL REFERENCES productions (id),
    version       INTEGER NOT NULL,          -- 1: as it was written; each change adds one
    scenes        TEXT NOT NULL,             -- JSON, as people review them
    written       TEXT,                      -- of version 1, until its video is made: JSON of svc.media.model.Script
    created_at    INTEGER NOT NULL,
    last_scene    INTEGER NOT NULL DEFAULT 0,  -- the highest number that a scene of any version had: none is given twice
    PRIMARY KEY (production_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE settled_briefs (                -- of productions that are being made: svc.domain.lifecycle.settled_briefs
    production_id TEXT PRIMARY KEY REFERENCES productions (id) ON DELETE CASCADE,
    settings      TEXT NOT NULL              -- JSON: fields of svc.media.model.VideoBrief
) STRICT, WITHOUT ROWID;

CREATE TABLE translations (                  -- of briefs that people translate: svc.domain.translation
    production_id      TEXT PRIMARY KEY REFERENCES productions (id),
    source_language_id TEXT NOT NULL,        -- of the texts as they were triggered
    source             TEXT NOT NULL,        -- JSON: the texts of the brief
    target             TEXT,                 -- likewise, translated; NULL: awaited
    created_at         INTEGER NOT NULL,
    done_at            INTEGER,
    draft              TEXT,                 -- JSON: segments that were saved in the console before all were translated
    draft_version      INTEGER NOT NULL DEFAULT 0 -- each save of the draft adds 1
) STRICT, WITHOUT ROWID;

CREATE TABLE partner_storage (               -- how much room each partner's files take: uploads and deliverables
    partner_id TEXT PRIMARY KEY,
    bytes      INTEGER NOT NULL              -- kept by the triggers below, so that nobody walks the disk
) STRICT, WITHOUT ROWID;

CREATE TABLE render_queues (                 -- each partner's share of the render workers: svc.domain.lifecycle.render_queue
    partner_id TEXT PRIMARY KEY,
    turn       REAL NOT NULL DEFAULT 0,      -- virtual time at which its next step is due: the lowest is next
    paused_at  INTEGER                       -- an operator paused its queue; NULL: nobody did
) STRICT, WITHOUT ROWID;
CREATE INDEX render_queues_paused ON render_queues (paused_at) WHERE paused_at IS NOT NULL;

CREATE TABLE step_paces (                    -- how long each step takes here, by the length of the brief: svc.domain.lifecycle.completion_estimates
    step          TEXT PRIMARY KEY,
    number        INTEGER NOT NULL,          -- of measurements; all that follows are means that fade
    mean_size     REAL NOT NULL,             -- characters
    mean_ms       REAL NOT NULL,
    size_variance REAL NOT NULL,
    covariance    REAL NOT NULL
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
    description      TEXT,                   -- the text beside the video there; NULL: not made yet
    connection_id    TEXT,                   -- one of connections; NULL: a platform of this server
    idempotency_key  TEXT,                   -- stored before the first byte goes to a place; the same at every attempt
    session          BLOB,                   -- sealed as connections are: where an upload resumes; NULL: it has not begun
    sent_bytes       INTEGER,                -- what the place has in the running attempt; NULL: none yet
    post_url         TEXT,                   -- where people see it; NULL: the place does not tell
    details          TEXT,                   -- JSON: what pages of this server say of it, such as an episode; NULL: nothing
    figures          TEXT,                   -- JSON: what the place counts of it; NULL: not read yet, or measured here
    figures_at       INTEGER,                -- when they were read
    figures_due      INTEGER,                -- when to read them next; NULL: not any more
    total_bytes      INTEGER,                -- of all files that the place is sent; NULL: no attempt yet
    publish_at       INTEGER,                -- when its place is to show it, the same at every attempt; NULL: at once
    PRIMARY KEY (production_id, platform)
) STRICT, WITHOUT ROWID;
CREATE INDEX publications_due ON publications (next_attempt_at)
    WHERE status IN ('Pending', 'Publishing') AND next_attempt_at IS NOT NULL;
CREATE INDEX publications_claimed ON publications (claim_boot) WHERE claim_token IS NOT NULL;
CREATE INDEX publications_by_post ON publications (platform_post_id) WHERE platform_post_id IS NOT NULL;
CREATE INDEX publications_to_count ON publications (figures_due) WHERE figures_due IS NOT NULL;
CREATE INDEX publications_by_account ON publications (account_id, platform, published_at) WHERE published_at IS NOT NULL;

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
    created_at       INTEGER NOT NULL,
    voice            TEXT                    -- the trained voice that speaks in it; NULL: none does
) STRICT, WITHOUT ROWID;
CREATE INDEX deliverables_by_production ON deliverables (production_id, position);

CREATE TABLE files_to_remove (               -- the rows of these files are gone: svc.domain.file_removal
    kind   TEXT NOT NULL CHECK (kind IN ('production', 'upload', 'scenes')),
    name   TEXT NOT NULL,                    -- a production, the file of an upload, a partner
    sha256 TEXT,                             -- of an upload: its place in the bucket
    since  INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

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
    position       INTEGER NOT NULL DEFAULT 0,  -- in the feed of its partner: grows with every commit; 1,024 a millisecond
    PRIMARY KEY (production_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_partner ON events (partner_id, position);

CREATE TABLE title_words (                   -- search: the words of titles, folded; the engine fills it
    partner_id    TEXT NOT NULL REFERENCES partners (id),
    word          TEXT NOT NULL,             -- '' of a title that has none
    production_id TEXT NOT NULL REFERENCES productions (id),
    PRIMARY KEY (partner_id, word, production_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX title_words_of_production ON title_words (production_id, word);

CREATE TABLE batches (                       -- productions that one request triggered
    id              TEXT PRIMARY KEY,
    partner_id      TEXT NOT NULL,
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    mode            TEXT NOT NULL CHECK (mode IN ('atomic', 'each')),
    idempotency_key TEXT,                    -- of the request; NULL: none, or a later request has it
    digest          BLOB NOT NULL,           -- SHA-256 of what was asked for
    size            INTEGER NOT NULL,        -- how many briefs it has
    correlation_id  TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    handled_at      INTEGER,                 -- when the last brief was accepted or refused
    cancelled_at    INTEGER,                 -- when its cancellation was requested
    finished_at     INTEGER,                 -- when its last production had ended
    under_way       TEXT CHECK (under_way IN ('cancel', 'resume')), -- what the engine goes on with, piece by piece
    under_way_for   TEXT,                    -- the correlation id of the request for that
    completions     INTEGER NOT NULL DEFAULT 0  -- how often its last production had ended: again after each resumption
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX batches_by_key ON batches (partner_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX batches_by_account ON batches (account_id, created_at, id);
CREATE INDEX batches_by_time ON batches (created_at, id);
CREATE INDEX batches_by_partner ON batches (partner_id, created_at, id);
CREATE INDEX batches_open ON batches (id) WHERE finished_at IS NULL;
CREATE INDEX batches_under_way ON batches (id) WHERE under_way IS NOT NULL;

CREATE TABLE batch_items (                   -- one brief of a batch: its production, or why it was refused
    batch_id      TEXT NOT NULL REFERENCES batches (id),
    position      INTEGER NOT NULL,          -- 0, 1, …
    external_id   TEXT,
    production_id TEXT,                      -- NULL: refused, or it waits
    error_code    TEXT,
    error_message TEXT,
    stopped       INTEGER NOT NULL DEFAULT 0, -- 1: the cancellation of the batch cancelled its production, and can be resumed
    brief         TEXT,                      -- JSON, while it waits for a place among the concurrent productions
    topic         TEXT,                      -- of a brief that waits or was refused
    PRIMARY KEY (batch_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_items_by_production ON batch_items (production_id) WHERE production_id IS NOT NULL;
CREATE INDEX batch_items_stopped ON batch_items (production_id) WHERE stopped = 1;
CREATE INDEX batch_items_waiting ON batch_items (batch_id) WHERE brief IS NOT NULL AND stopped = 0;

CREATE TABLE templates (                     -- briefs with variables
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name       TEXT NOT NULL,
    brief      TEXT NOT NULL,                -- JSON, as the API has it
    variables  TEXT NOT NULL,                -- JSON list
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    removed_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX templates_by_account ON templates (account_id, created_at, id) WHERE removed_at IS NULL;
CREATE INDEX templates_by_time ON templates (created_at, id) WHERE removed_at IS NULL;

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
    troubled         INTEGER NOT NULL DEFAULT 0,  -- 1: its last attempt failed or was slow; new deliveries stand aside
    secret_version   INTEGER NOT NULL,       -- which master key its signing secret is derived from
    last_delivery_at INTEGER,
    last_ping_at     INTEGER,
    created_at       INTEGER NOT NULL,
    deleted_at       INTEGER,                -- logically deleted, never removed
    failing_since    INTEGER,                -- the first failed attempt since the last success; NULL: the last one succeeded
    secret_generation INTEGER NOT NULL DEFAULT 0,  -- how many signing secrets it had before the present one
    overlap_until    INTEGER,                -- until then an older signing secret signs besides; NULL: none does
    paused_at        INTEGER                 -- since when its deliveries wait; NULL: they are sent
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriptions_by_partner ON subscriptions (partner_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX subscriptions_failing ON subscriptions (failing_since, id)
    WHERE failing_since IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE rolled_secrets (                -- which signing secrets a subscription had before: what they are derived from
    subscription_id TEXT NOT NULL REFERENCES subscriptions (id),
    generation      INTEGER NOT NULL,        -- 0, 1, …
    secret_version  INTEGER NOT NULL,        -- which master key it is derived from
    rolled_at       INTEGER NOT NULL,        -- when the next one took its place
    ends_at         INTEGER NOT NULL,        -- until when it signs besides
    PRIMARY KEY (subscription_id, generation)
) STRICT, WITHOUT ROWID;

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
    lane            INTEGER NOT NULL DEFAULT 0,  -- one of svc.domain.lanes
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
CREATE INDEX deliveries_missed ON deliveries (subscription_id, status, created_at, id)
    WHERE status IN ('Failed', 'Parked', 'Skipped');
CREATE INDEX deliveries_by_subscription ON deliveries (subscription_id, created_at, id);
CREATE INDEX deliveries_by_production ON deliveries (production_id, sequence);
CREATE INDEX deliveries_by_type ON deliveries (subscription_id, event_type, created_at, id);

CREATE TABLE attempts (
    id           INTEGER PRIMARY KEY,
    delivery_id  TEXT NOT NULL REFERENCES deliveries (id),
    attempted_at INTEGER NOT NULL,
    status_code  INTEGER,
    error        TEXT,                       -- in words for the partner; NULL on success
    duration_ms  REAL,
    answer       TEXT,                       -- JSON {"headers", "body"}: the beginning of it; NULL: there was nothing to keep
    findings     TEXT,                       -- JSON, of a ping alone: what it learned of the endpoint
    possible_duplicate INTEGER NOT NULL DEFAULT 0, -- 1: it was sent marked so
    endpoint_url TEXT                        -- where it was sent, as the subscription's may change; NULL: before it was kept
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
CREATE INDEX plays_by_viewing ON plays (production_id, viewer, started_at);

CREATE TABLE play_days (                     -- plays of viewers who cannot come back, added up: svc.domain.watch.play_sums
    production_id   TEXT NOT NULL,
    platform        TEXT NOT NULL,
    day             TEXT NOT NULL,
    views           INTEGER NOT NULL,
    watched_seconds REAL NOT NULL,
    PRIMARY KEY (production_id, platform, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE play_viewers (                  -- and how many viewers they were
    production_id TEXT NOT NULL,
    platform      TEXT NOT NULL,             -- '': of any platform
    viewers       INTEGER NOT NULL,
    PRIMARY KEY (production_id, platform)
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (                        -- what the operator should know
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    name       TEXT NOT NULL,                -- 'WebhookDeliveryFailed', 'AuthenticationFailureBurst', …
    severity   TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    partner_id TEXT,
    subject_id TEXT,
    message    TEXT NOT NULL,
    notified_at INTEGER,                     -- sent to all addresses in SVC_ALERT_URLS
    seen_at    INTEGER,                      -- an operator has taken note
    closed_at  INTEGER,                      -- nothing is left to do about it
    told       TEXT                          -- fingerprints of the addresses that took it; NULL: none has yet
) STRICT;
CREATE INDEX alerts_by_age ON alerts (at);
CREATE INDEX alerts_to_notify ON alerts (id) WHERE notified_at IS NULL;
CREATE INDEX alerts_open ON alerts (id) WHERE closed_at IS NULL;

CREATE TABLE auth_failures (                 -- recent failures by address, for the burst alert
    address    TEXT NOT NULL,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX auth_failures_by_address ON auth_failures (address, at);

CREATE TABLE auth_bursts (                   -- addresses whose burst of failures has been alerted
    address    TEXT PRIMARY KEY,
    alerted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (                         -- people who sign in to the console
    id          TEXT PRIMARY KEY,
    email       TEXT NOT NULL UNIQUE,        -- in lower case; what they sign in with
    name        TEXT NOT NULL,
    role        TEXT NOT NULL CHECK (role IN ('operator', 'owner', 'member')),
    partner_id  TEXT REFERENCES partners (id),
    password    TEXT NOT NULL,               -- svc.domain.people.passwords: scrypt with its costs and salt
    created_at  INTEGER NOT NULL,
    disabled_at INTEGER,                     -- may not sign in any more
    CHECK ((role = 'operator') = (partner_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX users_by_partner ON users (partner_id, created_at, id);

CREATE TABLE sessions (                      -- of people who are signed in; ended ones are removed
    id         TEXT PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,         -- SHA-256 of the token in the cookie; the token itself is stored nowhere
    user_id    TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,             -- at most once a minute
    address    TEXT NOT NULL,
    browser    TEXT NOT NULL                 -- the User-Agent as it was sent, shortened
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id, seen_at);
CREATE INDEX sessions_by_age ON sessions (seen_at);

CREATE TABLE invitations (                   -- one-time links: they make a person, or give one a new password
    id         TEXT PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,         -- SHA-256 of the token in the link
    role       TEXT NOT NULL CHECK (role IN ('operator', 'owner', 'member')),
    partner_id TEXT REFERENCES partners (id),
    email      TEXT,                         -- for whom; NULL: whoever holds the link says
    user_id    TEXT REFERENCES users (id),   -- who gets a new password; NULL: somebody new is made
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER,
    creator    TEXT,                         -- who made the link; NULL: somebody at the command line
    CHECK ((role = 'operator') = (partner_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_partner ON invitations (partner_id, created_at);

CREATE TABLE second_factors (                -- of people who also give a code of their telephone (TOTP, RFC 6238)
    user_id      TEXT PRIMARY KEY REFERENCES users (id),
    nonce        BLOB NOT NULL,              -- with a master key it makes the secret, which is stored nowhere
    key_version  INTEGER NOT NULL,           -- which master key
    last_step    INTEGER NOT NULL DEFAULT 0, -- the 30 seconds whose code was used last: no code is taken twice
    created_at   INTEGER NOT NULL,
    confirmed_at INTEGER                     -- NULL: set up, and no code of it has been seen yet
) STRICT, WITHOUT ROWID;

CREATE TABLE recovery_codes (                -- each signs in once in place of a code of the telephone
    hash    BLOB PRIMARY KEY,                -- SHA-256 of the code, which has 80 random bits
    user_id TEXT NOT NULL REFERENCES users (id),
    used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

CREATE TABLE sent_forms (                    -- of the console: one that is sent twice is carried out once
    hash       BLOB PRIMARY KEY,             -- SHA-256 of user, page and what was sent
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    answer     TEXT                          -- JSON: where it led to; NULL: being carried out; empty: it broke off
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_forms_by_user ON sent_forms (user_id, created_at);
CREATE INDEX sent_forms_by_age ON sent_forms (created_at);

CREATE TABLE kept_forms (                    -- what the console keeps of a form: typed when a session had ended, or its answer
    hash       BLOB PRIMARY KEY,             -- SHA-256 of the token in the address where it is shown
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    sealed     BLOB NOT NULL,                -- svc.base.crypto.answer_encryption with the token: address and fields, no secrets; or a page
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_forms_by_user ON kept_forms (user_id, created_at);
CREATE INDEX kept_forms_by_age ON kept_forms (created_at);

CREATE TABLE saved_filters (                 -- of the lists of the console, by a name that a person gave them
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    list       TEXT NOT NULL,                -- of svc.console.saved_filters.LISTS
    name       TEXT NOT NULL,
    query      TEXT NOT NULL,                -- as in the list's address: filters and order
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, list, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE sign_in_tries (                 -- failed and undecided sign-ins by what they are counted by
    subject TEXT PRIMARY KEY,                -- 'address …', 'account …', 'device …', 'log …'
    since   INTEGER NOT NULL,                -- when the window of counting began
    tries   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_tries_by_age ON sign_in_tries (since);

CREATE TABLE audit (                         -- what people changed: every action of an operator, and of partners' people
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    actor_id   TEXT,                         -- a user; NULL: somebody at the command line
    actor      TEXT NOT NULL,                -- their name at the time
    action     TEXT NOT NULL,                -- 'partner.change', 'key.revoke', …
    partner_id TEXT,                         -- whose matter it was
    subject_id TEXT,
    subject    TEXT NOT NULL,                -- what was changed, by its name at the time
    before     TEXT,                         -- JSON object of what changed; never a secret
    after      TEXT,
    salt       BLOB,                         -- of content_hash; NULL once redacted. These six: svc.domain.audit.audit_chain
    content_hash BLOB,                       -- of actor, subject, before and after as they were written
    hash       BLOB,                         -- of the entry before, of content_hash and of what is never redacted
    seal       BLOB,                         -- HMAC of hash and of the content as it stands
    key_version INTEGER,                     -- which master key the seal is made with
    redacted_at INTEGER                      -- when its content was erased with its partner
) STRICT;
CREATE INDEX audit_by_action ON audit (action, id);
CREATE INDEX audit_by_actor ON audit (actor_id, id);
CREATE INDEX audit_by_partner ON audit (partner_id, id);
CREATE INDEX audit_by_subject ON audit (subject_id, id);
CREATE TABLE counters (                      -- what /metrics tells of: sums over all processes, since the database was made
    name   TEXT NOT NULL,
    labels TEXT NOT NULL,                    -- JSON list; of a histogram also the upper bound of the bucket
    value  REAL NOT NULL,
    PRIMARY KEY (name, labels)
) STRICT, WITHOUT ROWID;
CREATE TABLE master_keys (                   -- the keys of the file `secret`, which are themselves nowhere in the database
    version     INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,               -- HMAC-SHA-256 of a constant by the key, in hex
    added_at    INTEGER NOT NULL,
    retired_at  INTEGER,                     -- it signs and verifies nothing any more, and may be missing from the file
    waits_since INTEGER                      -- it only verifies until all processes have it; NULL: it may sign
) STRICT;

-- How much room each partner's files take.
CREATE TRIGGER deliverables_added AFTER INSERT ON deliverables BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM productions WHERE id = new.production_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER deliverables_removed AFTER DELETE ON deliverables BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM productions WHERE id = old.production_id);
END;
CREATE TRIGGER assets_added AFTER INSERT ON assets BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM customers WHERE id = new.customer_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER assets_removed AFTER DELETE ON assets BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM customers WHERE id = old.customer_id);
END;
CREATE TRIGGER brand_fonts_added AFTER INSERT ON brand_fonts BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM accounts WHERE id = new.account_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER brand_fonts_removed AFTER DELETE ON brand_fonts BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM accounts WHERE id = old.account_id);
END;
CREATE TRIGGER music_tracks_added AFTER INSERT ON music_tracks BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM accounts WHERE id = new.account_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER music_tracks_removed AFTER DELETE ON music_tracks BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM accounts WHERE id = old.account_id);
END;
CREATE TRIGGER intro_clips_added AFTER INSERT ON intro_clips BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM accounts WHERE id = new.account_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER intro_clips_removed AFTER DELETE ON intro_clips BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM accounts WHERE id = old.account_id);
END;
CREATE TRIGGER outro_clips_added AFTER INSERT ON outro_clips BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM accounts WHERE id = new.account_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER outro_clips_removed AFTER DELETE ON outro_clips BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM accounts WHERE id = old.account_id);
END;
