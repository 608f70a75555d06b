"""Settings: documented, and refused with a sentence when they make no sense."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pyrage
import pytest
from support.tables import each_of

from svc.base import alert_schemes, settings
from svc.base.errors import SettingsError
from svc.base.settings import Settings
from svc.cli.installation import config
from tests.support.documents import read, require_names

TABLES = read("docs/operations.md")
ROWS = dict(
    re.findall(
        r"^\| `(SVC_\w+)` \| (?:`([^`]*)`|empty) \| [^|]+ \| [^|]+ \|$", TABLES, re.MULTILINE
    )
)
BAD = {
    "SVC_BASE_URL": [
        "media.example.com",
        "ftp://media.example.com",
        "https://",
        "https://a.example/?x=1",
        "https://a.example/#x",
        "https://a.example/?",
        "https://a.example/#",
        "https://a.example:99999",
        "https://a.example:0",
        "https://a.example/a b",
        "https://a.example/a//b",
        "https://a.example/../b",
        "https://a.example/a%20b",
        "https://[fe80::1%eth0]",
        "https://[::g]",
        "http://::1:8080",
        " https://a.example",
        "https://a.example\n",
        "http://a\x01b",
        "https://a.example,",
        "https://-a.example",
        "https://a..example",
        f"https://{'a' * 64}.example",
        "https://300.0.0.1",
    ],
    "SVC_RENDER_WORKERS": ["0", "65", "-1", "1.5", "two", "１", " 1", "−1", "1\r", "9" * 5000],
    "SVC_WEBHOOK_WORKERS": ["0", "257", "many"],
    "SVC_WEBHOOK_ALLOW_CIDRS": ["localhost", "127.0.0.1/8", "10.0.0.0/33", "127.0.0.0/8;::1/128"],
    "SVC_PRODUCTION_TTL_HOURS": ["0", "8761", "72h"],
    "SVC_TRUSTED_PROXIES": ["-1", "11", "yes"],
    "SVC_MEDIA_REDIRECT": ["_media", "/media", "/", "//", "/../", "/a b/", "/_media/\n"],
    "SVC_LOG_FORMAT": ["xml", "JSON"],
    "SVC_INSTANCE_NAME": [" ", "x" * 41, "two\nlines", "no UTF-8: \udcff", "\u200d"],
    "SVC_BACKUP_DIR": ["/nowhere", "/etc/hostname", "x" * 5000],
    "SVC_INSTANCE_LOGO": ["/nowhere/logo.png", "/", "/etc/hostname", "\0"],
    "SVC_DATA_DIR": [
        "/srv/service\r",
        "/srv/service ",
        '"/srv/service"',
        " ",
        "~/service",
        "$HOME/s",
    ],
    "SVC_CURRENCY": ["usd", "$", "EURO", "US", "EUO"],
    "SVC_INSTANCE_ACCENT": [
        "blue",
        "#24b",
        "#2456b8 ",
        "#ffcc00",
        "#ffffff",
        "#7f7f7f",
        "#2456b8;}",
    ],
    "SVC_HISTORY_DAYS": ["29", "3651"],
    "SVC_DELIVERY_DAYS": ["29", "3651"],
    "SVC_REFUSAL_DAYS": ["-1", "401", "week"],
    "SVC_MEDIA_DAYS": ["-1", "3651"],
    "SVC_PRODUCTION_DAYS": ["-1", "3651"],
    "SVC_STEP_TIMEOUT_SECONDS": ["9", "86401"],
    "SVC_DRAIN_SECONDS": ["-1", "3601", "1.5", "5m", "forever"],
    "SVC_BACKUP_URL": [
        "bucket",
        "s3://",
        "https://s3.example.com/bucket",
        "s3://b?x=1",
        "s3://bu/../x",
    ],
    "SVC_STORAGE_URL": [
        "bucket",
        "s3://",
        "file:///srv",
        "https://s3.example.com/b",
        "s3://b?x=1",
        "s3://bucket/./x",
    ],
    "SVC_BACKUP_SHIP_SECONDS": ["-1", "3601", "1.5"],
    "SVC_BACKUP_EVERY_HOURS": ["-1", "8761", "daily"],
    "SVC_BACKUP_KEEP": ["0", "all"],
    "SVC_DISK_FLOOR_MEGABYTES": ["-1", "half"],
    "SVC_CACHE_MEGABYTES": ["-1", "1GB", "1000001"],
    "SVC_SCRIPT_MODEL": [" ", "gpt\r", "'gpt'"],
    "SVC_SCRIPT_PRICE_INPUT": ["-1", "1,5", "1e3", "NaN", "free", "0.1234567"],
    "SVC_SPEECH_LANGUAGES": ["en", "ja zh", "Japanese", ",", "ja,xx", "JA"],
    "SVC_MODEL_TIMEOUT_SECONDS": ["0", "3601"],
    "SVC_SOUND_EFFECTS": ["yes", "none"],
    "SVC_ENGINE": ["yes", "0"],
    "SVC_SECURITY_CONTACT": [
        "security@example.com",
        "http://example.com",
        "mailto:",
        "tel:112",
        "mailto:a@b.example\nX:",
        ",",
    ],
    "SVC_OPERATOR_TOTP": ["on", "yes"],
}
BAD_SECRETS = {
    "SVC_ALIVE_URL": [
        "alive.example.com/s3cret",
        "http://[",
        "https://a.example:x/s3cret",
        "https://a.example/s3cret,https://b.example/s3cret",
    ],
    "SVC_METRICS_TOKEN": ["s3cret", "s3cret with a space in it", "ümlaute-are-no-ascii"],
    "SVC_BASE_URL": ["https://ada:s3cret@a.example"],
    "SVC_STORAGE_URL": ["s3://key:s3cret@bucket/x"],
    "SVC_BACKUP_URL": ["s3://key:s3/s3cret@bucket/x"],
    "SVC_BACKUP_RECIPIENTS": [
        "AGE-SECRET-KEY-1S3CRET",
        "age1",
        "me@example.com",
        f"age1{'q' * 58}",
        "ssh-ed25519 AAAA",
    ],
    "SVC_DATABASE_URL": [
        "mysql://service:s3cret@db/service",
        "postgresql://service:s3cret@db:99999/service",
        "postgresql://service:s3cret@db:x/service",
    ],
    "SVC_SCRIPT_URL": [
        "api.example.com/v1",
        "ftp://api.example.com",
        "file:///etc/passwd",
        "http://[",
        "http://[::1",
        "http://a.example:99999",
        "http://a.example:x",
        "http://a.example:0",
        "http://a b",
        "http://a.example/\nv1",
        "https://a.example/?key=s3cret",
    ],
    "SVC_SPEECH_URL": ["http://[", "http://a.example:99999", "https://a.example/#x"],
    "SVC_SCRIPT_KEY_FILE": ["/nowhere/key", "sk-s3cret", "/", "x" * 5000],
    "SVC_SPEECH_KEY_FILE": ["/nowhere/key", "/"],
}


def test_the_tables_name_every_setting_and_no_other():
    variables = [settings.name_variable(each.name) for each in fields(Settings)]
    require_names("docs/operations.md, the tables of settings", ROWS, variables)


def test_every_setting_has_a_reader_of_its_value():
    require_names(
        "_READERS in svc/base/settings.py",
        settings._READERS,
        [each.name for each in fields(Settings)],
    )


@each_of("variable", sorted(ROWS))
def test_the_tables_give_the_default(variable):
    assert settings.read({variable: ROWS[variable]}) == settings.read({})


@each_of(
    ("variable", "value"),
    [(variable, value) for variable, values in BAD.items() for value in values],
)
def test_a_value_that_makes_no_sense_is_refused_with_a_sentence(variable, value):
    with pytest.raises(SettingsError) as refused:
        settings.read({variable: value})
    assert f"{variable} is {value!r}; it should be " in str(refused.value)


@each_of(
    ("variable", "value"),
    [(variable, value) for variable, values in BAD_SECRETS.items() for value in values],
)
def test_what_may_be_a_secret_is_refused_and_not_repeated(variable, value):
    with pytest.raises(SettingsError) as refused:
        settings.read({variable: value})
    assert str(refused.value).startswith(f"{variable} is wrong; it should be ")
    assert repr(value) not in str(refused.value)
    assert "s3cret" not in str(refused.value).lower()


def test_config_shows_whole_or_in_part_only_what_is_named_there():
    hidden = {each.name for each in fields(Settings) if not each.repr}
    assert hidden > config._SHOWN | config._SHOWN_IN_PART
    assert {"metrics_token", "alive_url"} <= hidden - config._SHOWN - config._SHOWN_IN_PART


@pytest.mark.parametrize("value", ['"0123456789abcdef"', "0123456789abcdef\r", " 0123456789abcdef"])
def test_what_a_file_of_variables_has_around_a_value_is_said(value):
    with pytest.raises(SettingsError, match="the same without quotation marks, blanks and line"):
        settings.read({"SVC_METRICS_TOKEN": value})


@each_of(
    ("variable", "value"),
    [
        ("SVC_INSTANCE_NAME", "Kestrel\u200bFilms"),
        ("SVC_INSTANCE_NAME", "\u202eslmif"),
        ("SVC_DATA_DIR", "/var/lib/service\u200b"),
        ("SVC_BASE_URL", "https://media\u00ad.example.com"),
        ("SVC_DATABASE_URL", "postgresql://service@db/service\u2060"),
        ("SVC_ALERT_URLS", "json://hooks.example.com/a\ufeff"),
        ("SVC_SECURITY_CONTACT", "mailto:\u200ea@b.example"),
    ],
)
def test_a_sign_that_cannot_be_seen_is_named_and_refused(variable, value):
    with pytest.raises(SettingsError, match=r"cannot be seen, such as U\+[0-9A-F]{4} after \d+ "):
        settings.read({variable: value})


def test_joiners_belong_to_names():
    for name in ("👩\u200d💻 Films", "می\u200cخواهم"):
        assert settings.read({"SVC_INSTANCE_NAME": name}).instance_name == name


def test_which_public_key_for_backups_is_wrong_is_said_at_the_start():
    good = str(pyrage.x25519.Identity.generate().to_public())
    assert settings.read({"SVC_BACKUP_RECIPIENTS": f"{good},"}).backup_recipients == (good,)
    # one letter is wrong, which the key's checksum tells
    with pytest.raises(SettingsError, match=r"`age-keygen` prints.*; number 2 is none"):
        settings.read(
            {"SVC_BACKUP_RECIPIENTS": f"{good},{good[:-1]}{'q' if good[-1] != 'q' else 'p'}"}
        )


@each_of("name", ["script_key_file", "speech_key_file"])
def test_a_key_file_is_found_from_every_working_directory(name, tmp_path, monkeypatch):
    (tmp_path / "key").write_text("k")
    monkeypatch.chdir(tmp_path)
    read = settings.read({settings.name_variable(name): "key"})
    assert getattr(read, name) == str(tmp_path / "key")


def test_every_bad_value_is_named_at_once():
    with pytest.raises(SettingsError) as refused:
        settings.read({"SVC_ENGINE": "maybe", "SVC_HISTORY_DAYS": "1"})
    assert str(refused.value).count("it should be") == 2


def test_a_setting_that_does_not_exist_is_refused():
    with pytest.raises(SettingsError, match="SVC_DATADIR is not a setting"):
        settings.read({"SVC_DATADIR": "/tmp/somewhere"})


def test_the_environment_is_read():
    read = settings.read(
        {
            "SVC_DATA_DIR": "/srv/service",
            "SVC_BASE_URL": "https://a.example/",
            "SVC_RENDER_WORKERS": "2",
        }
    )
    assert (read.data_dir, read.base_url, read.render_workers) == (
        Path("/srv/service"),
        "https://a.example",
        2,
    )


def test_what_is_given_wins_over_the_environment():
    assert settings.read(
        {"SVC_DATA_DIR": "/srv/service"}, data_dir=Path("/tmp/other")
    ).data_dir == Path("/tmp/other")


def test_lists_are_read_with_and_without_spaces():
    read = settings.read(
        {
            "SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8, ::1/128",
            "SVC_ALERT_URLS": "mailto://a,, mailto://b",
        }
    )
    assert [str(each) for each in read.webhook_allow_cidrs] == ["127.0.0.0/8", "::1/128"]
    assert read.alert_urls == ("mailto://a", "mailto://b")


def test_languages_of_an_endpoint_need_the_endpoint():
    with pytest.raises(SettingsError, match="SVC_SPEECH_URL is missing"):
        settings.read({"SVC_SPEECH_LANGUAGES": "ja"})
    endpoint = {"SVC_SPEECH_URL": "https://speech.example.com/v1", "SVC_SPEECH_MODEL": "tts-1"}
    assert settings.read({"SVC_SPEECH_LANGUAGES": "ja, zh-TW,ja", **endpoint}).speech_languages == (
        "ja",
        "zh-TW",
    )


def test_the_schemes_of_alert_addresses_are_those_of_apprise():
    code = "from apprise.plugins import N_MGR; print(*N_MGR.schemas())"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) <= alert_schemes.ALERT_SCHEMES


@pytest.mark.parametrize(
    ("urls", "said"),
    [
        ("mailto://a,slak://token/hunter2", "'slak' of number 2"),
        ("https//hooks.example.com/hunter2", "number 1 is none"),
        ("json://chat,hunter2@example.com", "number 2 is none"),  # a comma within an address
        ("tgram://", "number 1 is none"),
        ("mailto:a@example.com", "number 1 is none"),
        ("json://a;json://hunter2@b", "number 1 is none"),  # other signs than the comma
        ("json://a json://hunter2@b", "number 1 is none"),
    ],
)
def test_an_alert_address_that_apprise_does_not_know_is_refused_without_its_secret(urls, said):
    with pytest.raises(SettingsError) as refused:
        settings.read({"SVC_ALERT_URLS": urls})
    assert "SVC_ALERT_URLS is wrong; it should be addresses of Apprise" in str(
        refused.value
    ) and said in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_the_addresses_of_alerts_are_not_in_what_settings_print_of_themselves():
    assert "hunter2" not in repr(
        settings.read({"SVC_ALERT_URLS": "JSON://me:hunter2@chat, tgram://hunter2/1"})
    )


def test_a_directory_for_backups_that_is_not_there_is_refused(tmp_path):
    assert settings.read({"SVC_BACKUP_DIR": str(tmp_path)}).backup_dir == tmp_path
    (tmp_path / "file").touch()
    for path in (tmp_path / "bakups", tmp_path / "file"):
        with pytest.raises(
            SettingsError, match=r"SVC_BACKUP_DIR is .*; it should be a directory that is there"
        ):
            settings.read({"SVC_BACKUP_DIR": str(path)})


def test_shipping_needs_backups_between_which_it_ships():
    with pytest.raises(SettingsError, match="SVC_BACKUP_EVERY_HOURS is missing"):
        settings.read({"SVC_BACKUP_SHIP_SECONDS": "5"})
    assert (
        settings.read(
            {"SVC_BACKUP_SHIP_SECONDS": "5", "SVC_BACKUP_EVERY_HOURS": "6"}
        ).backup_ship_seconds
        == 5
    )


@pytest.mark.parametrize("name", ["svc_backup_keep", "Svc_Backup_Keep", "SVC_backup_keep"])
def test_a_name_in_lower_case_is_refused_with_the_one_that_is_meant(name):
    with pytest.raises(SettingsError, match=f"{name} is not a setting; SVC_BACKUP_KEEP is"):
        settings.read({name: "3"})
    with pytest.raises(SettingsError, match="svc_port is not a setting; docs/operations.md lists"):
        settings.read({"svc_port": "3"})


@pytest.mark.parametrize(
    ("given", "kept", "path"),
    [
        ("https://a.example", "https://a.example", ""),
        ("HTTPS://A.Example/", "https://a.example", ""),
        ("https://a.example:443/films/", "https://a.example/films", "/films"),
        ("http://a.example:80//", "http://a.example", ""),
        ("http://a.example:443", "http://a.example:443", ""),
        (
            "https://a.example:8443/a/b-c_d.e~f",
            "https://a.example:8443/a/b-c_d.e~f",
            "/a/b-c_d.e~f",
        ),
        ("http://[::1]:8080/x/", "http://[::1]:8080/x", "/x"),
        ("http://[2001:DB8::0:1]", "http://[2001:db8::1]", ""),
        ("https://müller.example/x", "https://xn--mller-kva.example/x", "/x"),
    ],
)
def test_the_base_url_is_kept_in_the_form_that_links_begin_with(given, kept, path):
    read = settings.read({"SVC_BASE_URL": given})
    assert (read.base_url, read.base_path) == (kept, path)
