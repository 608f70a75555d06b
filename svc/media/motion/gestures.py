"""The host's gestures, planned by the script: open hands at the opening and for a question, a hand
towards the content, one finger for a list or a figure, a wave at the close.

Where the topic is sombre, hands rest.
"""

from bisect import bisect_right

from svc.media.figure import arms
from svc.media.figure.host import AT_REST, STEPS, Gesture
from svc.media.model import CARDS, Scene, Script
from svc.media.text.amounts import parse_amount

_STEP = 0.1  # seconds between two drawings on the way from one gesture to the next
# The first seconds, in which the host enters, and the last ones, in which the hands are at rest.
_BEGINS, _ENDS = 0.7, 0.8
_LONGEST = 2.6  # seconds of one gesture
_WAVES = 0.5  # seconds of one way of a waving hand
_QUESTIONS = ("?", "؟", "？")
_AROUND = " .,:;!?…()[]“”„\"'«»"

Plan = list[tuple[int, int]]  # (frame, gesture), in order


def find_calm_scenes(script: Script) -> tuple[bool, ...]:
    """Return for each scene whether the presenter's face is calm: all of a film of which half of
    the prose is sombre, or any of it and the title, and otherwise sombre prose with the lists and
    figures after it, and the title in front of a first text that is. A title alone is too short to
    be sure of, unless there is no prose.
    """
    prose = [scene.is_sombre for scene in script.scenes if scene.layout == "prose"]
    is_title = bool(script.scenes) and script.scenes[0].is_sombre
    if 2 * sum(prose) > len(prose) or (is_title and (any(prose) or not prose)):
        return (True,) * len(script.scenes)
    are_calm: list[bool] = []
    for scene in script.scenes:
        if scene.layout == "title":
            are_calm.append(prose[:1] == [True])
            continue
        follows = scene.layout not in ("prose", *CARDS) and bool(are_calm) and are_calm[-1]
        are_calm.append(follows or (scene.layout == "prose" and scene.is_sombre))
    return tuple(are_calm)


def choose_gesture(scene: Scene, following: Scene | None = None) -> int:
    """Return the gesture of a host while ``scene`` is said; ``following``: the scene after it."""
    if scene.layout == "title":
        return arms.WELCOME
    if scene.layout == "close":
        return arms.WAVE
    first = min((end for end in scene.sentence_ends), default=len(scene.words) - 1)
    opening = scene.words[: first + 1]
    if any(word.strip().endswith(_QUESTIONS) for word in opening):
        return arms.WELCOME
    counts = any(parse_amount(word.strip(_AROUND)) is not None for word in opening)
    if counts or (following is not None and following.points and following.layout != "agenda"):
        return arms.COUNT
    return arms.POINT


def plan_gestures(
    scene: Scene, following: Scene | None, seconds: float, frame_rate: int, is_calm: bool = False
) -> Plan:
    """Return the gestures of a host who is there for ``seconds``, each with the frame, counted from
    the first, at which it begins; before and after them the hands rest.
    """
    last = seconds - _ENDS
    if is_calm or last - _BEGINS < 2 * _STEP * STEPS:
        return []
    chosen = choose_gesture(scene, following)
    if chosen == arms.WAVE:
        plan = [
            (_BEGINS + number * _WAVES, arms.WAVE_BACK if number % 2 else arms.WAVE)
            for number in range(5)
        ]
        plan.append((_BEGINS + 5 * _WAVES, arms.REST))
    else:
        end = min(last, _BEGINS + _LONGEST)
        plan = [(_BEGINS, chosen), (end, arms.REST)]
        if chosen == arms.WELCOME and last - end > 2:  # then a hand shows what is shown
            plan[1:] = [(end, arms.POINT), (min(last, end + _LONGEST), arms.REST)]
    gestures = [(at, gesture) for at, gesture in plan if at < last]
    if gestures and gestures[-1][1] != arms.REST:
        gestures.append((last, arms.REST))
    return [(round(at * frame_rate), gesture) for at, gesture in gestures]


def find_gesture(plan: Plan, frame: int, frame_rate: int) -> Gesture:
    """Return what the arms do ``frame`` frames after the host came."""
    at = bisect_right([first for first, _ in plan], frame) - 1
    if at < 0:
        return AT_REST
    first, gesture = plan[at]
    step = min(STEPS, (frame - first) // max(1, round(_STEP * frame_rate)) + 1)
    before = plan[at - 1][1] if at else arms.REST
    if step == STEPS or before == gesture:
        return AT_REST if gesture == arms.REST else Gesture(gesture, gesture)
    return Gesture(before, gesture, step)
