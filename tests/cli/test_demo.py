"""``demo``: the main job seen from outside, with a real server, and nothing left behind."""

import contextlib
import io
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from rich.console import Console

from svc.base import deliverable_kinds
from svc.base.errors import CommandError
from svc.cli.demo import demo, downloads
from svc.cli.demo import demo_server as server
from svc.cli.demo.receiver import Received
from tests.support.processes import processes_with

pytest_plugins = ("tests.support.demonstration",)
APP = Path(__file__).parents[2] / "app.py"

EVERYTHING = [
    {"type": "Video", "format": "mp4", "platform": "Watch"},
    {"type": "Video", "format": "mp4", "platform": "WatchVertical"},
    *(
        {"type": kind, "format": form, "platform": None}
        for kind, form in deliverable_kinds.ONCE.values()
    ),
]


@pytest.mark.slow
def test_the_demo_shows_the_whole_way_and_ends_well(demonstration):
    assert demonstration.status == 0
    assert demonstration.printed.count("✓ verified") == 12
    assert (
        demonstration.printed.count("right") == len(EVERYTHING) == len(demonstration.deliverables)
    )
    assert demonstration.printed.count("/watch/") == 2
    assert str(demonstration.out) in demonstration.printed


@pytest.mark.slow
def test_the_demo_takes_about_a_minute_of_two_cores(demonstration):
    """Counted in processor time, which tests beside it do not change much."""
    assert 10 < demonstration.seconds < 2 * 75


@pytest.mark.slow
def test_the_demo_leaves_no_process_behind(demonstration):
    assert processes_with(str(demonstration.data_dir)) == []


@pytest.mark.slow
def test_the_demo_leaves_nothing_in_its_log_to_worry_about(demonstration):
    log = (demonstration.data_dir / "server.log").read_text()
    assert "Traceback" not in log
    assert " error " not in log


@pytest.mark.slow
def test_what_the_gates_measured_is_kept_beside_the_files_of_the_demo(demonstration):
    [findings] = (demonstration.data_dir / "media").glob("*/findings.json")
    measured = json.loads(findings.read_text("utf-8"))["findings"]
    assert len(measured) > 20 and all(each["passed"] for each in measured)


def webhook(
    production_id: str, number: int, event_type: str = "production.queued", status: str = "Queued"
) -> Received:
    event = {
        "eventType": event_type,
        "productionId": production_id,
        "sequenceNumber": number,
        "data": {"status": status},
    }
    return Received({}, b"", event)


def test_a_demo_ignores_webhooks_about_the_productions_of_others():
    run = demo.Run(Console(file=io.StringIO()), client=None, seeded={}, production_id="own")
    run.heard.put(webhook("other", 7, "production.published", "Published"))
    run.heard.put(webhook("own", 1))
    demo._hear(run, ends_at=time.monotonic() + 60, enough=1)
    assert run.events == {1: "production.queued"} and run.wrong == []
    assert run.screen.file.getvalue().count("verified") == 1


def test_the_names_for_the_calls_are_whole_once_they_are_there_and_those_of_an_earlier_run_are_not(
    tmp_path, monkeypatch
):
    (tmp_path / "demo.env").write_text("export BASE=http://127.0.0.1:1\n")
    seen = []

    class Gone(Exception):
        pass

    def produce(*_):
        seen.append((tmp_path / "demo.env").exists())
        raise Gone

    monkeypatch.setattr(
        demo,
        "Server",
        lambda *_: contextlib.nullcontext(SimpleNamespace(address="http://x", log="")),
    )
    monkeypatch.setattr(demo, "_add_partner", lambda *_: (None, {"partnerId": "p"}))
    monkeypatch.setattr(demo, "_produce", produce)
    with pytest.raises(Gone):
        CliRunner().invoke(demo.demo, ["--data-dir", str(tmp_path)], catch_exceptions=False)
    assert seen == [False]
    names = ("testKey", "liveKey", "sandboxAccountId", "languageId", "countryId", "avatarId")
    run = demo.Run(Console(), SimpleNamespace(base_url="http://x"), dict.fromkeys(names, "1"))
    demo._write_names(run, tmp_path / "demo.env", {"productionId": "1"})
    assert (tmp_path / "demo.env").stat().st_mode & 0o777 == 0o600
    lines = (tmp_path / "demo.env").read_text().splitlines()
    assert lines[0] == "export BASE=http://x"
    known = {line.removeprefix("export ").partition("=")[0] for line in lines}
    for document in ("README.md", "docs/api.md", "docs/webhooks.md"):
        blocks = re.findall(
            r"^```sh\n(.*?)^```", (Path(__file__).parents[2] / document).read_text(), re.M | re.S
        )
        assert blocks and set(re.findall(r"\$(\w+)", "".join(blocks))) <= known, document


def test_a_second_demo_of_a_directory_is_refused_and_leaves_the_first_its_names(tmp_path):
    with demo._only_demo_of(tmp_path):
        (tmp_path / "demo.env").write_text("export BASE=http://127.0.0.1:1\n")
        (tmp_path / "server.log").write_text("of the first")
        second = CliRunner().invoke(demo.demo, ["--data-dir", str(tmp_path)])
        assert isinstance(second.exception, CommandError)
        assert "A demo is running" in str(second.exception)
        assert (tmp_path / "demo.env").exists()
        assert (tmp_path / "server.log").read_text() == "of the first"
    with demo._only_demo_of(tmp_path):
        assert not (tmp_path / "demo.env").exists()


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _hear_signals() -> None:
    """Whatever starts the tests may be deaf to some, as what a shell runs in the background is,
    and its children with it.
    """
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDING)
def test_a_demo_that_is_told_to_end_takes_its_server_with_it(tmp_path, number):
    command = [sys.executable, "-u", str(APP), "demo", "--data-dir", str(tmp_path / "data")]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=_hear_signals)
    for line in running.stdout:
        if "Script written" in line:
            running.send_signal(number)
            break
    running.stdout.read()
    assert running.wait(40) == 130
    running.stdout.close()
    assert processes_with(str(tmp_path)) == []


def test_a_server_that_cannot_start_is_an_error_that_shows_its_log(tmp_path):
    with pytest.raises(
        CommandError, match=r"(?s)The server ended with status 2.*SVC_RENDER_WORKERS is '0'"
    ):
        with server.Server(tmp_path / "data", SVC_RENDER_WORKERS="0"):
            pass


def test_a_port_that_is_taken_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(CommandError, match="is taken"):
            server.find_free_port(taken.getsockname()[1])


class YesToEverything(BaseHTTPRequestHandler):
    """Another program, which answers every request with 200."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.mark.slow
def test_a_server_that_took_the_port_meanwhile_is_not_believed_to_be_the_demos(tmp_path):
    ours = server.Server(tmp_path / "data", 0)
    with ThreadingHTTPServer(("127.0.0.1", ours.port), YesToEverything) as foreign:
        threading.Thread(target=foreign.serve_forever, args=(0.05,)).start()
        try:
            with pytest.raises(
                CommandError,
                match=f"Port {ours.port} of 127.0.0.1 is taken; .* choose another port",
            ):
                ours.start()
        finally:
            foreign.shutdown()


@pytest.mark.slow
def test_nobody_else_can_listen_where_the_server_is_about_to_answer(tmp_path, monkeypatch):
    ours = server.Server(tmp_path / "data", 0, SVC_ENGINE="off")
    start_process = subprocess.Popen

    def start_after_an_intruder(*given, **more):
        with pytest.raises(OSError, match="in use"):
            socket.create_server(("127.0.0.1", ours.port))
        return start_process(*given, **more)

    monkeypatch.setattr(server.subprocess, "Popen", start_after_an_intruder)
    with ours:
        with pytest.raises(OSError, match="in use"):
            socket.create_server(("127.0.0.1", ours.port))
    socket.create_server(("127.0.0.1", ours.port)).close()  # it left nothing open


def test_a_server_that_ends_while_it_answers_is_not_answering(tmp_path):
    """As one that is killed at each point of a step does."""
    half = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer_half() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(half)

        thread = threading.Thread(target=answer_half)
        thread.start()
        ours = server.Server(tmp_path / "data", 0)
        ours.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert not ours._is_answering()
        thread.join()


def test_no_port_in_particular_is_never_the_preferred_one():
    assert server.find_free_port(0) not in (0, server.PREFERRED_PORT)


def test_nothing_is_missing_from_a_whole_production():
    assert downloads.describe_missing(EVERYTHING, ["Watch", "WatchVertical"]) == []


@pytest.mark.parametrize("number", range(len(EVERYTHING)))
def test_each_deliverable_that_is_missing_is_named(number):
    [problem] = downloads.describe_missing(
        EVERYTHING[:number] + EVERYTHING[number + 1 :], ["Watch", "WatchVertical"]
    )
    assert EVERYTHING[number]["type"] in problem
    assert EVERYTHING[number]["format"] in problem


def test_a_deliverable_that_nobody_expects_is_named():
    [problem] = downloads.describe_missing([*EVERYTHING, EVERYTHING[0]], ["Watch", "WatchVertical"])
    assert "not expected" in problem


@pytest.mark.parametrize(
    "proposed",
    ["", "attachment", "attachment; filename=../../passwd", 'attachment; filename="/x/a.mp4"'],
)
def test_a_download_stays_in_its_folder(proposed):
    name = downloads.choose_file_name(proposed, {"deliverableId": "d", "format": "mp4"})
    assert "/" not in name
    assert name in ("d.mp4", "passwd", "a.mp4")
