"""Log lines: each says what it is about, is one line, and holds no key."""

import errno
import io
import json
import logging
import os

import pytest
from gunicorn.config import Config
from support.cast import body

from svc.base import logs
from svc.serving.gunicorn_logs import Logger

KEY = "svc_live_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"


@pytest.fixture(params=["human", "json"])
def written(request, monkeypatch):
    """What is written on standard error from now on."""
    there = io.StringIO()
    monkeypatch.setattr("sys.stderr", there)
    before = logging.getLogger().handlers[:], logging.getLogger().level
    logs.install(request.param)
    yield there
    logging.getLogger().handlers[:], _ = before
    logging.getLogger().setLevel(before[1])


def test_a_line_names_what_its_thread_is_about(written):
    with (
        logs.log_context(production="p1", partner="a1"),
        logs.log_context(correlation="c1", partner=None),
    ):
        logging.getLogger("svc.test").info("a step crashed")
    logging.getLogger("svc.test").info("later")
    first, second = written.getvalue().splitlines()
    assert "p1" in first and "c1" in first and "a1" not in first
    assert "p1" not in second


def test_a_line_inside_a_request_names_it(written, app, partner, monkeypatch):
    production = body(partner.trigger())["productionId"]
    monkeypatch.setattr("svc.domain.productions.view.represent_steps", lambda *_: 1 / 0)
    answer = partner.get(f"/v1/productions/{production}", headers={"X-Correlation-Id": "trace-7"})
    assert answer.status_code == 500
    [line] = [each for each in written.getvalue().splitlines() if "unexpected error" in each]
    for each in ("trace-7", partner.seeded["partnerId"], production):
        assert each in line
    assert "ZeroDivisionError" in written.getvalue() and partner.key not in written.getvalue()


def test_each_event_is_a_line(written, partner):
    production = body(partner.trigger(headers={"X-Correlation-Id": "trace-8"}))["productionId"]
    [line] = [
        each for each in written.getvalue().splitlines() if "production.queued is event 1" in each
    ]
    for each in ("trace-8", partner.seeded["partnerId"], production):
        assert each in line


def test_no_key_is_written_however_it_came_there(written):
    try:
        raise ValueError(f"odd header X-API-Key: {KEY}")
    except ValueError:
        logging.getLogger("gunicorn.error").exception("refused %s", KEY)
    assert KEY not in written.getvalue()
    assert written.getvalue().count("svc_live_abcd…") >= 2


NASTY = "x\r\n2026-11-21T00:00:00.000Z critical svc: hacked\x1b[31m\x00\x7f\x85\x9b2J\u2028\u202e"


def test_what_somebody_sent_begins_no_line_of_its_own_and_controls_no_terminal(written):
    with logs.log_context(correlation=NASTY):
        logging.getLogger("svc.test").info("topic %s", NASTY)
    [line] = written.getvalue().splitlines()
    assert line.isprintable()


def test_nor_does_the_text_of_an_exception(written):
    try:
        raise ValueError(NASTY)
    except ValueError:
        logging.getLogger("svc.test").exception("unexpected error")
    first, *more = written.getvalue().split("\n")[:-1]
    assert "unexpected error" in first and "hacked" in written.getvalue()
    assert all(line.isprintable() for line in (first, *more)) and all(
        line.startswith("    ") for line in more
    )


@pytest.fixture
def journal(monkeypatch):
    """What is written on standard error, as systemd gives it to a service: a function that installs
    the log in a form, lets something be logged, and returns the lines.
    """
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    reading, writing = os.pipe()
    there = os.fstat(writing)
    monkeypatch.setenv("JOURNAL_STREAM", f"{there.st_dev}:{there.st_ino}")

    def read(form: str, log) -> list[str]:
        with open(writing, "w") as stream:
            monkeypatch.setattr("sys.stderr", stream)
            logs.install(form)
            log()
        return read_end.read().splitlines()

    with open(reading) as read_end:
        yield read
    root.handlers[:] = handlers
    root.setLevel(level)


def test_lines_of_the_journal_have_the_priority_of_their_level(journal):
    def log() -> None:
        for level in (logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL):
            logging.getLogger("svc.test").log(level, "said")

    lines = journal("json", log)
    assert [line[:3] for line in lines] == ["<6>", "<4>", "<3>", "<2>"]
    levels = [json.loads(line[3:])["level"] for line in lines]
    assert levels == ["info", "warning", "error", "critical"]


def test_so_has_each_line_of_a_traceback(journal):
    def fail() -> None:
        try:
            raise ValueError("odd")
        except ValueError:
            logging.getLogger("svc.test").exception("unexpected error")

    lines = journal("human", fail)
    assert len(lines) > 2 and all(line.startswith("<3>") for line in lines)


def test_standard_error_that_leads_elsewhere_has_no_priorities(written, monkeypatch):
    monkeypatch.setenv("JOURNAL_STREAM", "8:1")  # of standard output, or of whoever started it
    logging.getLogger("svc.test").warning("said")
    assert written.getvalue()[0] in "2{"


@pytest.mark.parametrize("form", [logs._Human, logs._Json])
def test_half_a_character_breaks_no_line(form):
    record = logging.LogRecord(
        "svc.test", logging.INFO, "", 0, "topic %s", ("half \ud800 of it",), None
    )
    line = form().format(record)
    assert line.isprintable() and line.encode() and "half" in line


def test_json_lines_are_json(capsys):
    formatter = logs._Json()
    record = logging.LogRecord("svc.test", logging.INFO, "", 0, "topic %s", ("\n\"'",), None)
    record.partner = "a1"
    line = json.loads(formatter.format(record))
    assert (line["message"], line["partner"], line["level"]) == ("topic \n\"'", "a1", "info")


class Full(io.StringIO):
    """A file on a disk that is full."""

    def write(self, _):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_file_of_log_lines_that_is_full_is_said_once_a_minute(caplog, capsys):
    seconds, full = [0.0], logging.StreamHandler(Full())
    logs.report_lost_lines(full, lambda: seconds[0])
    logger = logging.Logger("access")
    logger.addHandler(full)
    for at in (0.0, 1.0, 59.0, 60.0):
        seconds[0] = at
        logger.info("GET /healthz")
    assert caplog.messages == ["lines of a log are lost: No space left on device"] * 2
    assert capsys.readouterr().err == ""
    logger.info("%d", "no number")  # a mistake of the program
    assert "Traceback" in capsys.readouterr().err


def test_gunicorn_says_which_of_its_files_is_full(caplog, tmp_path):
    options, file = Config(), str(tmp_path / "access.log")
    options.set("accesslog", file)
    options.set("errorlog", str(tmp_path / "error.log"))
    made = Logger(options)
    # Where a test before this one made the logger, it has handlers of pytest's as well.
    of_file = [each for each in made.access_log.handlers if isinstance(each, logging.FileHandler)]
    of_file[0].setStream(Full()).close()
    made.access_log.info("GET /healthz")
    told = [each.getMessage() for each in caplog.records if each.name == "svc.logs"]
    assert told == [f"lines of {file} are lost: No space left on device"]
    for log in (made.access_log, made.error_log):
        log.handlers.pop().close()
