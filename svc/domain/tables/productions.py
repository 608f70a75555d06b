"""Types of rows about productions: steps, deliverables and publications."""

from typing import TypedDict

from svc.store.models.productions import ShownProduction


class ProductionState(TypedDict):
    """The id and status of a production."""

    id: str
    status: str


class ProductionNames(TypedDict):
    """The language and country of a production."""

    language_id: str
    country_id: str


class AddressedProduction(ProductionState):
    """The columns that decide whether a key may address a production,
    and whether it changed since the last poll.
    """

    partner_id: str
    account_id: str
    api_triggered: int
    created_at: int
    updated_at: int
    environment: str
    creator: str | None


class EventSource(TypedDict):
    """The columns of a production that its events carry."""

    id: str
    partner_id: str
    account_id: str
    correlation_id: str
    external_id: str | None


class StoredScript(TypedDict):
    """A row of ``scripts``."""

    production_id: str
    version: int
    scenes: str
    written: str | None
    created_at: int
    last_scene: int


class StoredTranslation(TypedDict):
    """A row of ``translations``."""

    production_id: str
    source_language_id: str
    source: str
    target: str | None
    created_at: int
    done_at: int | None
    draft: str | None
    draft_version: int


class Production(ShownProduction):
    """A row of ``productions``: what the API shows, and what only the service needs."""

    customer_id: str
    auto_release: int
    scenario: str | None
    held_in: str | None
    last_sequence: int
    rendered_seconds: float
    released_at: int | None
    finished_at: int | None
    cancel_token: str | None
    claim_token: str | None
    claim_boot: str | None
    claim_until: int | None
    promised_at: int | None
    retry_of: str | None
    lane: int
    not_before: int | None
    cancel_correlation_id: str | None


class Deliverable(TypedDict):
    """A row of ``deliverables``."""

    id: str
    production_id: str
    position: int
    type: str
    platform: str | None
    format: str
    file: str
    size_bytes: int
    sha256: str
    duration_seconds: float | None
    language: str
    created_at: int
    voice: str | None


class EnteredProduction(ShownProduction):
    """A production that has just been triggered, with the columns of its view and
    its first event.
    """

    last_sequence: int
    not_before: int | None


class VersionedProduction(TypedDict):
    """The place of a production in a list, and when it last changed."""

    id: str
    created_at: int
    updated_at: int


class ListedProduction(ShownProduction):
    """A production with its ``platforms``, in JSON as the API shows them."""

    platforms: str


class BriefedProduction(Production):
    """A production with the columns of its account's brand,
    avatar and project type that the media need.
    """

    video_look: str | None  # of its brief or its project type; None: the project type was removed
    video_theme: str  # of its brief or its account

    account_name: str
    accent: str
    second_colour: str
    caption_style: str
    full_text: int
    music: str
    logo: str | None
    logo_style: str
    lower_third: int
    font: str | None  # its file; None: the account has none
    track: str | None  # its file; None: the account has none
    track_licence: str | None
    intro: str | None
    intro_licence: str | None
    outro: str | None
    outro_licence: str | None
    avatar_name: str
    appearance: str
    portrait: str | None
    moving: int


class Retry(ProductionState):
    """A production that retries another one."""

    review: str | None
    translation: str | None
    cancel_token: str | None
    released_at: int | None
    created_at: int


class FailedProduction(TypedDict):
    """A failed production with the names of its account and partner."""

    id: str
    title: str
    finished_at: int
    error_code: str | None
    error_message: str | None
    account_name: str
    partner_name: str


class ListedStep(TypedDict):
    """A step of a production, which may not have begun."""

    position: int
    name: str
    label: str
    status: str
    attempts: int
    started_at: int | None
    completed_at: int | None


class Step(ListedStep):
    """A row of ``production_steps``."""

    production_id: str
    files: str | None
    losses: int


class QueuedProduction(TypedDict):
    """The columns of a production that tell whether it waits for its turn in the queue."""

    partner_id: str
    status: str
    review: str | None
    translation: str | None
    cancel_token: str | None
    claim_token: str | None
    held_in: str | None


class QueuePause(TypedDict):
    """A pause of a partner's queue; without partner and name, of the whole queue."""

    partner_id: str | None
    name: str | None
    paused_at: int


class QueueShare(TypedDict):
    """A partner with open productions or a paused queue, and its share of the render workers."""

    partner_id: str
    name: str
    tier: str
    weight: int
    paused_at: int | None
    waiting: int
    running: int


class Publication(TypedDict):
    """A row of ``publications``."""

    production_id: str
    platform: str
    account_id: str
    status: str
    platform_post_id: str | None
    attempts: int
    error: str | None
    next_attempt_at: int | None
    published_at: int | None
    claim_token: str | None
    claim_boot: str | None
    claim_until: int | None
    description: str | None
    connection_id: str | None
    idempotency_key: str | None
    session: bytes | None
    sent_bytes: int | None
    post_url: str | None
    details: str | None
    figures: str | None
    figures_at: int | None
    figures_due: int | None
    total_bytes: int | None
    publish_at: int | None


class PublishableVideo(Deliverable):
    """A video with what its post says."""

    title: str
    account_id: str
    account_name: str
    description: str | None


class PostFile(TypedDict):
    """The columns of a deliverable that its watch page needs."""

    type: str
    format: str
    file: str
    size_bytes: int
    sha256: str
    duration_seconds: float | None
    language: str


class Worker(TypedDict):
    """A row of ``workers``."""

    id: str
    role: str
    hostname: str
    pid: int
    version: str
    steps: int
    can_run: str
    started_at: int
    seen_at: int
    sick: str | None
    master_keys: str | None
    signs_with: int | None


class ShownWorker(Worker):
    """A process that runs steps, with their present number,
    and whether it has given no sign of life for long.
    """

    running: int
    is_silent: bool
    # The titles of the voice models that it lacks, and the codes of the languages that others
    # speak.
    lacks: list[str]
    able: list[str]  # the names of the steps that it may run, in their order
    is_limited: bool  # there are others
