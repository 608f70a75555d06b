"""``python -m tests.bench.media_length --minutes 30``: what each step of a long programme holds,
beside one of a minute.

Both are made whole, with every gate, in two shapes, each step in a process of its own as the
service runs it. Prints the most memory that a step held, its processor time for a second of
programme, and the ratio of the two programmes.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from svc.media.model import Presenter, Rendition, Timeline, VideoBrief, load, save
from tests.bench import media_steps
from tests.bench.media_steps import Cost

_A_MINUTE = 9.4  # sentences
_SENTENCE = (
    "Morning {n} brings a tide that is a little higher than the one before, and the boats in the "
    "harbour rise with it."
)
_SECTION = 6  # sentences


def brief_of(minutes: float, short_side: int) -> VideoBrief:
    """Return a brief of about ``minutes`` of programme, in two shapes whose short side
    has ``short_side`` pixels.
    """
    sentences = [_SENTENCE.format(n=number) for number in range(1, round(minutes * _A_MINUTE) + 1)]
    sections = [sentences[first : first + _SECTION] for first in range(0, len(sentences), _SECTION)]
    notes = "\n\n".join(
        f"## Week {number}\n\n{' '.join(section)}" for number, section in enumerate(sections, 1)
    )
    long_side = short_side * 16 // 9
    shapes = (
        Rendition("landscape", long_side, short_side),
        Rendition("portrait", short_side, long_side),
    )
    return VideoBrief(
        "p", "Tides", "Tides", "en", "US", notes, Presenter("Ada"), shapes, account_name="Harbour"
    )


def measure(minutes: float, short_side: int) -> tuple[float, dict[str, Cost]]:
    """Make a programme; return its seconds and what each step cost."""
    folder = Path(tempfile.mkdtemp(prefix="length."))
    try:
        save(brief_of(minutes, short_side), folder / "brief.json")
        costs = media_steps.of_each(folder)
        return load(Timeline, folder / "timeline.json").duration, costs
    finally:
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--short-side", type=int, default=1080, help="of both shapes, in pixels")
    options = parser.parse_args()
    (one, short), (many, long) = (
        measure(minutes, options.short_side) for minutes in (1, options.minutes)
    )
    print(
        f"{'step':<12} {f'{one / 60:.1f} min':>12} {f'{many / 60:.1f} min':>12}   ratio   CPU "
        "seconds a second"
    )
    for name, cost in long.items():
        before = short[name]
        figures = (
            f"{before.megabytes:>9.0f} MB {cost.megabytes:>9.0f} MB   "
            f"{cost.megabytes / before.megabytes:5.2f}"
        )
        print(f"{name:<12} {figures}   {before.cpu / one:.3f} → {cost.cpu / many:.3f}")
    most = [media_steps.total(each).megabytes for each in (short, long)]
    print(f"{'at most':<12} {most[0]:>9.0f} MB {most[1]:>9.0f} MB   {most[1] / most[0]:5.2f}")


if __name__ == "__main__":
    main()
