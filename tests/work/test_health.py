"""Whether a process is fit to run steps: when it is sick, and how it recovers."""

import errno

import pytest
from support.tables import each_of

from svc.base import clock, outage
from svc.domain.retry_schedule import SICK_DELAYS
from svc.work import health
from svc.work.health import FAILURES_ALLOWED, Health

FULL = outage.DISK_FULL
FIRST = SICK_DELAYS[0] / clock.SECOND


class Place:
    """The place of a process, with a steady clock; ``problem``: what is wrong with it."""

    def __init__(self):
        self.problem, self.now, self.asked = None, 100.0, []

    def find_problem(self, trouble):
        self.asked.append(trouble)
        return self.problem

    def steady(self) -> float:
        return self.now


@pytest.fixture
def place():
    return Place()


@pytest.fixture
def fit(place):
    return Health(place.find_problem, place.steady)


def fail(fit, number: int, trouble=None) -> None:
    for each in range(number):
        fit.record_failure(f"production {each}", "it broke", trouble)


def test_three_failures_in_a_row_are_a_sickness(fit):
    fail(fit, FAILURES_ALLOWED - 1)
    assert fit.sickness is None
    fit.record_failure("another", "it broke again")
    assert fit.sickness == "it broke again"


def test_a_success_in_between_begins_the_row_anew(fit):
    for _ in range(5):
        fail(fit, FAILURES_ALLOWED - 1)
        fit.record_success()
    assert fit.sickness is None and fit.is_proven


def test_one_production_that_fails_each_time_makes_nobody_sick(fit):
    for _ in range(2 * FAILURES_ALLOWED):
        fit.record_failure("the same", "it broke")
    assert fit.sickness is None


def test_an_outage_makes_sick_at_whichever_production(fit):
    for _ in range(FAILURES_ALLOWED):
        fit.record_failure("the same", "no room", FULL)
    assert fit.sickness == "no room"


def test_it_looks_at_its_place_after_a_while_and_until_it_is_usable(fit, place):
    fail(fit, FAILURES_ALLOWED, FULL)
    fit.check_place()
    assert place.asked == []
    place.problem = "still no room"
    for _ in range(3):
        place.now += FIRST
        fit.check_place()
        assert fit.sickness == "still no room"
    place.problem = None
    fit.check_place()
    assert fit.sickness == "still no room"  # it has just looked
    place.now += FIRST
    fit.check_place()
    assert fit.sickness is None and place.asked == [FULL] * 4 and not fit.is_proven


def test_who_fails_again_on_trial_is_sick_at_once_and_waits_longer(fit, place):
    fail(fit, FAILURES_ALLOWED)
    for seconds in (*(each / clock.SECOND for each in SICK_DELAYS), SICK_DELAYS[-1] / clock.SECOND):
        place.now += seconds - 0.5
        fit.check_place()
        assert fit.sickness
        place.now += 0.5
        fit.check_place()
        assert fit.sickness is None
        fit.record_failure("production 0", "it broke")  # also at one that failed before
        assert fit.sickness
    fit.record_success()
    assert fit.sickness is None and fit.is_proven
    fail(fit, FAILURES_ALLOWED - 1)
    assert fit.sickness is None


@pytest.fixture
def examine(app):
    service = app.extensions["svc"]
    return service.settings, lambda trouble=None: health.find_problem(
        service.settings, service.storage, trouble
    )


def test_a_usable_place_has_no_problem_and_nothing_is_left_in_it(examine):
    settings, problem = examine
    assert problem() is None and list(settings.work_dir.iterdir()) == []


def test_a_file_in_place_of_the_work_folder_is_named(examine):
    settings, problem = examine
    if settings.work_dir.is_dir():
        settings.work_dir.rmdir()
    settings.work_dir.write_text("")
    assert "work is no folder: move it away" in problem()


@each_of(
    ("code", "says"),
    [
        (errno.EACCES, "cannot be written"),
        (errno.ENOSPC, "make room"),
        (errno.EROFS, "mount its disk for writing"),
        (errno.EXDEV, "Steps cannot be run."),
    ],
)
def test_what_hinders_a_file_in_the_work_folder_is_named(code, says, examine):
    def refuse(**_):
        raise OSError(code, "refused", str(examine[0].work_dir))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(health.tempfile, "TemporaryFile", refuse)
        assert says in examine[1]()


def test_a_full_disk_is_named(examine, monkeypatch):
    monkeypatch.setattr(health, "NO_ROOM", 2**62)
    assert "make room" in examine[1]()


def test_the_bucket_is_asked_only_after_it_failed(examine, app, monkeypatch):
    monkeypatch.setattr(app.extensions["svc"].storage.files, "find_problem", lambda: "no answer")
    assert examine[1]() is None
    assert examine[1](outage.FILE_STORE_UNAVAILABLE) == "no answer"
