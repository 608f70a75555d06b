"""A whole film in Japanese, spoken by an endpoint over real HTTP: made by every step,
and passed by every gate.
"""

import dataclasses
from types import SimpleNamespace

import pytest
from media.brief_sheet import read

from svc.adapters.model_api import Endpoint, Speech
from svc.base import steps as names
from svc.media import steps
from svc.media.captions import parse as subtitles
from svc.media.model import QualityFindings, Rendition, load
from svc.media.resources import Resources
from svc.media.speech.remote import RemoteVoice
from tests.support import endpoints

pytestmark = pytest.mark.slow

SMALL = (Rendition("landscape", 640, 360), Rendition("portrait", 360, 640))


def make(folder, renditions=SMALL) -> SimpleNamespace:
    """All files of the Japanese brief but the certificate in ``folder``,
    and what the endpoint was asked to say.
    """
    brief = dataclasses.replace(read("japanese"), renditions=renditions, country="JP")
    with endpoints.Endpoint(endpoints.speaks_japanese) as endpoint:
        voice = RemoteVoice(
            Speech(Endpoint(endpoint.url, "stand-in"), "alloy", lambda charge: None)
        )
        for step in steps.PIPELINE_STEPS:
            if step.name != "certificate":
                step.run(brief, folder, lambda fraction: None, Resources(voice=voice))
        said = [body["input"] for _, _, body in endpoint.asked]
    return SimpleNamespace(brief=brief, folder=folder, said=said)


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    pytest.importorskip("noto_cjk_sans_otc")
    return make(tmp_path_factory.mktemp("japanese"))


def test_every_gate_passes(film):
    findings = load(QualityFindings, film.folder / "findings.json").findings
    assert len(findings) > 60 and all(finding.passed for finding in findings)
    assert {
        "captions and sound",
        "beginnings of caption lines",
        "coverage of the notes",
        "missing glyphs",
    } <= {finding.check for finding in findings}
    assert len(steps.PIPELINE_STEPS) == len(names.STEPS)


def test_the_voice_was_given_the_text_as_it_is_written(film):
    said = "".join(film.said)
    assert "1191年に栄西が" in said and "27,000トン" in said and "2027年5月2日（日）" in said
    assert "\u2060" not in said and " " not in said.replace("Harbour & Sons", "")
    # a heading gets the full stop that it has not
    assert "おいしい淹れ方。お湯を70℃まで冷まします。" in said


def test_cues_begin_with_their_sound_and_are_lines_of_twenty_signs(film):
    cues = subtitles.read_cues(film.folder / "captions.srt")
    assert all(
        len(line) <= 20
        for cue in cues
        for line in cue.lines
        if not line.isascii() and "Sons" not in line
    )
    sound = [
        finding.measured
        for finding in load(QualityFindings, film.folder / "findings.json").findings
        if finding.check == "captions and sound"
    ]
    assert sound and all(abs(float(text.removesuffix(" ms"))) <= 150 for text in sound)
