"""Every command says what is wrong in a sentence, with status 2 (130 for Ctrl-C),
and never with a traceback.
"""

import contextlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from svc.cli import command_support, commands, output, run
from svc.store.backup import database_file
from svc.store.database import db
from svc.store.sqlite import engine

APP = Path(__file__).parents[2] / "app.py"
# they serve, fetch and render: tried below
NOT_HERE = {("serve",), ("demo",), ("listen",), ("bundle",), ("render",)}


def every_command(group: click.Group, *before: str):
    for name in group.commands:
        each = group.commands[name]
        if isinstance(each, click.Group):
            yield from every_command(each, *before, name)
        elif (*before, name) not in NOT_HERE and not each.hidden:
            yield (*before, name), each


def wrong_words(command: click.Command, file: Path) -> list[str]:
    """Arguments of the right number and form that name nothing that there is."""
    words = ["--yes"] if any("--yes" in each.opts for each in command.params) else []
    for each in command.params:
        if each.name == "password_stdin":
            words.append("--password-stdin")
        elif not each.required:
            continue
        else:
            value = "nope"
            if isinstance(each.type, click.Choice):
                value = each.type.choices[0]
            elif isinstance(each.type, click.types.IntParamType):
                value = "1"
            elif isinstance(each.type, click.Path):
                value = str(file)
            words += [value] if isinstance(each, click.Argument) else [each.opts[0], value]
    return words


def outcome(words, monkeypatch) -> tuple[int, str]:
    """The status of a command and what it says on standard error; anything unforeseen is raised."""
    said = io.StringIO()
    monkeypatch.setattr(sys, "argv", ["app.py", *words])
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse battery\n"))
    status = 0
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            run.run(None)
        except SystemExit as ended:
            status = ended.code
        finally:
            db.close()
    return status, said.getvalue()


@pytest.fixture
def data_dir(tmp_path, monkeypatch, fresh_database) -> Path:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    shutil.copy(fresh_database, folder / "service.db")
    monkeypatch.setenv("SVC_DATA_DIR", str(folder))
    monkeypatch.setattr(engine, "_PATIENCE", 0.05)
    monkeypatch.chdir(tmp_path)
    return folder


def try_all(monkeypatch, file: Path, words_of=wrong_words) -> dict[tuple, tuple[int, str]]:
    found = {}
    for words, command in every_command(commands.main):
        given = [*words, *words_of(command, file)]
        try:
            status, said = outcome(given, monkeypatch)
        except BaseException as bug:
            raise AssertionError(f"{' '.join(given)}: {bug!r}") from bug
        assert status in (0, 1, 2, 3), (given, status, said)
        if status:
            assert "Traceback" not in said, (given, said)
        found[words] = status, said
    return found


@pytest.mark.slow
def test_wrong_ids_are_said(data_dir, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("x")
    found = try_all(monkeypatch, file)
    refused = (
        "production show",
        "production release",
        "partner show",
        "partner erase",
        "partner export",
        "account show",
        "account set",
        "avatar show",
        "key revoke",
        "rule remove",
        "alert close",
        "webhook remove",
        "user set",
    )
    for words in (tuple(each.split()) for each in refused):
        status, said = found[words]
        assert status == 2 and said.startswith("error: "), (words, status, said)


@pytest.mark.parametrize("words", ["alert see", "alert close", "queue retry", "queue abort"])
def test_a_number_that_no_column_takes_is_said(data_dir, monkeypatch, words):
    status, said = outcome([*words.split(), str(2**63)], monkeypatch)
    assert status == 2 and f"{2**63} is not in the range 1<=x<={2**63 - 1}" in said


def test_an_argument_that_is_not_utf_8_is_said(data_dir, monkeypatch):
    status, said = outcome(["account", "show", "\udcff"], monkeypatch)
    assert (status, said) == (2, "error: '\\udcff' is not in UTF-8.\n")


@pytest.mark.parametrize(
    "words",
    [
        "listen --key k --forward-to nope",
        "listen --key k --forward-to ftp://127.0.0.1/",
        "listen --key k --url 127.0.0.1:8080",
        "listen --key k --delay nan",
        "listen --key k --delay=-1",
        "mcp --key k --url nope",
    ],
)
def test_an_option_that_makes_no_sense_is_said_before_anything_is_done(
    data_dir, monkeypatch, words
):
    status, said = outcome(words.split(), monkeypatch)
    assert status == 2 and f"Invalid value for '{words.split()[3].partition('=')[0]}'" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["bundle", ""], "name a file in a folder that is there"),
        (["bundle", "/nowhere/x.pyz"], "name a file in a folder that is there"),
        (["copy", "--to", "mysql://x"], "--to should be an address such as postgresql://"),
    ],
)
def test_a_target_that_is_none_is_said_at_once(data_dir, monkeypatch, words, sentence):
    status, said = outcome(words, monkeypatch)
    assert status == 2 and sentence in said and "SVC_DATABASE_URL" not in said


@pytest.mark.slow
def test_missing_arguments_are_said(data_dir, tmp_path, monkeypatch):
    found = try_all(monkeypatch, tmp_path, lambda *_: [])
    assert all(
        said.startswith(("error", "Usage")) for status, said in found.values() if status == 2
    )
    assert (
        found["production", "show"][0] == 2
        and "Missing argument 'PRODUCTION_ID'" in found["production", "show"][1]
    )


@pytest.mark.slow
def test_an_empty_data_directory_is_said(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "empty"))
    monkeypatch.chdir(tmp_path)
    found = try_all(monkeypatch, tmp_path / "file")
    status, said = found["production", "show"]
    assert status == 2 and said == (
        f"error: There is no database in {tmp_path / 'empty'}; set SVC_DATA_DIR to that of "
        "the server.\n"
    )


@pytest.mark.slow
def test_a_locked_database_is_said(data_dir, tmp_path, monkeypatch):
    monkeypatch.setattr(
        command_support, "open_server", opened_before(command_support.open_server, data_dir)
    )
    found = try_all(monkeypatch, tmp_path / "file")
    status, said = found["partner", "add"]
    assert status == 2 and "keeps the database locked" in said


def opened_before(open_server, data_dir):
    """Open the database and then have another connection write, and not end."""
    holding = []

    def opened(**more):
        while holding:
            holding.pop().close()
        read = open_server()
        holder = database_file.connect(data_dir / "service.db")
        holder.execute("BEGIN IMMEDIATE")
        holding.append(holder)
        return read

    return opened


@pytest.mark.slow
def test_a_database_that_is_none_is_said(data_dir, tmp_path, monkeypatch):
    (data_dir / "service.db").write_bytes(b"no database" * 1000)
    status, said = try_all(monkeypatch, tmp_path / "file")["production", "list"]
    assert status == 2 and "`python app.py doctor`, which names the backup to restore" in said


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (OSError(28, "No space left on device"), "make room"),
        (OSError(30, "Read-only file system"), "mount its disk for writing"),
        (OSError(30, "Read-only file system", "/mnt/x.tar"), "error: Read-only file system: /mnt/"),
        (OSError(30, "Read-only file system", "data/x"), "mount its disk for writing"),
        (OSError(28, "No space left on device", "/mnt/x.tar"), "error: No space left on device: /"),
        (PermissionError(13, "Permission denied", "/srv/x"), "Permission denied: /srv/x"),
        (click.Abort(), ""),
        (BrokenPipeError(32, "Broken pipe"), "Standard output was closed"),
        (KeyboardInterrupt(), ""),
    ],
)
def test_what_happens_to_a_process_is_said(data_dir, monkeypatch, failure, words):
    def fail(**more):
        raise failure

    monkeypatch.setattr(command_support, "open_server", fail)
    monkeypatch.setattr(output, "discard", lambda: None)
    status, said = outcome(["partner", "list"], monkeypatch)
    assert words in said
    assert status == (2 if words else 130)


def test_a_bug_keeps_its_traceback(data_dir, monkeypatch):
    monkeypatch.setattr(command_support, "open_server", lambda **more: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        outcome(["partner", "list"], monkeypatch)


@pytest.mark.slow
def test_output_that_nobody_reads_is_no_traceback(data_dir):
    environment = os.environ | {"SVC_DATA_DIR": str(data_dir)}
    for words in (["--help"], ["config"], ["partner", "list", "--json"], ["completion", "bash"]):
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, str(APP), *words]
        done = subprocess.run(
            command, env=environment, stdout=writing, stderr=subprocess.PIPE, text=True
        )
        os.close(writing)
        assert (done.returncode, done.stderr) == (
            2,
            "error: Standard output was closed before all output was written.\n",
        )


def test_a_full_disk_beneath_the_output_is_said(data_dir):
    environment = os.environ | {"SVC_DATA_DIR": str(data_dir)}
    with open("/dev/full", "w") as full:
        command = [sys.executable, str(APP), "config"]
        done = subprocess.run(
            command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2 and "make room" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "interrupted", ["svc.cli.run", "svc.base.settings", "svc.cli.installation.config"]
)
def test_ctrl_c_while_modules_are_imported_is_no_traceback(data_dir, interrupted):
    program = f"""
import signal, sys
sys.path.insert(0, {str(APP.parent)!r})
class Finder:
    def find_spec(self, name, *_):
        if name == {interrupted!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
import app
sys.argv = ["app.py", "config"]
app.main()
"""
    environment = os.environ | {"SVC_DATA_DIR": str(data_dir)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr.strip()) == (130, "")
