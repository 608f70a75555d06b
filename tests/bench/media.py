"""``python -m tests.bench.media``: our renderer beside moviepy and beside bare ffmpeg, the same
programme, turn about.

moviepy 2.2.1 gets every picture drawn beforehand (tests/bench/with_moviepy.py): once as parts that
it composes, once as finished pictures. It needs an environment of its own; without one, its rows
are left out, and how to make it is printed. Bare ffmpeg gets our own finished frames through a pipe
and only encodes, as it does unless told otherwise: the floor for whoever encodes every frame. How
it does with the preset that we use, which moviepy is given too, is printed besides. A whole
production, two shapes with all deliverables, gates and signatures, is measured step by step. CPU is
what the kernel counted for a process and its children.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import av

from svc.media import model as programme
from svc.media.model import Presenter, Rendition, Timeline, VideoBrief
from svc.media.script import step as script_step
from svc.media.speech import narration
from svc.media.video import render as video
from tests.bench import media_plan, media_steps
from tests.bench.media_steps import Cost

ROOT = Path(__file__).parents[2]
SHAPES = (Rendition("landscape", 1920, 1080), Rendition("portrait", 1080, 1920))
SHAPE = SHAPES[0]
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
_OUR_PRESET = ("-preset", "ultrafast", "-crf", "26")
_HOW = """moviepy is not there: its rows are left out. To have them:
  python -m venv {where} && {python} -m pip install -r tests/bench/media-requirements.txt"""


def cost_of(command: list, feed=None) -> Cost:
    """Run ``command`` to its end; ``feed(pipe)`` writes to its input in the meantime,
    and is not counted.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(
            [str(each) for each in command],
            stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env=_ENVIRONMENT,
            cwd=ROOT,
        )
        if feed:
            feed(child.stdin)
            child.stdin.close()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
        if status:
            said.seek(0)
            sys.exit(f"{command[:4]} failed:\n{said.read().decode(errors='replace')[-2000:]}")
    return Cost(time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def prepare(folder: Path, headings: int | None = None) -> float:
    """Script and narration of tests/bench/media_brief.md, about a minute with charts, a list and a
    figure; its seconds.

    ``headings``: how many of its parts are made; None: all.
    """
    title, *parts = (ROOT / "tests" / "bench" / "media_brief.md").read_text().split("\n## ")
    text = "\n## ".join([title, *parts[:headings]])
    presenter = Presenter("Ada", voice="f3", speaker="heart", hair_style="bun")
    brief = VideoBrief(
        "bench",
        "How a city saves water",
        "Saving water",
        "en",
        "US",
        text,
        presenter,
        SHAPES[:1],
        account_name="Bench",
    )
    whole = folder / "whole"
    whole.mkdir()
    programme.save(replace(brief, renditions=SHAPES), whole / "brief.json")
    programme.save(brief, folder / "brief.json")
    script_step.write_step(brief, folder, _ignore)
    narration.record_narration(brief, folder, _ignore)
    return programme.load(Timeline, folder / "timeline.json").duration


def moviepys(where: Path) -> Path | None:
    """The Python of moviepy's environment; None, and how to make it, if there is none."""
    python = where / "bin" / "python"
    if (
        python.exists()
        and not subprocess.run([python, "-c", "import moviepy"], capture_output=True).returncode
    ):
        return python
    print(_HOW.format(where=where, python=python), flush=True)
    return None


def ffmpeg_of(python: Path | None) -> str:
    """The ffmpeg that moviepy brings, or this machine's: the same for the floor and for SSIM."""
    if python is None:
        return shutil.which("ffmpeg") or sys.exit(
            "ffmpeg is needed: install it, or moviepy's environment."
        )
    ask = "import imageio_ffmpeg as f; print(f.get_ffmpeg_exe())"
    told = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    return told.stdout.strip()


def floor(ffmpeg: str, folder: Path, film: str, *settings: str) -> Cost:
    """Encode the frames of ``film``, which come raw through a pipe."""

    def feed(pipe) -> None:
        with av.open(str(folder / film)) as container:
            for frame in container.decode(video=0):
                pipe.write(frame.to_ndarray().tobytes())

    raw = [
        "-f",
        "rawvideo",
        "-pix_fmt",
        "yuv420p",
        "-s",
        f"{SHAPE.width}x{SHAPE.height}",
        "-r",
        "30",
        "-i",
        "-",
    ]
    encode = ["-c:v", "libx264", *settings, "-c:a", "aac"]
    return cost_of(
        [ffmpeg, "-y", *raw, "-i", folder / "narration.wav", *encode, folder / "floor.mp4"], feed
    )


def ssim(ffmpeg: str, first: Path, second: Path) -> float:
    compare = [ffmpeg, "-i", first, "-i", second, "-lavfi", "ssim", "-f", "null", "-"]
    told = subprocess.run(compare, capture_output=True, text=True, check=True)
    return float(re.search(r"SSIM.*All:([\d.]+)", told.stderr)[1])


def ours(folder: Path, moving: bool) -> Cost:
    return cost_of(
        [sys.executable, "-m", "tests.bench.media", "--render", folder, "on" if moving else "off"]
    )


def render(folder: Path, moving: bool) -> None:
    """In a process of its own: the video step, with nothing from a cache."""
    brief = programme.load(programme.VideoBrief, folder / "brief.json")
    video.render(replace(brief, avatar=replace(brief.avatar, moving=moving)), folder, _ignore)
    (folder / f"{SHAPE.name}.mp4").replace(folder / f"ours-{'on' if moving else 'off'}.mp4")


def middle(costs: list[Cost]) -> Cost:
    return Cost(
        *(
            statistics.median(getattr(each, name) for each in costs)
            for name in ("wall", "cpu", "megabytes")
        )
    )


def measure(folder: Path, python: Path | None, rounds: int) -> dict[str, Cost]:
    """The median of ``rounds`` of each, turn about."""
    ffmpeg, found = ffmpeg_of(python), {}
    turns = {
        "ours, presenter still": lambda: {"": ours(folder, False)},
        "ours, presenter moving": lambda: {"": ours(folder, True)},
        "floor, presenter still": lambda: {"": floor(ffmpeg, folder, "ours-off.mp4")},
        "floor, presenter moving": lambda: {"": floor(ffmpeg, folder, "ours-on.mp4")},
        "floor, our preset, still": lambda: {
            "": floor(ffmpeg, folder, "ours-off.mp4", *_OUR_PRESET)
        },
        "floor, our preset, moving": lambda: {
            "": floor(ffmpeg, folder, "ours-on.mp4", *_OUR_PRESET)
        },
        "whole production": lambda: whole_production(folder / "whole"),
    }
    if python is not None:
        turns |= {
            f"moviepy, {kind}": lambda kind=kind: {"": peers(python, folder, kind)}
            for kind in ("composed", "baked")
        }
    for number in range(rounds):
        for name, run in turns.items():
            for part, cost in run().items():
                found.setdefault(name + part, []).append(cost)
                figures = f"{cost.wall:7.1f} s {cost.cpu:7.1f} CPU s {cost.megabytes:5.0f} MB"
                print(f"  round {number + 1}: {name + part:30} {figures}", flush=True)
    return {name: middle(costs) for name, costs in found.items()}


def whole_production(folder: Path) -> dict[str, Cost]:
    """All steps with an empty cache, and each of them."""
    steps = media_steps.of_each(folder)
    return {"": media_steps.total(steps), **{f": {name}": cost for name, cost in steps.items()}}


def peers(python: Path, folder: Path, kind: str) -> Cost:
    """moviepy with the pictures of our film; drawing them is not counted.

    The presenter moves only in finished pictures.
    """
    plan = media_plan.bake(folder, "ours-on.mp4") if kind == "baked" else media_plan.write(folder)
    return cost_of(
        [
            python,
            ROOT / "tests" / "bench" / "with_moviepy.py",
            kind,
            plan,
            folder / f"moviepy-{kind}.mp4",
        ]
    )


def report(costs: dict[str, Cost], likeness: float | None, seconds: float) -> bool:
    """Print what was asked and what was found; whether all of it holds."""
    still, moving, whole = (
        costs["ours, presenter still"],
        costs["ours, presenter moving"],
        costs["whole production"],
    )
    asked = [
        (
            "our CPU over the floor's, presenter still",
            still.cpu / costs["floor, presenter still"].cpu,
            "<=",
            0.30,
        ),
        (
            "our CPU over the floor's, presenter moving",
            moving.cpu / costs["floor, presenter moving"].cpu,
            "<=",
            0.45,
        ),
        ("whole production over the programme's duration", whole.wall / seconds, "<=", 0.5),
        ("megabytes", max(still.megabytes, moving.megabytes, whole.megabytes), "<=", 700),
    ]
    if likeness is not None:
        composed, baked = costs["moviepy, composed"], costs["moviepy, baked"]
        asked += [
            ("composed by moviepy: its wall time over ours", composed.wall / still.wall, ">=", 20),
            ("composed by moviepy: its CPU over ours", composed.cpu / still.cpu, ">=", 20),
            ("finished pictures by moviepy: wall over ours", baked.wall / moving.wall, ">=", 4),
            ("SSIM against moviepy's picture", likeness, ">=", 0.98),
        ]
    shape = f"{SHAPE.width}×{SHAPE.height}"
    print(
        f"\n{seconds:.1f} s of programme, {shape}, load {os.getloadavg()[0]:.1f} on "
        f"{os.cpu_count()} cores"
    )
    held = True
    for name, found, sign, limit in asked:
        good = found >= limit if sign == ">=" else found <= limit
        held &= good
        print(f"  {'yes' if good else 'NO '} {name:48} {found:8.3f}   asked {sign} {limit}")
    _steps(costs, whole)
    return held


def _steps(costs: dict[str, Cost], whole: Cost) -> None:
    """Print the share of each step, and of a bare encoder with our preset in the video step
    of one shape.
    """
    bare = costs["floor, our preset, moving"].cpu / costs["ours, presenter moving"].cpu
    print(
        f"\na bare encoder with our preset, every frame: {bare:.2f} of our video step's CPU, "
        "presenter moving"
    )
    for name, cost in costs.items():
        if name.startswith("whole production: "):
            share = f"{cost.cpu:6.1f} CPU s, {cost.cpu / whole.cpu:4.0%}, {cost.megabytes:4.0f} MB"
            print(f"  {name.removeprefix('whole production: '):12} {share}")


def _ignore(fraction: float) -> None:
    """Progress that nobody watches."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    own = Path(tempfile.gettempdir(), "bench-moviepy-2.2.1")
    parser.add_argument("--venv", type=Path, default=own, help="moviepy's own environment")
    parser.add_argument(
        "--headings",
        type=int,
        help="of the brief, for a shorter programme; moviepy takes minutes for all",
    )
    parser.add_argument("--render", nargs=2, metavar=("FOLDER", "on|off"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.render:
        render(Path(given.render[0]), given.render[1] == "on")
        return
    python = moviepys(given.venv)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        seconds = prepare(folder, given.headings)
        costs = measure(folder, python, given.rounds)
        composed = folder / "moviepy-composed.mp4"
        likeness = ssim(ffmpeg_of(python), folder / "ours-off.mp4", composed) if python else None
        sys.exit(not report(costs, likeness, seconds))


if __name__ == "__main__":
    main()
