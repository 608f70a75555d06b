"""How long a text takes to be spoken, by its length."""

from svc.domain.briefing.durations import seconds_to_say


def test_a_region_speaks_at_the_pace_of_its_language():
    assert seconds_to_say(90, "zh") == seconds_to_say(90, "zh-TW") == 20
    assert seconds_to_say(90, "es") == seconds_to_say(90, "es-419") == 6
