"""How long a text takes to be spoken, by its length."""

from svc.domain.lifecycle.speech_duration import estimate_speech_seconds


def test_a_region_speaks_at_the_pace_of_its_language():
    assert estimate_speech_seconds(90, "zh") == estimate_speech_seconds(90, "zh-TW") == 20
    assert estimate_speech_seconds(90, "es") == estimate_speech_seconds(90, "es-419") == 6
