"""The settings of the service: environment variables ``SVC_…`` with defaults,
read once and validated at the start.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import idna

from svc.base import alert_schemes, setting_combinations
from svc.base.data_dir import DEFAULT_DATA_DIR
from svc.base.errors import CommandError, SettingsError
from svc.base.text import accent, languages, logo

LONGEST_DRAIN = 3600  # seconds
REQUESTS_SECONDS = 30  # for requests to end when a server is told to


@dataclass(frozen=True)
class Settings:
    """Field ``x_y`` is the variable ``SVC_X_Y``; names include the unit.

    What may be a secret, or be pasted in place of one, has ``repr=False``: no refusal repeats it,
    and ``config`` masks it.
    """

    data_dir: Path = DEFAULT_DATA_DIR
    base_url: str = "http://127.0.0.1:8080"
    render_workers: int = 1
    partner_render_workers: int = 0
    webhook_workers: int = 32
    webhook_allow_cidrs: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()
    production_ttl_hours: int = 72
    trusted_proxies: int = 0
    media_redirect: str = ""
    storage_url: str = ""
    database_url: str = field(default="", repr=False)  # may contain a password
    alert_urls: tuple[str, ...] = field(default=(), repr=False)  # they contain passwords
    # A secret: with the address of a dead man's switch, anybody can send the sign of life.
    alive_url: str = field(default="", repr=False)
    alive_minutes: int = 5
    queue_alert_minutes: int = 30
    log_format: str = "human"
    instance_name: str = "Partner Production"
    instance_accent: str = ""
    instance_logo: Path | None = None
    currency: str = "USD"
    history_days: int = 400
    refusal_days: int = 7
    delivery_days: int = 90
    media_days: int = 0
    production_days: int = 0
    sandbox_media_days: int = 30
    sandbox_production_days: int = 180
    partner_disk_megabytes: int = 100_000
    step_timeout_seconds: int = 1800
    drain_seconds: int = 0
    step_memory_megabytes: int = 4096
    backup_dir: Path | None = None
    backup_url: str = ""
    backup_recipients: tuple[str, ...] = field(default=(), repr=False)  # private keys look alike
    backup_ship_seconds: int = 0
    backup_every_hours: int = 0
    backup_keep: int = 7
    disk_floor_megabytes: int = 500
    metrics_token: str = field(default="", repr=False)
    cache_megabytes: int = 1000
    script_url: str = field(default="", repr=False)  # may contain a password
    script_model: str = ""
    script_key_file: str = field(default="", repr=False)  # not the key
    script_price_input: Decimal = Decimal(0)
    script_price_output: Decimal = Decimal(0)
    voice: str = "trained"
    speech_url: str = field(default="", repr=False)  # may contain a password
    speech_model: str = ""
    speech_voice: str = "alloy"
    speech_languages: tuple[str, ...] = ()
    speech_key_file: str = field(default="", repr=False)  # not the key
    speech_price: Decimal = Decimal(0)
    model_timeout_seconds: int = 120
    sound_effects: str = "on"
    engine: str = "on"
    security_contact: tuple[str, ...] = ()
    operator_totp: str = "optional"

    @property
    def base_path(self) -> str:
        """The path below which a proxy serves the application, which the proxy takes away;
        empty without one.
        """
        return urlsplit(self.base_url).path

    @property
    def database(self) -> Path:
        return self.data_dir / "service.db"

    @property
    def secret(self) -> Path:
        return self.data_dir / "secret"

    @property
    def media_dir(self) -> Path:
        return self.data_dir / "media"

    @property
    def backups(self) -> Path:
        return self.backup_dir or self.data_dir / "backups"

    @property
    def backup_place(self) -> str:
        """The location of the backup repository: a directory, or the address of a bucket."""
        return self.backup_url or str(self.backups)

    @property
    def cache_dir(self) -> Path:
        return self.data_dir / "cache"

    @property
    def voices_dir(self) -> Path:
        return self.data_dir / "voices"

    @property
    def has_other_voices(self) -> bool:
        """Whether voices speak whose names are not in svc.base.voices:
        those of a speech endpoint or of Piper.
        """
        return bool(self.speech_url) or any(self.voices_dir.glob("*.onnx"))

    @property
    def fonts_dir(self) -> Path:
        return self.data_dir / "fonts"

    @property
    def assets_dir(self) -> Path:
        return self.data_dir / "assets"

    @property
    def work_dir(self) -> Path:
        return self.data_dir / "work"


def _make_number_reader(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,19}", text) or not low <= int(text) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)

    return read


def _make_choice_reader(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(" or ".join(allowed))
        return text

    return read


def _make_pattern_reader(pattern: str, expectation: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(expectation)
        return text

    return read


def _read_own_address(text: str) -> str:
    """Return an address in the form that links begin with: without a default port,
    and without a slash at its end.
    """
    parts = _OWN_ADDRESS.fullmatch(text)
    try:
        host = parts["host"].lower() if parts else ""
        host = host if host.isascii() else idna.encode(host, uts46=True).decode()
        port = urlsplit(text).port
        literal = host.startswith("[") and ipaddress.IPv6Address(host[1:-1])
        if not literal and not _HOST.fullmatch(host):
            parts = None
        elif re.fullmatch(r"[0-9.]+", host):
            ipaddress.IPv4Address(host)
    except ValueError:
        parts = None
    if parts is None or port == 0 or any(each in (".", "..") for each in parts["path"].split("/")):
        raise ValueError(
            "an address such as https://media.example.com or https://example.com/media, without "
            "user, ? and #"
        )
    scheme, host = parts["scheme"].lower(), f"[{literal}]" if literal else host
    port_suffix = "" if port in (None, {"http": 80, "https": 443}[scheme]) else f":{port}"
    return f"{scheme}://{host}{port_suffix}{parts['path'].rstrip('/')}"


_OWN_ADDRESS = re.compile(
    (
        r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[^\x00-\x1f\x7f\s/?#@:\[\]%\\<>\"']+)(?::[0-9]{1,"
        r"5})?(?P<path>(?:/[A-Za-z0-9._~-]+)*/*)"
    ),
    re.IGNORECASE,
)
# A host's name as DNS has it, also with the underscore that some networks of containers use.
_HOST = re.compile(
    r"(?!.{254})[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?"
)


def _read_model_address(text: str) -> str:
    if not is_address(text) or urlsplit(text).query or urlsplit(text).fragment:
        raise ValueError("an address such as https://media.example.com")
    return text.rstrip("/")


def _read_address(text: str) -> str:
    if not is_address(text):
        raise ValueError("an address such as https://alive.example.com/0f1e2d3c")
    return text


def is_address(text: str) -> bool:
    """Return whether a request can be sent to an address."""
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:  # of brackets, and of a port
        return False
    is_one_word = text.isprintable() and " " not in text and not _SECOND_ADDRESS.search(text)
    return parts.scheme in ("http", "https") and has_host and is_one_word


# The beginning of a second address: the list has another separator than it takes, or one address is
# expected.
_SECOND_ADDRESS = re.compile(r"[\s,;]+\w+://")


def _read_price(text: str) -> Decimal:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text, re.ASCII):
        raise ValueError("an amount of the operator's currency such as 2.50")
    return Decimal(text)


def _read_cidrs(text: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise ValueError("address ranges such as 127.0.0.0/8,::1/128") from error


def _read_contacts(text: str) -> tuple[str, ...]:
    contacts = _read_list(text)
    if not contacts or not all(
        map(
            re.compile(r"mailto:[^\s@]+@[^\s@]+|https://[^\s/]+\S*|tel:\+[0-9-]+").fullmatch,
            contacts,
        )
    ):
        raise ValueError(
            "addresses such as mailto:security@example.com, or https://example.com/security, "
            "comma between"
        )
    return contacts


# The prefix of names in a bucket, without "." and "..", which some stores and libraries take for
# steps of a path.
_PREFIX = r"(/(?!\.\.?(/|$))[\w.~-]+)*/?"


def _read_bucket(text: str) -> str:
    pattern = rf"(?a:s3://[a-z0-9][a-z0-9.-]{{1,61}}[a-z0-9]{_PREFIX})"
    return _make_pattern_reader(pattern, "an address such as s3://bucket/prefix")(text).rstrip("/")


# The address is read strictly, because psycopg repeats parts of what it cannot read, such as of a
# password.
def _read_database(text: str) -> str:
    user, host = r"([^\s/@:]+(:[^\s/@:]*)?@)?", r"(\[[\w:.]+\]|[\w.-]*)(:[0-9]{0,5})?"
    parts = re.fullmatch(
        rf"postgres(ql)?://{user}(?P<hosts>{host}(,{host})*)/[^\s/@?]+(\?\S*)?", text
    )
    ports = re.findall(":([0-9]+)(?:,|$)", parts["hosts"]) if parts else []
    if (
        not parts
        or not all(0 < int(port) < 65536 for port in ports)
        or re.search("%(?![0-9A-Fa-f]{2})", text)
    ):
        raise ValueError(
            "an address such as postgresql://user:password@db.example.com/service, or empty "
            "for SQLite"
        )
    return text


def _read_storage(text: str) -> str:
    if not re.fullmatch(
        rf"(s3|az|gs)://[a-z0-9][a-z0-9._-]{{1,61}}[a-z0-9]{_PREFIX}", text, re.ASCII
    ):
        raise ValueError(
            "an address such as s3://bucket/prefix, az://container/prefix or gs://bucket/prefix"
        )
    return text.rstrip("/")


def _read_recipients(text: str) -> tuple[str, ...]:
    from svc.base.crypto import age_encryption

    keys = _read_list(text)
    for number, key in enumerate(keys, 1):
        try:
            age_encryption.parse_recipient(key)
        except CommandError as error:
            raise ValueError(
                "public keys such as `age-keygen` prints: age1…, comma between; "
                f"number {number} is none"
            ) from error
    return keys


def _read_alert_urls(text: str) -> tuple[str, ...]:
    urls = _read_list(text)
    for number, url in enumerate(urls, 1):
        scheme, _, remainder = url.partition("://")
        is_known = scheme.lower() in alert_schemes.ALERT_SCHEMES
        if not remainder or not is_known or _SECOND_ADDRESS.search(remainder):
            scheme_list = (
                f"{scheme[:20]!r} of number {number} is none"
                if remainder and not is_known
                else f"number {number} is none"
            )
            raise ValueError(
                "addresses of Apprise such as mailtos://user:password@example.com, comma between "
                "(a comma within one is %2C), whose schemes "
                f"https://github.com/caronc/apprise/wiki lists; {scheme_list}"
            )
    return urls


def _read_text(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("a text in one line")
    return text


def _read_currency(text: str) -> str:
    from babel.core import get_global

    if text not in get_global("all_currencies"):
        raise ValueError("three capital letters of ISO 4217, such as EUR")
    return text


def _read_path(text: str) -> Path:
    if re.search("[\x00-\x1f\x7f]", text) or re.match(r"\s*$|[~$]", text):
        raise ValueError("a path such as /var/lib/partner-production; no shell reads it")
    return Path(text)


def _read_file(text: str) -> str:
    path = Path(text).absolute()  # the processes of steps have another working directory
    if not os.path.isfile(path):  # noqa: PTH113 # as below
        raise ValueError("the path of a file that is there")
    return str(path)


def _read_folder(text: str) -> Path:
    if not os.path.isdir(text):  # noqa: PTH112 # Path.is_dir raises where it may not look
        raise ValueError("a directory that is there: make it, or mount its disk")
    return Path(text)


def _read_list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


_READERS: dict[str, Callable[[str], Any]] = {
    "data_dir": _read_path,
    "base_url": _read_own_address,
    "render_workers": _make_number_reader(0, 64),
    "partner_render_workers": _make_number_reader(0, 64),
    "webhook_workers": _make_number_reader(1, 256),
    "webhook_allow_cidrs": _read_cidrs,
    "production_ttl_hours": _make_number_reader(1, 8760),
    "trusted_proxies": _make_number_reader(0, 10),
    "media_redirect": _make_pattern_reader(r"/([A-Za-z0-9_-]+/)+", "a path such as /_media/"),
    "storage_url": _read_storage,
    "database_url": _read_database,
    "alert_urls": _read_alert_urls,
    "alive_url": _read_address,
    "alive_minutes": _make_number_reader(1, 1440),
    "queue_alert_minutes": _make_number_reader(1, 10_080),
    "log_format": _make_choice_reader("human", "json"),
    "instance_name": _make_pattern_reader(
        # At least one character is seen. The last range outside is that of bytes that are no UTF-8.
        r"(?=.*[^\s\u200c\u200d\ufe0f])[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,40}",
        "1 to 40 characters in one line",
    ),
    "instance_accent": accent.parse_accent,
    "instance_logo": logo.parse_path,
    "currency": _read_currency,
    "history_days": _make_number_reader(30, 3650),
    "refusal_days": _make_number_reader(0, 400),
    "delivery_days": _make_number_reader(30, 3650),
    "media_days": _make_number_reader(0, 3650),
    "production_days": _make_number_reader(0, 3650),
    "sandbox_media_days": _make_number_reader(0, 3650),
    "sandbox_production_days": _make_number_reader(0, 3650),
    "partner_disk_megabytes": _make_number_reader(0, 100_000_000),
    "step_timeout_seconds": _make_number_reader(10, 86400),
    "drain_seconds": _make_number_reader(0, LONGEST_DRAIN),
    "step_memory_megabytes": _make_number_reader(512, 1_000_000),
    "backup_dir": _read_folder,
    "backup_url": _read_bucket,
    "backup_recipients": _read_recipients,
    "backup_ship_seconds": _make_number_reader(0, 3600),
    "backup_every_hours": _make_number_reader(0, 8760),
    "backup_keep": _make_number_reader(1, 10_000),
    "disk_floor_megabytes": _make_number_reader(0, 1_000_000),
    "metrics_token": _make_pattern_reader(
        r"[!-~]{16,}", "at least 16 letters, digits and signs; `openssl rand -hex 24` makes one"
    ),
    "cache_megabytes": _make_number_reader(0, 1_000_000),
    "script_url": _read_model_address,
    "script_model": _read_text,
    "script_key_file": _read_file,
    "script_price_input": _read_price,
    "script_price_output": _read_price,
    "voice": _make_choice_reader("trained", "espeak-ng"),
    "speech_url": _read_model_address,
    "speech_model": _read_text,
    "speech_voice": _read_text,
    "speech_languages": languages.parse_codes,
    "speech_key_file": _read_file,
    "speech_price": _read_price,
    "model_timeout_seconds": _make_number_reader(1, 3600),
    "sound_effects": _make_choice_reader("on", "off"),
    "engine": _make_choice_reader("on", "off"),
    "security_contact": _read_contacts,
    "operator_totp": _make_choice_reader("optional", "required"),
}


def name_variable(name: str) -> str:
    """Return the environment variable of a field."""
    return "SVC_" + name.upper()


def read_drain_seconds() -> int:
    """Return SVC_DRAIN_SECONDS alone, for code that runs before the settings are read.

    The default stands in for a value that makes no sense, which :func:`read` refuses.
    """
    try:
        drain: int = _READERS["drain_seconds"](os.environ.get(name_variable("drain_seconds"), ""))
    except ValueError:
        return Settings.drain_seconds
    return drain


def read_database_url() -> str:
    """Return SVC_DATABASE_URL alone, also where other settings are wrong; empty: there is none, or
    it makes no sense.
    """
    text = os.environ.get(name_variable("database_url"), "")
    try:
        address: str = _READERS["database_url"](text) if text else ""
    except ValueError:
        return ""
    return address


def _refuse_wrapping(name: str, text: str) -> None:
    """Refuse the signs that a file of variables may leave around a value: quotation marks (``docker
    --env-file``), blanks, carriage returns of Windows.

    Lists may have blanks and line ends, as YAML folds them.
    """
    stripped = text.strip()
    is_quoted = len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "\"'"
    is_list = isinstance(getattr(Settings, name, None), tuple)
    if is_quoted or (stripped and stripped != text and not is_list):
        raise ValueError("the same without quotation marks, blanks and line ends around it")


# What copying from a page or a chat leaves within a text: soft hyphens, spaces without a width,
# separators of lines, and marks that turn the direction of what follows. Joiners belong to names.
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def _refuse_unseen(text: str) -> None:
    """Refuse signs that cannot be seen: with one, a path is another directory, in which a service
    would begin anew.
    """
    if sign := _UNSEEN.search(text):
        place = f"U+{ord(sign[0]):04X} after {sign.start()} others"
        raise ValueError(f"the same without signs that cannot be seen, such as {place}")


def read(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Read the settings.

    ``overrides`` take precedence over the environment. SettingsError: names each invalid variable.
    """
    environment = os.environ if environment is None else environment
    values = dict(overrides)
    errors = []
    for setting in fields(Settings):
        text = environment.get(name_variable(setting.name), "")
        if setting.name in overrides or not text:
            continue
        try:
            _refuse_wrapping(setting.name, text)
            _refuse_unseen(text)
            values[setting.name] = _READERS[setting.name](text)
        except ValueError as error:
            # an address with a user may have a password, and "@" stands in few others
            is_shown = setting.repr and not re.search("://.*@", text, re.DOTALL)
            errors.append(
                f"{name_variable(setting.name)} is {repr(text) if is_shown else 'wrong'}; it "
                f"should be {error}"
            )
    variables = {name_variable(setting.name) for setting in fields(Settings)}
    errors += [
        f"{name} is not a setting; "
        + (
            f"{name.upper()} is"
            if name.upper() in variables
            else "docs/operations.md lists those that are"
        )
        for name in environment
        if name.upper().startswith("SVC_") and name not in variables
    ]
    errors += setting_combinations.find_problems(values)
    if errors:
        raise SettingsError("\n".join(errors))
    values["data_dir"] = Path(values.get("data_dir", Settings.data_dir)).absolute()
    if values.get("backup_dir"):
        values["backup_dir"] = values["backup_dir"].absolute()
    return Settings(**values)
