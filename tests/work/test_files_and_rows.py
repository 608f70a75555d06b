"""Files and the rows that name them go together: whoever removes them, rows first;
what differs is found, said and mended.
"""

import hashlib
from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from support import plain_sql
from support.cast import body
from support.stage import complete_steps, make

from svc.base import settings
from svc.cli import commands
from svc.domain import file_removal
from svc.domain.audit.audit import Actor
from svc.domain.briefing import corrections
from svc.domain.lifecycle import endings, lifecycle, render_queue, script_review
from svc.domain.lifecycle.script_review import WrittenScript
from svc.domain.partners import admin
from svc.domain.partners.brand_files import brand_fonts
from svc.domain.productions import distribution, productions, progress
from svc.store.database import db
from svc.work import daily_jobs, partner_data
from svc.work.backup import schedule
from svc.work.doctor import files as doctor
from svc.work.doctor.findings import OK, WARNING
from svc.work.files import comparison
from svc.work.files.removal import Remover
from svc.work.files.uploads import Uploads

ME = Actor(None, "olga")
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 100
DAY = 86_400


@pytest.fixture
def given(app):
    """The settings of the server."""
    return app.extensions["svc"].settings


@pytest.fixture
def storage(app):
    return app.extensions["svc"].storage


@pytest.fixture
def remover(storage, given):
    return Remover(storage.files, Uploads(storage.files, given.assets_dir))


@pytest.fixture
def finished(partner, clock, given) -> str:
    """A live production that awaits its release, with its file."""
    production = body(partner.live().trigger())["productionId"]
    content = b"tides"
    (given.media_dir / production).mkdir(parents=True)
    (given.media_dir / production / "transcript.txt").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    complete_steps(
        clock,
        made=[make(file=f"{production}/transcript.txt", size_bytes=len(content), sha256=digest)],
    )
    assert lifecycle.find_status(production) == "AwaitingApproval"
    return production


def rows() -> int:
    return plain_sql.one("SELECT count(*) FROM deliverables")[0]


def examine(given, now=0, deep=False) -> list:
    with db.separate_connection(1.0) as connection:
        return list(doctor.examine(given, connection, deep, now))


def is_whole(given) -> bool:
    return [finding.verdict for finding in examine(given)] == [OK]


def cancelled(production, partner, clock, given, remover):
    productions.request_cancel(production, clock())
    assert endings.finish_cancel(production, clock())


def expired(production, partner, clock, given, remover):
    endings.expire_unreleased(clock.tick(73 * 3600))
    assert lifecycle.find_status(production) == "Failed"
    daily_jobs.close_day(clock.tick(2 * DAY), replace(given, media_days=1), remover)


def rejected(production, partner, clock, given, remover):
    distribution.reject(production, "no", clock())
    daily_jobs.close_day(clock.tick(2 * DAY), replace(given, media_days=1), remover)


def retained(production, partner, clock, given, remover):
    distribution.reject(production, "no", clock())
    daily_jobs.close_day(clock.tick(2 * DAY), replace(given, production_days=1), remover)


def corrected_and_failed(production, partner, clock, given, remover):
    with db.transaction():
        plain_sql.execute("UPDATE scripts SET written = '{}'")
    corrections.reopen(production, clock())
    script_review.approve(production, None, clock())
    held = render_queue.claim_next(SimpleNamespace(boot="b", place=""), clock())
    step = progress.start_step(held, clock())
    progress.fail_step(held, step, "NARRATION_FAILED", "It cannot be spoken.", clock())


def corrected_and_expired(production, partner, clock, given, remover):
    corrections.reopen(production, clock())
    # the next revision would take their place
    assert rows() == 0 and (given.media_dir / production).exists()
    endings.expire_unreleased(clock.tick(73 * 3600))


def erased(production, partner, clock, given, remover):
    partner_data.erase(partner.seeded["partnerId"], given, clock, ME)


WAYS = (cancelled, expired, rejected, retained, corrected_and_failed, corrected_and_expired, erased)


@pytest.fixture
def with_script(monkeypatch):
    """Keep a script at the first step, so that a production can be corrected."""
    complete, written = progress.complete_step, WrittenScript([{"scene": 1}], "{}")

    def keep(claim, step, now, files=(), *given, **more):
        complete(
            claim,
            step,
            now,
            files,
            *given,
            **more,
            written=written if step["position"] == 0 else None,
        )

    monkeypatch.setattr(progress, "complete_step", keep)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_however_a_production_loses_its_files_the_rows_go_first_and_the_files_are_not_forgotten(
    way, with_script, finished, partner, clock, given, remover
):
    way(finished, partner, clock, given, remover)
    assert rows() == 0
    file_removal.remove_scheduled(remover)
    assert not (given.media_dir / finished).exists()
    assert plain_sql.rows("SELECT 1 FROM files_to_remove") == []


def test_a_cancel_whose_process_dies_before_the_files_go_is_finished_by_the_next_one(
    finished, partner, clock, given, app
):
    cancelled(finished, partner, clock, given, None)  # and the process died
    assert (given.media_dir / finished).exists() and is_whole(given)  # the removal is known
    engine = app.extensions["engine"]
    nothing = SimpleNamespace(forget_ended=lambda: None)
    engine._pipeline = SimpleNamespace(work_archives=nothing)
    engine._tidy()
    assert not (given.media_dir / finished).exists() and is_whole(given)


def test_a_picture_and_a_font_that_are_replaced_leave_no_file(partner, clock, given, remover):
    for content in (PNG, PNG + b"y"):
        admin.set_logo(ME, partner.account, content, given.assets_dir, clock.tick(1))
        brand_fonts.replace(
            ME, partner.account, b"OTTO" + content, "OFL", given.assets_dir, clock()
        )
    assert file_removal.remove_scheduled(remover) == 2
    named = {
        row["file"]
        for row in plain_sql.rows("SELECT file FROM assets UNION SELECT file FROM brand_fonts")
    }
    assert {path.name for path in given.assets_dir.iterdir()} == named


@pytest.mark.sqlite("the doctor reads the file")
def test_the_doctor_compares_both_ways_and_its_command_mends_it(finished, partner, clock, given):
    admin.set_logo(ME, partner.account, PNG, given.assets_dir, clock())
    assert is_whole(given)
    (given.media_dir / finished / "transcript.txt").unlink()
    [logo] = given.assets_dir.iterdir()
    logo.unlink()
    stray = "01900000-0000-7000-8000-000000000000"
    (given.media_dir / stray).mkdir()
    (given.media_dir / stray / "landscape.mp4").write_bytes(b"x")
    lost, unknown = examine(given)
    assert (lost.verdict, unknown.verdict) == (WARNING, WARNING)
    assert (
        lost.text.startswith("2 of 2 files are missing")
        and finished in lost.text
        and stray in unknown.text
    )
    assert lost.mend.startswith(
        "python app.py production mend-files --yes"
    ) and unknown.mend.startswith(lost.mend.split("  #")[0])
    found = comparison.repair(given, ME, clock())
    assert (found.lost, list(found.uploads), found.unknown) == (
        [f"{finished}/transcript.txt"],
        [logo.name],
        [stray],
    )
    assert is_whole(given) and rows() == 0 and not (given.media_dir / stray).exists()
    assert (
        plain_sql.one("SELECT logo FROM accounts WHERE id = ?", (partner.account,))["logo"] is None
    )
    assert plain_sql.one("SELECT count(*) FROM audit WHERE action = 'files.mend'")[0] == 1


@pytest.mark.sqlite("the doctor reads the file")
def test_the_doctor_says_that_removals_wait(finished, partner, clock, given, remover):
    cancelled(finished, partner, clock, given, remover)
    assert is_whole(given)
    late = examine(given, now=clock() + file_removal.OVERDUE_AFTER + 1)
    assert [finding.name for finding in late] == ["files", "removals"] and late[1].mend


@pytest.mark.sqlite("a backup copies the file")
@pytest.mark.parametrize("place", ["backup.tar", "repository/"])
def test_the_backup_command_says_which_file_of_which_production_is_missing_and_exits_with_3(
    finished, given, tmp_path, monkeypatch, place
):
    monkeypatch.setattr(settings, "read", lambda: given)
    whole = CliRunner().invoke(commands.main, ["backup", str(tmp_path / "whole.tar")])
    assert whole.exit_code == 0, whole.output
    (given.media_dir / finished / "transcript.txt").unlink()
    target = f"{tmp_path / place}{'/' * place.endswith('/')}"
    done = CliRunner().invoke(commands.main, ["backup", target])
    assert done.exit_code == 3, done.output
    assert (
        f"media/{finished}/transcript.txt of the production {finished}" in done.output
        and "warning: " in done.output
    )
    assert (tmp_path / place).exists()


def test_a_scheduled_backup_without_some_files_counts_and_is_told(
    given, clock, tmp_path, monkeypatch
):
    backups = schedule.Backups(
        replace(given, backup_every_hours=6, backup_dir=tmp_path),
        SimpleNamespace(is_set=lambda: False),
        clock,
    )
    monkeypatch.setattr(
        backups, "_run", lambda: (schedule.WITH_WARNING, "It is made without 1 file.")
    )
    backups.back_up_if_due()
    [alert] = plain_sql.rows("SELECT name, severity, message FROM alerts")
    assert tuple(alert) == ("BackupIncomplete", "warning", "It is made without 1 file.")
    assert plain_sql.one("SELECT value FROM meta WHERE name = 'backup'")[0] == str(clock())
