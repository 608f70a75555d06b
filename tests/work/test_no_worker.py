"""The alert that steps wait which no living process can run."""

import pytest
from support import plain_sql
from support.cast import body
from support.stage import DRIVER, complete_steps

from svc.base import ids, voices
from svc.base.text import languages
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import workers
from svc.domain.people import identity
from svc.domain.people.users import Viewer
from svc.domain.productions import progress
from tests.work.test_signs_of_life import sign

US = Viewer(None, "us", "us", identity.OPERATOR, None)
EVERYWHERE = render_queue.STEP_NAMES
SPOKEN = render_queue.ALL_ABILITIES.difference(
    voices.OPTIONAL
)  # what a process can run that lacks the voices
HELD = "---\nsandbox:\n  holdIn: Queued\n---\n"
SLOW = "---\nsandbox:\n  slowStep: script\n  slowSeconds: 600\n---\n"
LATE = 40  # seconds, more than a step may wait


@pytest.fixture
def alerts(app, clock):
    """Look for steps in vain; return the messages of all alerts so far."""

    def look(own=0, can_run=render_queue.ALL_ABILITIES) -> list[str]:
        workers.alert_if_none_can_run(own, frozenset(can_run), clock())
        return [
            row["message"]
            for row in plain_sql.rows(
                "SELECT message FROM alerts WHERE name = 'NoWorker' ORDER BY id"
            )
        ]

    return look


@pytest.fixture
def narration(partner, clock):
    """A production that waits for its narration since just now."""
    made = body(partner.trigger())["productionId"]
    render_queue.release_claim(complete_steps(clock, 1))
    return made


@pytest.mark.parametrize(("own", "there", "raised"), [(0, 0, 1), (1, 0, 0), (0, 1, 0)])
def test_steps_that_wait_where_nothing_could_run_them_raise_an_alert(
    partner, clock, alerts, own, there, raised
):
    alerts(own)
    partner.trigger()
    assert alerts(own) == []  # it waits for a moment only
    clock.tick(LATE)
    if there:
        sign(clock)
    sign(clock, "there:9", role="standby", steps=0)
    assert len(alerts(own)) == raised


def test_a_step_that_no_living_worker_may_run_raises_an_alert_that_names_it_and_says_what_to_do(
    narration, clock, alerts
):
    clock.tick(LATE)
    sign(clock, can_run=("captions", "script"))
    [message] = alerts()
    assert message == (
        "Steps wait (narration), and no server or worker that runs may run them. "
        "Start a worker with `python app.py worker --only narration`, or one without `--only`."
    )


def test_each_step_that_waits_in_vain_is_named_once(narration, partner, clock, alerts):
    partner.trigger()
    partner.trigger()
    clock.tick(LATE)
    sign(clock, can_run=("captions",))
    [message] = alerts()
    assert "(script, narration)" in message and "--only script --only narration`" in message


def test_a_step_that_may_be_run_here_or_there_is_not_named(narration, partner, clock, alerts):
    partner.trigger()
    clock.tick(LATE)
    sign(clock, can_run=("script",))
    [message] = alerts()
    assert "(narration)" in message
    sign(clock, "there:2", can_run=("narration",))
    clock.tick(3601)
    sign(clock, can_run=("script",))
    sign(clock, "there:2", can_run=("narration",))
    assert alerts() == [message]


def test_what_the_driver_itself_may_not_run_counts_as_little(narration, clock, alerts):
    clock.tick(LATE)
    assert alerts(1, SPOKEN) == []
    assert "(narration)" in alerts(1, {"script", "captions"})[0]


def test_a_silent_worker_runs_nothing_and_a_restricted_one_does_not_replace_it(
    narration, clock, alerts
):
    sign(clock)
    sign(clock, "there:2", can_run=("narration",))
    clock.tick(LATE)
    sign(clock)
    assert "(narration)" in alerts()[0]


@pytest.mark.parametrize("whose", ["all", "partner"])
def test_a_paused_queue_is_no_reason_for_that_alert(narration, partner, clock, alerts, whose):
    render_queue.pause(US, None if whose == "all" else partner.seeded["partnerId"], clock())
    clock.tick(LATE)
    assert alerts() == []
    sign(clock, can_run=("captions",))
    assert alerts() == []
    render_queue.resume(US, None if whose == "all" else partner.seeded["partnerId"], clock())
    assert len(alerts()) == 1


@pytest.mark.parametrize("notes", [HELD, SLOW])
def test_a_production_that_a_scenario_holds_or_delays_waits_for_nobody(
    partner, clock, alerts, notes
):
    partner.trigger(metadataMD=notes)
    claim = render_queue.claim_next(DRIVER, clock())
    if claim is not None:  # its first step is put off
        assert progress.start_step(claim, clock()) is None
        render_queue.release_claim(claim)
    clock.tick(LATE)
    sign(clock, can_run=("captions",))
    assert alerts() == []


def test_the_alert_is_raised_again_after_an_hour_and_not_before(narration, clock, alerts):
    for seconds, number in ((LATE, 1), (60, 1), (3500, 1), (100, 2)):
        clock.tick(seconds)
        sign(clock, can_run=("captions",))
        assert len(alerts()) == number


@pytest.mark.parametrize(
    ("there", "raised"),
    [
        ([SPOKEN], 0),  # nobody has the voice: any process speaks
        ([SPOKEN, {"kokoro", "video"}], 0),  # this one has it, and does not speak
        ([{"script"}, render_queue.ALL_ABILITIES], 0),  # it waits for the one that has it
        ([{"kokoro", "description"}], 1),
        ([{"kokoro", "script"}, {"video"}], 1),
    ],
)
def test_a_voice_that_only_some_have_keeps_no_step_from_others_that_may_speak(
    partner, clock, alerts, there, raised
):
    partner.trigger(languageId=ids.derive_id("language", "es"))
    render_queue.release_claim(complete_steps(clock, 1))
    assert plain_sql.one("SELECT voice_model FROM productions")["voice_model"] == "kokoro"
    clock.tick(LATE)
    for number, can_run in enumerate(there):
        sign(clock, f"there:{number}", can_run=can_run)
    assert len(alerts()) == raised


@pytest.fixture
def japanese(partner, clock):
    """A production in a language that only a speech endpoint speaks, which has waited for long."""
    languages.offer_languages(("ja",))
    yield body(partner.trigger(languageId=ids.derive_id("language", "ja")))["productionId"]
    languages.offer_languages(())


@pytest.mark.parametrize("own", [0, 1])
def test_a_language_that_no_living_process_speaks_raises_the_alert_with_its_code(
    japanese, clock, alerts, own
):
    clock.tick(LATE)
    sign(clock, can_run=EVERYWHERE if not own else {"captions"})
    [message] = alerts(own, EVERYWHERE)
    assert message.startswith(
        "Productions in ja wait (script), and no server or worker that runs such steps speaks it. "
    )


def test_one_process_must_have_both_the_step_and_the_language(japanese, clock, alerts):
    clock.tick(LATE)
    sign(clock, can_run=EVERYWHERE)
    sign(clock, "there:2", can_run={"captions", "ja"})
    assert "Productions in ja wait (script)" in alerts()[0]


def test_a_process_that_speaks_the_language_and_may_run_the_step_is_enough(japanese, clock, alerts):
    clock.tick(LATE)
    sign(clock, can_run={"script", "ja"})
    assert alerts() == []


def test_a_step_and_a_language_that_nobody_has_are_both_named(narration, japanese, clock, alerts):
    clock.tick(LATE)
    sign(clock, can_run={"script"})
    [message] = alerts()
    assert "Steps wait (narration)" in message and "Productions in ja wait (script)" in message
