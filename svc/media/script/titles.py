"""The title of a film on its cards: whole, however long it is; and the film of a title alone."""

from dataclasses import replace

from svc.base.text import links
from svc.media.model import Scene
from svc.media.script import scene_split
from svc.media.text import tokens as words

LONGEST = 130  # characters of one card
_ALONE = 6.0  # seconds that a film of a title alone lasts at least


def split_title(title: str, language: str) -> list[str]:
    """Return ``title``, or the parts of a long one, each for a card of its own: sentences,
    or else even parts of them.
    """
    if words.measure_display_length(title) <= LONGEST:
        return [title]
    parts = scene_split.split_sentences(title, language, LONGEST)
    shown = [
        words.join_words(token.written for token in part.tokens).replace(words.SPACE, " ")
        for part in parts
    ]
    joined = shown[:1]
    for text in shown[1:]:
        if words.measure_display_length(joined[-1]) + words.measure_display_length(text) < LONGEST:
            joined[-1] = words.join_sentences((joined[-1], text))
        else:
            joined.append(text)
    return joined


def choose_closing_words(title: str, address: str, is_alone: bool) -> str:
    """Return what is said at the end of a film without an account's name: its title, unless that
    alone has been said or is too long to be said twice; then the address that the card shows. Empty
    if there is nothing to say."""
    if not is_alone and words.measure_display_length(title) <= LONGEST:
        return title
    return links.display_address(address)


def hold_cards(scenes: list[Scene]) -> list[Scene]:
    """Return the cards of a film of a title alone, shown for six seconds together."""
    *opening, last = scenes
    if last.layout != "close":
        opening.append(last)
    share = (_ALONE - sum(scene.shortest for scene in scenes[len(opening) :])) / len(opening)
    return [
        *(replace(scene, shortest=max(scene.shortest, share)) for scene in opening),
        *scenes[len(opening) :],
    ]
