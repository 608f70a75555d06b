"""Scripts that await their review, as the first step of a production leaves them."""

from support.stage import claim

from svc.domain.briefing import script_review
from svc.domain.briefing.script_review import WrittenScript
from svc.domain.productions import progress

BARS = {"kind": "bars", "text": "", "columns": ["Place", "Metres"], "rows": [["Fundy", "16"], ["Bristol", "14"]]}


def scene(number: int, narration: str = "The sea rises towards the moon.", **changes) -> dict:
    """A scene as the database keeps it."""
    texts = {"heading": "", "narration": narration, "key_phrase": "", "picture": ""}
    visual = {"kind": "", "text": "", "columns": [], "rows": []}
    return {"scene": number, **texts, "points": [], "visual": visual, **changes}


def write_script(clock, *scenes: dict) -> progress.Claim:
    """Complete the first step of the oldest production, as a worker does."""
    held = claim(clock)
    step = progress.start_step(held, clock())
    asked = WrittenScript(list(scenes), '{"scenes": []}') if script_review.is_requested(held.production_id) else None
    progress.complete_step(held, step, clock.tick(1), written=asked)
    progress.give_back(held)
    return held
