"""Scripts that await their review, as the first step of a production leaves them."""

from support.stage import claim, make

from svc.domain.lifecycle import render_queue, script_review
from svc.domain.lifecycle.script_review import WrittenScript
from svc.domain.productions import progress

BARS = {
    "kind": "bars",
    "text": "",
    "columns": ["Place", "Metres"],
    "rows": [["Fundy", "16"], ["Bristol", "14"]],
}


def scene(number: int, narration: str = "The sea rises towards the moon.", **changes) -> dict:
    """A scene as the database keeps it."""
    texts = {"heading": "", "narration": narration, "key_phrase": "", "picture": ""}
    visual = {"kind": "", "text": "", "columns": [], "rows": []}
    return {"scene": number, **texts, "points": [], "visual": visual, **changes}


def write_script(clock, *scenes: dict) -> progress.Claim:
    """Complete the first step of the oldest production, as a worker does."""
    held = claim(clock)
    step = progress.start_step(held, clock())
    asked = (
        WrittenScript(list(scenes), '{"scenes": []}')
        if script_review.is_review_wanted(held.production_id)
        else None
    )
    progress.complete_step(held, step, clock.tick(1), written=asked)
    render_queue.release_claim(held)
    return held


def render(clock, *, wanted: bool = True, files: int = 2) -> str:
    """Carry the oldest production on through all of its steps; return its id.

    ``wanted``: whether its script is to be kept.
    """
    held = claim(clock)
    while step := progress.start_step(held, clock()):
        kept = step["position"] == 0 and script_review.is_review_wanted(held.production_id)
        assert kept == (wanted and step["position"] == 0)
        written = (
            WrittenScript([scene(1), scene(2, "A lion waits.")], '{"scenes": []}') if kept else None
        )
        made = [make(file=f"x/{number}.txt", size_bytes=100) for number in range(files)]
        progress.complete_step(held, step, clock.tick(1), made, written=written)
        if step["position"] == 6:
            break
    render_queue.release_claim(held)
    return held.production_id
