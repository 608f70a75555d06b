"""Types of rows about partners: customers, accounts, avatars, pictures and sensitivity rules."""

from typing import TypedDict


class Account(TypedDict):
    """A row of ``accounts``."""

    id: str
    partner_id: str
    customer_id: str
    name: str
    status: str
    environment: str
    creator: str | None
    default_project_type: str
    auto_release: int
    monthly_ceiling: int | None
    concurrency_ceiling: int | None
    accent: str
    created_at: int
    second_colour: str
    theme: str
    caption_style: str
    logo: str | None
    full_text: int
    script_review: int
    music: str
    logo_style: str
    lower_third: int


class AccountWithCeilings(Account):
    """An account with the ceilings of its customer, beside its own; None: there is none."""

    customer_monthly_ceiling: int | None
    customer_concurrency_ceiling: int | None


class BriefedAccount(AccountWithCeilings):
    """An account joined with what a brief refers to: ceilings, tier,
    project type and avatar (None: not given in the brief).
    """

    tier: str
    partner_status: str
    project_type: str
    title_template: str
    price: int
    avatar_id: str | None
    avatar_languages: str | None
    avatar_appearance: str | None


class Partner(TypedDict):
    """A row of ``partners``."""

    id: str
    name: str
    status: str
    tier: str
    key_rotation: int
    self_lifecycle: int
    created_at: int
    portal_origins: str


class PartnerRecord(Partner):
    """A partner with its id under the name that customers and accounts have for it."""

    partner_id: str


class ListedPartner(Partner):
    """A partner with the numbers of its accounts and users."""

    accounts: int
    people: int


class Customer(TypedDict):
    """A row of ``customers``."""

    id: str
    partner_id: str
    name: str
    monthly_ceiling: int | None
    concurrency_ceiling: int | None
    created_at: int


class ListedCustomer(Customer):
    """A customer with the name of its partner and the number of its accounts."""

    partner_name: str
    accounts: int


class ListedAccount(Account):
    """An account with the names of its partner and customer."""

    partner_name: str
    customer_name: str


class ProjectType(TypedDict):
    """A row of ``project_types``."""

    account_id: str
    slug: str
    name: str
    title_template: str
    price: int
    look: str


class ConnectedPlatform(TypedDict):
    """A row of ``connected_platforms``."""

    account_id: str
    platform: str
    status: str
    connected_at: int
    connection_id: str | None


class ConnectionRow(TypedDict):
    """A row of ``connections``."""

    id: str
    account_id: str
    name: str
    connector: str
    shape: str
    title_template: str
    text_template: str
    settings: str
    sealed: bytes | None
    created_at: int
    renewed_at: int | None
    tried_at: int | None
    problem: str | None
    removed_at: int | None


class Avatar(TypedDict):
    """A row of ``avatars``."""

    id: str
    customer_id: str
    name: str
    language_ids: str | None
    appearance: str
    created_at: int
    portrait: str | None
    moving: int


class ListedAvatar(Avatar):
    """An avatar with the names of its customer and partner."""

    customer_name: str
    partner_id: str
    partner_name: str


class Asset(TypedDict):
    """A row of ``assets``."""

    id: str
    customer_id: str
    account_id: str | None
    name: str
    media_type: str
    file: str
    size_bytes: int
    sha256: str
    created_at: int


class BrandFile(TypedDict):
    """A row of ``brand_fonts``, ``music_tracks``, ``intro_clips`` or ``outro_clips``."""

    account_id: str
    licence: str
    file: str
    size_bytes: int
    sha256: str
    created_at: int


class Rule(TypedDict):
    """The columns of a sensitivity rule on which its matching depends."""

    id: str
    phrase: str
    is_pattern: int


class SensitivityRule(Rule):
    """A row of ``sensitivity_rules``."""

    scope: str
    scope_id: str | None
    created_at: int


class NamedRule(SensitivityRule):
    """A sensitivity rule with the name of its account or customer."""

    scope_name: str | None
