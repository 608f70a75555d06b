"""What a scene says besides its list and its heading, as text to read."""

from svc.media.model import CARDS, Scene
from svc.media.text import tokens
from svc.media.text.numerals import SPACE


def find_prose_words(scene: Scene) -> str:
    """Return the words that are neither in the list nor, at the start, in the heading.

    A sentence without a full stop, such as a spoken heading, gets one.
    """
    listed = {
        index for point in scene.points for index in range(point.first_word, point.last_word + 1)
    }
    indices = [index for index in range(len(scene.words)) if index not in listed]
    if scene.layout not in CARDS:
        spoken_heading = count_heading_words(scene)
        indices = [index for index in indices if index >= spoken_heading]
    return tokens.join_words(scene.words[index] + _stop(scene, index, indices) for index in indices)


def count_heading_words(scene: Scene) -> int:
    """Return how many words at the start of the scene speak its heading, as a sentence of its own;
    0 if none do.
    """
    heading = scene.heading.replace(SPACE, " ")
    for count in range(1, len(scene.words) + 1) if heading else ():
        said = tokens.clean(tokens.join_words(scene.words[:count])).replace(SPACE, " ")
        if len(said) >= len(heading):
            return count if said == heading and count - 1 in scene.sentence_ends else 0
    return 0


def _stop(scene: Scene, index: int, indices: list[int]) -> str:
    last = scene.words[index][-1]
    if index not in scene.sentence_ends or index == indices[-1] or not last.isalnum():
        return ""
    return "。" if tokens.count_wide_signs(last) and not "가" <= last <= "힣" else "."
