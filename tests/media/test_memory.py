"""A step's memory does not depend on the length of the programme."""

import subprocess
import sys
from pathlib import Path

import pytest

from svc.media import model as programme
from svc.media.model import Rendition, Timeline
from svc.work.step_process.config import StepConfig

ROOT = Path(__file__).parents[2]
SENTENCE = (
    "Morning {n} brings a tide that is a little higher than the one before, and the boats in the "
    "harbour rise with it. "
)
LARGE = (Rendition("landscape", 1920, 1080), Rendition("portrait", 540, 960))
SMALL = (Rendition("landscape", 320, 180), Rendition("portrait", 180, 320))


STEPS = ("script", "narration", "video", "captions", "description", "checks")
MEASURE = """
import resource, subprocess, sys
with open(sys.argv[1], "wb") as said:
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE,
        stdout=said, stderr=said, start_new_session=True)
    child.stdin.write(sys.stdin.buffer.read())
    child.stdin.flush()
    child.wait()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def megabytes_of(step: str, folder: Path) -> float:
    """The most that the step's process held. Linux counts what a process held before its exec,
    which is its parent's memory: a small parent stands between it and the tests, which may hold a
    gigabyte."""
    said = folder / "said.txt"
    step_process = [sys.executable, "-m", "svc.work.step_process.child", step, str(folder)]
    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, str(said), *step_process],
        input=StepConfig().to_json().encode() + b"\n",
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
    )
    assert said.read_bytes().rstrip().endswith(b'{"done": true}')
    return int(measured.stdout) / 1024


def steps(brief, folder: Path) -> dict[str, float]:
    folder.mkdir()
    programme.save(brief, folder / "brief.json")
    return {step: megabytes_of(step, folder) for step in STEPS}


def text(sentences: int) -> str:
    return "".join(SENTENCE.format(n=number) for number in range(sentences))


@pytest.mark.slow
def test_a_programme_of_ten_minutes_stays_under_700_megabytes(make_brief, tmp_path):
    held = steps(make_brief(metadata_md=text(94), renditions=LARGE), tmp_path / "long")
    assert programme.load(Timeline, tmp_path / "long" / "timeline.json").duration > 600
    assert max(held.values()) < 700, held


@pytest.mark.slow
def test_a_programme_ten_times_as_long_needs_hardly_more_memory_in_any_step(make_brief, tmp_path):
    short, long = (
        steps(make_brief(metadata_md=text(count), renditions=SMALL), tmp_path / f"{count}")
        for count in (6, 60)
    )
    assert all(long[step] < short[step] + 50 for step in STEPS), (short, long)
