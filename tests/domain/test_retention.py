"""What has ended is kept as long as the settings say; its files and rows go together,
even where a process dies between.
"""

from types import SimpleNamespace

import pytest
from support import plain_sql
from support.cast import body, refused, text
from support.outbox import answer, claim
from support.stage import complete_cancels, complete_steps, make, publish_all

from svc.base.clock import DAY
from svc.base.settings import read
from svc.domain import file_removal
from svc.domain.briefing import batches
from svc.domain.file_removal import Removal
from svc.domain.lifecycle import batch_rows
from svc.domain.monitoring import alerts
from svc.domain.productions import productions, retention
from svc.store import meta, upkeep
from svc.store.database import db
from svc.work import daily_jobs
from svc.work.files.removal import Remover
from svc.work.files.uploads import Uploads
from tests.support.references import orphans

HANGING = (
    "events",
    "deliverables",
    "production_steps",
    "publications",
    "ledger",
    "deliveries",
    "attempts",
)


@pytest.fixture
def storage(app):
    return app.extensions["svc"].storage


@pytest.fixture
def finished(app, partner, clock, storage) -> str:
    """A production that was published, with a file and a webhook that arrived."""
    types = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    assert partner.post("/v1/webhooks", json=types).status_code == 201
    production = body(partner.trigger())["productionId"]
    storage.files.find_local(production).mkdir(parents=True)
    storage.files.find_local(f"{production}/transcript.txt").write_text("tides")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    publish_all(clock)
    answer(claim(clock()), clock())
    return production


@pytest.fixture
def remover(app, storage):
    return Remover(storage.files, Uploads(storage.files, app.extensions["svc"].settings.assets_dir))


def count(table: str) -> int:
    return plain_sql.row(f"SELECT count(*) FROM {table}")[0]


def test_a_production_goes_with_all_that_hangs_on_it(finished, partner, clock, storage, remover):
    open_still = body(partner.trigger())["productionId"]
    before = {table: count(table) for table in HANGING}
    assert all(before.values())
    assert retention.prune_productions(clock(), clock()) == 0  # not before that instant
    assert retention.prune_productions(clock.tick(1), clock()) == 1
    assert (
        storage.files.find_local(finished).exists() and file_removal.remove_scheduled(remover) == 1
    )
    assert partner.get(f"/v1/productions/{finished}").status_code == 404
    assert partner.get(f"/v1/productions/{open_still}").status_code == 200
    assert not storage.files.find_local(finished).exists()
    assert {table for table in HANGING if count(table) < before[table]} == set(HANGING)
    assert orphans() == []


def test_what_has_not_ended_and_what_is_still_to_be_sent_stay_however_old(
    finished, partner, clock, storage, remover
):
    partner.trigger()
    with db.transaction():
        plain_sql.execute(
            "UPDATE deliveries SET status = 'Pending' WHERE production_id = ?", (finished,)
        )
    assert retention.prune_productions(clock.tick(1000 * DAY / 1000), clock()) == 0


def test_files_go_and_the_production_stays(finished, partner, clock, storage, remover):
    assert retention.prune_files(clock.tick(1), clock()) == 1
    assert (
        retention.prune_files(clock(), clock()) == 0 and file_removal.remove_scheduled(remover) == 1
    )
    assert body(partner.get(f"/v1/productions/{finished}"))["status"] == "Published"
    assert body(partner.get(f"/v1/productions/{finished}/deliverables"))["data"] == []
    assert not storage.files.find_local(finished).exists()


@pytest.mark.parametrize("status", ["Pending", "Publishing"])
def test_what_is_still_to_be_published_somewhere_keeps_its_files(finished, owner, clock, status):
    with db.transaction():
        plain_sql.execute("UPDATE publications SET status = ?", (status,))
    clock.tick(1)
    assert retention.prune_files(clock(), clock()) == 0
    assert retention.prune_productions(clock(), clock()) == 0
    with db.transaction():
        plain_sql.execute("UPDATE publications SET status = 'Failed'")
    assert retention.prune_files(clock(), clock()) == 1
    [(platform,)] = plain_sql.rows("SELECT platform FROM publications LIMIT 1")
    retry = f"/console/productions/{finished}/platforms/{platform}/retry"
    assert owner.post(retry).status_code == 303
    assert "files are removed" in text(owner.get(f"/console/productions/{finished}"))
    assert plain_sql.rows("SELECT * FROM publications WHERE status != 'Failed'") == []


def test_many_go_in_several_transactions(app, partner, clock, monkeypatch):
    monkeypatch.setattr(retention, "_BATCH", 2)
    removed = []
    for _ in range(5):
        partner.trigger()
        complete_steps(clock, made=[make()])
        publish_all(clock)
    assert retention.prune_productions(clock.tick(1), clock()) == 5
    assert (
        file_removal.remove_scheduled(removed.append) == 5 == len({each.name for each in removed})
    )


def test_files_whose_rows_went_with_a_process_that_died_go_the_next_time(
    finished, clock, storage, remover
):
    def die(_):
        raise KeyboardInterrupt

    retention.prune_productions(clock.tick(1), clock())
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            file_removal.remove_scheduled(die)
    assert count("productions") == 0 and storage.files.find_local(finished).exists()
    assert (
        file_removal.remove_scheduled(remover) == 1 and file_removal.remove_scheduled(remover) == 0
    )
    assert not storage.files.find_local(finished).exists() and count("files_to_remove") == 0


def test_what_is_removed_again_after_a_crash_does_no_harm(finished, clock, storage, remover):
    retention.prune_productions(clock.tick(1), clock())
    remover(Removal("production", finished))  # and the process died before it could say so
    assert file_removal.remove_scheduled(remover) == 1 and count("files_to_remove") == 0


def test_the_settings_say_how_long(finished, clock, storage, remover):
    kept = read({"SVC_MEDIA_DAYS": "30"})
    clock.tick(29 * DAY / 1000)
    daily_jobs.close_day(clock(), kept, remover)
    assert storage.files.find_local(finished).exists()
    clock.tick(2 * DAY / 1000)
    for_ever = read({"SVC_SANDBOX_MEDIA_DAYS": "0", "SVC_SANDBOX_PRODUCTION_DAYS": "0"})
    daily_jobs.close_day(clock(), for_ever, remover)
    assert storage.files.find_local(finished).exists()
    daily_jobs.close_day(clock(), kept, remover)
    assert not storage.files.find_local(finished).exists() and count("productions") == 1
    daily_jobs.close_day(clock(), read({"SVC_PRODUCTION_DAYS": "30"}), remover)
    assert count("productions") == 0


def test_what_sandboxes_made_is_kept_as_long_as_their_own_settings_say(
    finished, clock, storage, remover
):
    """By default files for 30 days and the rest for 180."""
    elsewhere = read({"SVC_SANDBOX_MEDIA_DAYS": "60", "SVC_SANDBOX_PRODUCTION_DAYS": "0"})
    clock.tick(29 * DAY / 1000)
    daily_jobs.close_day(clock(), read({}), remover)
    clock.tick(2 * DAY / 1000)
    daily_jobs.close_day(clock(), elsewhere, remover)
    assert storage.files.find_local(finished).exists()
    daily_jobs.close_day(clock(), read({}), remover)
    assert not storage.files.find_local(finished).exists()
    clock.tick(148 * DAY / 1000)
    daily_jobs.close_day(clock(), read({}), remover)
    assert count("productions") == 1
    clock.tick(2 * DAY / 1000)
    daily_jobs.close_day(clock(), elsewhere, remover)
    assert count("productions") == 1
    daily_jobs.close_day(clock(), read({}), remover)
    assert count("productions") == 0


def trigger_batch(person, clock, *changes: dict, account: str = "sandboxAccountId") -> str:
    """Trigger a batch, of which nothing is left to do."""
    path = f"/v1/accounts/{person.seeded[account]}/batches"
    batch = body(person.post(path, json={"items": [person.brief(**each) for each in changes]}))
    person.post(f"/v1/batches/{batch['batchId']}/cancel", json={})
    complete_cancels(clock)
    return batch["batchId"]


@pytest.mark.parametrize(
    ("account", "setting"),
    [
        ("sandboxAccountId", "SVC_SANDBOX_PRODUCTION_DAYS"),
        ("liveAccountId", "SVC_PRODUCTION_DAYS"),
    ],
)
def test_what_a_batch_says_of_briefs_without_a_production_is_kept_no_longer_than_productions(
    partner, clock, account, setting
):
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 1")
    person = partner.live() if account == "liveAccountId" else partner
    unknown = partner.seeded["partnerId"]
    rows = ({"topic": "One"}, {"topic": "Refused", "avatarId": unknown}, {"topic": "Waited"})
    batch = trigger_batch(person, clock, *rows, account=account)
    others = {"SVC_PRODUCTION_DAYS": "0", "SVC_SANDBOX_PRODUCTION_DAYS": "0"}
    clock.tick(29 * DAY / 1000)
    daily_jobs.close_day(clock(), read(others | {setting: "30"}), lambda _: None)
    assert [row["topic"] for row in plain_sql.rows(TOPICS)] == [None, "Refused", "Waited"]
    clock.tick(2 * DAY / 1000)
    daily_jobs.close_day(clock(), read(others), lambda _: None)
    assert person.get(f"/v1/batches/{batch}").status_code == 200
    daily_jobs.close_day(clock(), read(others | {setting: "30"}), lambda _: None)
    assert person.get(f"/v1/batches/{batch}").status_code == 404
    assert count("batches") == count("batch_items") == count("productions") == 0


def test_a_batch_is_kept_as_long_as_one_of_its_productions(partner, clock):
    kept = read({"SVC_SANDBOX_PRODUCTION_DAYS": "30"})
    batch = body(
        partner.post(
            f"/v1/accounts/{partner.account}/batches", json={"items": [partner.brief()] * 2}
        )
    )["batchId"]
    clock.tick(40 * DAY / 1000)
    daily_jobs.close_day(clock(), kept, lambda _: None)
    partner.post(f"/v1/batches/{batch}/cancel", json={})  # ended after it had waited for long
    complete_cancels(clock)
    clock.tick(29 * DAY / 1000)
    daily_jobs.close_day(clock(), kept, lambda _: None)
    assert partner.get(f"/v1/batches/{batch}").status_code == 200
    clock.tick(2 * DAY / 1000)
    daily_jobs.close_day(clock(), kept, lambda _: None)
    assert partner.get(f"/v1/batches/{batch}").status_code == 404


def test_a_batch_whose_request_was_interrupted_goes_too_unless_something_of_it_is_open(
    partner, clock
):
    kept = read({"SVC_SANDBOX_PRODUCTION_DAYS": "30"})
    unknown = {"topic": "Refused", "avatarId": partner.seeded["partnerId"]}
    trigger_batch(partner, clock, unknown)
    path = f"/v1/accounts/{partner.account}/batches"
    partner.post(path, json={"items": [partner.brief(topic="Open")]})
    with db.transaction():
        plain_sql.execute("UPDATE batches SET handled_at = NULL, finished_at = NULL")
    clock.tick(31 * DAY / 1000)
    daily_jobs.close_day(clock(), kept, lambda _: None)
    assert count("batches") == count("batch_items") == 1 == count("productions")


@pytest.mark.parametrize("action", ["resume", "cancel"])
def test_a_batch_that_retention_removes_during_a_request_is_as_unknown_as_any(
    partner, clock, monkeypatch, action
):
    batch = trigger_batch(partner, clock, {"topic": "One"})
    find = batch_rows.find_addressed_batch

    def find_at_last(batch_id: str):
        found = find(batch_id)
        batches.prune(clock() + 1)
        return found

    monkeypatch.setattr(batch_rows, "find_addressed_batch", find_at_last)
    refused(partner.post(f"/v1/batches/{batch}/{action}", json={}), 404, "NOT_FOUND")


@pytest.mark.parametrize("step", ["before the production is read", "before it is triggered"])
def test_productions_that_retention_removes_during_a_resumption_are_not_triggered_again(
    partner, clock, monkeypatch, step
):
    batch = trigger_batch(partner, clock, {"topic": "One"}, {"topic": "Two"})

    def then_prune(function):
        def call(*args, **values):
            result = function(*args, **values)
            retention.prune_productions(clock() + 1, clock())
            return result

        return call

    if step == "before it is triggered":
        screen = then_prune(productions.screen_before_trigger)
        monkeypatch.setattr(productions, "screen_before_trigger", screen)
    else:
        listed = SimpleNamespace(rows=then_prune(batch_rows._STOPPED.rows))
        monkeypatch.setattr(batch_rows, "_STOPPED", listed)
    counts = body(partner.post(f"/v1/batches/{batch}/resume", json={}))["counts"]
    assert counts["removed"] == 2 and count("productions") == 0


TOPICS = "SELECT topic FROM batch_items ORDER BY position"


def test_a_day_is_closed_once_whenever_the_machine_wakes(app, clock):
    assert daily_jobs.begin_day(clock()) and not daily_jobs.begin_day(clock())
    daily_jobs.end_day(clock())
    clock.tick(11 * 3600)
    assert not daily_jobs.begin_day(clock())
    clock.tick(2 * 3600)
    assert daily_jobs.begin_day(clock())


def test_a_day_that_was_begun_and_not_ended_is_begun_again(app, clock):
    assert daily_jobs.begin_day(clock())
    clock.tick(14 * 60)
    assert not daily_jobs.begin_day(clock())
    clock.tick(60)
    began_at = clock()
    assert daily_jobs.begin_day(began_at)
    clock.tick(-3600)  # it is set back: nobody can have begun so late
    assert daily_jobs.begin_day(clock())
    clock.tick(20 * 3600)  # it took until the next day, whose jobs are due, too
    daily_jobs.end_day(began_at)
    assert daily_jobs.begin_day(clock())


@pytest.mark.sqlite("measures the file")
def test_the_database_gives_back_what_pruning_left_free(app, clock):
    path = db.path()
    with db.transaction():
        plain_sql.execute_many(
            "INSERT INTO meta VALUES (?, ?)", [(f"n{number}", "x" * 4000) for number in range(5000)]
        )
    upkeep.checkpoint()
    grown = path.stat().st_size
    with db.transaction():
        plain_sql.execute("DELETE FROM meta WHERE value LIKE 'xxx%'")
    daily_jobs.shrink_database()
    upkeep.checkpoint()
    assert grown > 20_000_000 and path.stat().st_size < grown / 2
    assert upkeep.measure_free_share() <= 0.2


def test_what_a_clock_dated_that_was_ahead_is_kept_as_long_as_the_rest_once_that_is_known(
    app, partner, finished, clock
):
    given = read({"SVC_MEDIA_DAYS": "10", "SVC_PRODUCTION_DAYS": "30", "SVC_HISTORY_DAYS": "30"})
    partner.get("/v1/languages")
    app.extensions["svc"].recorder.flush()
    with db.transaction():
        alerts.raise_alert("ClockJumped", "warning", "It was ahead.", clock())
    clock.at -= 300 * DAY  # it was ahead, and is set back
    daily_jobs.close_day(clock(), given, lambda _: None)
    clock.tick(10 * DAY / 1000)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert count("deliverables") and count("productions") == 1
    clock.tick(1)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert (count("deliverables"), count("productions")) == (0, 1)
    clock.tick(20 * DAY / 1000)
    daily_jobs.close_day(clock(), given, lambda _: None)
    left = [table for table in (*HANGING, "productions", "requests", "alerts") if count(table)]
    assert left == []
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert meta.read_text("dated_ahead") is None


def test_a_clock_that_is_behind_removes_nothing_before_it_has_been_so_for_as_long(finished, clock):
    given = read({"SVC_PRODUCTION_DAYS": "30"})
    clock.at -= 1000 * DAY
    daily_jobs.close_day(clock(), given, lambda _: None)
    clock.tick(29 * DAY / 1000)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert count("productions") == 1
    clock.at += 971 * DAY  # it is right again
    daily_jobs.close_day(clock(), given, lambda _: None)
    clock.tick(29 * DAY / 1000)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert count("productions") == 1 and meta.read_text("dated_ahead") is None


def test_what_is_dated_ahead_once_more_begins_anew(partner, finished, clock):
    given = read({"SVC_PRODUCTION_DAYS": "30"})
    clock.at -= 300 * DAY
    daily_jobs.close_day(clock(), given, lambda _: None)
    clock.at += 400 * DAY  # ahead again
    partner.trigger()
    complete_steps(clock)
    publish_all(clock)
    answer(claim(clock()), clock())
    clock.at -= 380 * DAY
    daily_jobs.close_day(clock(), given, lambda _: None)
    clock.tick(20 * DAY / 1000)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert count("productions") == 2
    clock.tick(11 * DAY / 1000)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert count("productions") == 0
