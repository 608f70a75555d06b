"""``python -m tests.bench.media``: our renderer beside moviepy and beside bare ffmpeg, the same programme, turn about.

moviepy 2.2.1 gets every picture drawn beforehand (tests/bench/with_moviepy.py, in an environment that is made for it); bare
ffmpeg gets our own finished frames through a pipe and only encodes, as it does unless told otherwise: the floor for whoever
encodes every frame. How it does with the preset that we use, which moviepy is given too, is printed besides. CPU is what the
kernel counted for a process and its children.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass, replace
from pathlib import Path

import av

from svc.media import model as programme
from svc.media.model import Presenter, Rendition, Timeline, VideoBrief
from svc.media.script import step as script_step
from svc.media.speech import narration
from svc.media.video import render as video
from tests.bench import media_plan

ROOT = Path(__file__).parents[2]
SHAPE = ("landscape", 1920, 1080)
MOVIEPY = ROOT / "tests" / "bench" / "media-requirements.txt"
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class Cost:
    wall: float  # seconds
    cpu: float  # seconds
    megabytes: float  # of the largest process


def cost_of(command: list, feed=None) -> Cost:
    """Run ``command`` to its end; ``feed(pipe)`` writes to its input in the meantime, and is not counted."""
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


def prepare(folder: Path) -> float:
    """Script and narration of the demo's brief, about half a minute; its seconds."""
    text = (ROOT / "svc" / "cli" / "demo" / "brief.md").read_text()
    presenter = Presenter("Ada", voice="f3", hair_style="bun")
    brief = VideoBrief(
        "bench", "How tides work", "How tides work", "en", "US", text, presenter, (Rendition(*SHAPE),), account_name="Bench"
    )
    programme.save(brief, folder / "brief.json")
    script_step.write(brief, folder, _ignore)
    narration.record(brief, folder, _ignore)
    return programme.load(Timeline, folder / "timeline.json").duration


def moviepys(where: Path) -> Path:
    """The Python of moviepy's environment, made on the first run."""
    python = where / "bin" / "python"
    if not python.exists():
        print(f"making an environment for moviepy in {where} …", flush=True)
        venv.create(where, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", MOVIEPY], check=True)
    return python


def ffmpeg_of(python: Path) -> str:
    """The ffmpeg that moviepy brings: the same for the floor and for SSIM."""
    ask = "import imageio_ffmpeg as f; print(f.get_ffmpeg_exe())"
    told = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    return told.stdout.strip()


def floor(ffmpeg: str, folder: Path, film: str, *settings: str) -> Cost:
    """Encode the frames of ``film``, which come raw through a pipe."""

    def feed(pipe) -> None:
        with av.open(str(folder / film)) as container:
            for frame in container.decode(video=0):
                pipe.write(frame.to_ndarray().tobytes())

    raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{SHAPE[1]}x{SHAPE[2]}", "-r", "30", "-i", "-"]
    encode = ["-c:v", "libx264", *settings, "-c:a", "aac"]
    return cost_of([ffmpeg, "-y", *raw, "-i", folder / "narration.wav", *encode, folder / "floor.mp4"], feed)


def ssim(ffmpeg: str, first: Path, second: Path) -> float:
    compare = [ffmpeg, "-i", first, "-i", second, "-lavfi", "ssim", "-f", "null", "-"]
    told = subprocess.run(compare, capture_output=True, text=True, check=True)
    return float(re.search(r"SSIM.*All:([\d.]+)", told.stderr)[1])


def ours(folder: Path, moving: bool) -> Cost:
    return cost_of([sys.executable, "-m", "tests.bench.media", "--render", folder, "on" if moving else "off"])


def render(folder: Path, moving: bool) -> None:
    """In a process of its own: the video step, with nothing from a cache."""
    brief = programme.load(programme.VideoBrief, folder / "brief.json")
    video.render(replace(brief, avatar=replace(brief.avatar, moving=moving)), folder, _ignore)
    (folder / f"{SHAPE[0]}.mp4").replace(folder / f"ours-{'on' if moving else 'off'}.mp4")


def whole_production(folder: Path) -> Cost:
    """``python app.py render``: two shapes, all deliverables, gates and signatures, with an empty data directory."""
    with tempfile.TemporaryDirectory(dir=folder) as data:
        _ENVIRONMENT["SVC_DATA_DIR"] = data
        return cost_of([sys.executable, "app.py", "render", "svc/cli/demo/brief.md", "-o", folder / "whole"])


def middle(costs: list[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(each, name) for each in costs) for name in ("wall", "cpu", "megabytes")))


def measure(folder: Path, python: Path, rounds: int) -> dict[str, Cost]:
    """The median of ``rounds`` of each, turn about."""
    ffmpeg, plan, found = ffmpeg_of(python), media_plan.write(folder), {}
    peer = [python, ROOT / "tests" / "bench" / "with_moviepy.py", plan, folder / "moviepy.mp4"]
    turns = {
        "ours, presenter still": lambda: ours(folder, False),
        "ours, presenter moving": lambda: ours(folder, True),
        "floor, presenter still": lambda: floor(ffmpeg, folder, "ours-off.mp4"),
        "floor, presenter moving": lambda: floor(ffmpeg, folder, "ours-on.mp4"),
        "floor, still, our preset": lambda: floor(ffmpeg, folder, "ours-off.mp4", "-preset", "ultrafast", "-crf", "26"),
        "moviepy 2.2.1": lambda: cost_of(peer),
        "whole production": lambda: whole_production(folder),
    }
    for number in range(rounds):
        for name, run in turns.items():
            found.setdefault(name, []).append(run())
            last = found[name][-1]
            figures = f"{last.wall:7.1f} s {last.cpu:7.1f} CPU s {last.megabytes:5.0f} MB"
            print(f"  round {number + 1}: {name:24} {figures}", flush=True)
    return {name: middle(costs) for name, costs in found.items()}


def report(costs: dict[str, Cost], likeness: float, seconds: float) -> bool:
    """Print what was asked and what was found; whether all of it holds."""
    still, moving, peer = costs["ours, presenter still"], costs["ours, presenter moving"], costs["moviepy 2.2.1"]
    whole = costs["whole production"]
    asked = [
        ("moviepy's wall time over ours", peer.wall / still.wall, ">=", 25),
        ("moviepy's CPU over ours", peer.cpu / still.cpu, ">=", 25),
        ("our CPU over the floor's, presenter still", still.cpu / costs["floor, presenter still"].cpu, "<=", 0.30),
        ("our CPU over the floor's, presenter moving", moving.cpu / costs["floor, presenter moving"].cpu, "<=", 0.45),
        ("whole production over the programme's duration", whole.wall / seconds, "<=", 0.35),
        ("megabytes", max(still.megabytes, moving.megabytes, whole.megabytes), "<=", 500),
        ("SSIM against moviepy's picture", likeness, ">=", 0.98),
    ]
    print(f"\n{seconds:.1f} s of programme, {SHAPE[1]}×{SHAPE[2]}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    held = True
    for name, found, sign, limit in asked:
        good = found >= limit if sign == ">=" else found <= limit
        held &= good
        print(f"  {'yes' if good else 'NO '} {name:48} {found:8.3f}   asked {sign} {limit}")
    return held


def _ignore(fraction: float) -> None:
    """Progress that nobody watches."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir(), "bench-moviepy-2.2.1"), help="moviepy's own")
    parser.add_argument("--render", nargs=2, metavar=("FOLDER", "on|off"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.render:
        render(Path(given.render[0]), given.render[1] == "on")
        return
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        seconds, python = prepare(folder), moviepys(given.venv)
        costs = measure(folder, python, given.rounds)
        likeness = ssim(ffmpeg_of(python), folder / "ours-off.mp4", folder / "moviepy.mp4")
        sys.exit(not report(costs, likeness, seconds))


if __name__ == "__main__":
    main()
