"""``serve``: where it listens, and the address that its links name."""

import errno
import os

import click
import pytest
from click.testing import CliRunner

from svc.base import clock, start_failures
from svc.base.errors import CommandError, StartRefused
from svc.cli import output
from svc.cli.installation import serve


@pytest.fixture
def served(monkeypatch, tmp_path):
    """Run the command with these words; what it printed, and the options of the server,
    which is not started.
    """

    def run(*words: str) -> tuple[str, dict]:
        started = []

        class Server:
            def __init__(self, make_app, options):
                started.append(options)

            def run(self):
                pass

        monkeypatch.setattr(serve, "_Server", Server)
        monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "data"))
        done = CliRunner().invoke(serve.serve, words, obj=lambda: None, catch_exceptions=False)
        return done.output, started[0]

    monkeypatch.setenv("SVC_BASE_URL", "forgotten at the end")
    monkeypatch.delenv("SVC_BASE_URL")
    return run


@pytest.mark.parametrize(
    ("status", "said"),
    [(1, "Nothing can listen at 127.0.0.1:8081"), (3, "The server could not start")],
)
def test_a_server_that_could_not_start_is_said_and_is_no_finding(
    monkeypatch, tmp_path, status, said
):
    class Server:
        def __init__(self, make_app, options):
            pass

        def run(self):
            raise SystemExit(status)  # as gunicorn does, after lines that say why

    monkeypatch.setattr(serve, "_Server", Server)
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SVC_BASE_URL", "http://127.0.0.1:8081")
    done = CliRunner().invoke(serve.serve, ["--port", "8081"], obj=lambda: None)
    assert isinstance(done.exception, CommandError)
    assert said in str(done.exception)
    assert start_failures.find(tmp_path / "data", clock.now()) is None  # its process does that


def test_a_server_that_finds_no_secret_notes_it(monkeypatch, tmp_path):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SVC_BASE_URL", "http://127.0.0.1:8081")

    def refuse(*_):
        raise StartRefused("The secret is missing.")

    monkeypatch.setattr(serve.master_keys, "open_ring", refuse)
    done = CliRunner().invoke(serve.serve, [], obj=lambda: None)
    assert isinstance(done.exception, StartRefused)
    assert start_failures.find(tmp_path, clock.now()).why == "The secret is missing."


@pytest.mark.parametrize(
    ("host", "address", "bind"),
    [
        ("127.0.0.1", "http://127.0.0.1:8081", "127.0.0.1:8081"),
        ("localhost", "http://localhost:8081", "localhost:8081"),
        ("::1", "http://[::1]:8081", "[::1]:8081"),
        ("[::1]", "http://[::1]:8081", "[::1]:8081"),
        ("fe80::1%eth0", "http://[fe80::1]:8081", "[fe80::1%eth0]:8081"),
    ],
)
def test_links_name_the_host_that_it_listens_at(served, host, address, bind):
    printed, options = served("--host", host, "--port", "8081")
    assert (
        options["bind"] == bind
        and f"{address}/v1\n" in printed
        and f"{address}/console/welcome/" in printed
    )


@pytest.mark.parametrize(
    ("host", "address", "bind"),
    [
        ("0.0.0.0", "http://127.0.0.1:8081", "0.0.0.0:8081"),
        ("::", "http://[::1]:8081", "[::]:8081"),
    ],
)
def test_where_it_listens_at_every_address_links_name_one_that_there_is(
    served, monkeypatch, host, address, bind
):
    printed, options = served("--host", host, "--port", "8081")
    assert options["bind"] == bind and f"{address}/console/welcome/" in printed
    assert f"{address}, which others cannot reach; SVC_BASE_URL names" in printed
    monkeypatch.setenv("SVC_BASE_URL", "http://192.0.2.7:8081")
    assert "cannot reach" not in served("--host", host, "--port", "8081")[0]


def test_the_path_of_the_base_url_is_in_the_link_for_the_first_operator(served, monkeypatch):
    monkeypatch.setenv("SVC_BASE_URL", "https://example.com/films/")
    printed, options = served("--port", "8081")
    assert (
        "https://example.com/films/console/welcome/" in printed
        and options["bind"] == "127.0.0.1:8081"
    )


def test_an_empty_base_url_is_none(served, monkeypatch):
    monkeypatch.setenv("SVC_BASE_URL", "")
    assert "http://127.0.0.1:8081/v1\n" in served("--port", "8081")[0]


@pytest.mark.parametrize("host", ["", "127.0.0.1:8081", "a b", "https://a.example"])
def test_a_host_that_is_none_is_said_by_the_option_that_was_typed(served, host):
    with pytest.raises(click.BadParameter, match="is not a host such as 127.0.0.1"):
        CliRunner().invoke(
            serve.serve, ["--host", host], standalone_mode=False, catch_exceptions=False
        )


@pytest.mark.parametrize("failure", [errno.EPIPE, errno.ENOSPC])
def test_it_serves_also_where_nobody_can_read_what_it_prints(served, monkeypatch, failure):
    def refuse(*_message):
        raise OSError(failure, os.strerror(failure))

    discarded = []
    monkeypatch.setattr(output.click, "echo", refuse)
    monkeypatch.setattr(output, "discard", lambda: discarded.append(True))
    assert served()[1]["bind"] == "127.0.0.1:8080" and discarded
