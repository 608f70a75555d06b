"""Pictures of one film that agree: the same thing has the same picture in all of its scenes.

Each scene is compared alone, so that a film about a ferry had a ferry, and a ship where it was
called one. And a title is compared by few words: that of a school trip showed a bus, before a
journey by train.
"""

from collections.abc import Sequence
from dataclasses import replace

from svc.media.model import Scene
from svc.media.pictures import meaning, naming, themes
from svc.media.text import tokens

# The cosines of the labels of two pictures of the same thing, and of two of which one may be meant.
_SAME, _KIN = 0.75, 0.3
_FARTHER = 3.0  # log odds by which the picture shown before may be less sure
_CLEAR = 1.0  # how clearly a text names a picture that alone has that name
_CONSIDERED = 24  # pictures of a scene


def agree_on_pictures(scenes: Sequence[Scene], topic: str, language: str) -> list[Scene]:
    """Return ``scenes`` with the same picture for the same thing: the one that was shown first,
    unless a scene names another clearly; and a title with the picture that a scene names, if no
    text names its own.
    """
    agreed, shown = list[Scene](), list[str]()
    for scene in _mend_title(scenes, language):
        picture = scene.illustration
        if picture and picture not in shown:
            before = [each for each in shown if _compare_labels(each, picture) >= _SAME]
            picture = _choose_again(scene, before, topic, language) or picture
        if picture and picture not in shown:
            shown.append(picture)
        agreed.append(_put_first(scene, picture))
    return agreed


def _put_first(scene: Scene, picture: str) -> Scene:
    """Return ``scene`` with ``picture`` as its main one, which none of the others repeats."""
    others = [at for at, name in enumerate(scene.companions) if name != picture]
    companions = tuple(scene.companions[at] for at in others)
    pictured = scene.pictured[:1] + tuple(scene.pictured[1 + at] for at in others if scene.pictured)
    return replace(scene, illustration=picture, companions=companions, pictured=pictured)


def _choose_again(scene: Scene, before: Sequence[str], topic: str, language: str) -> str:
    """Return which of ``before``, pictures like that of ``scene``, may stand for it, too."""
    text, own = tokens.join_words(scene.words), scene.illustration
    is_clear = _find_clarity(text, own, language) >= _CLEAR
    if not before or is_clear or scene.layout != "prose":
        return ""
    said = meaning.Said((text,), scene.heading, topic, language)
    candidates, _ = meaning.rank_for_scenes([said], _CONSIDERED)[0]
    odds = {
        row.picture: meaning.log_odds(row.signs) for row in candidates if meaning.may_be_shown(row)
    }
    least = odds.get(own, 0.0) - _FARTHER
    return next((each for each in before if odds.get(each, least - 1) >= least), "")


def _mend_title(scenes: Sequence[Scene], language: str) -> list[Scene]:
    """Return ``scenes`` with the picture of a kindred thing for the first one's, which no text
    calls by its name, if another scene shows and names that."""
    title, rest = scenes[0], scenes[1:]
    if not title.illustration or title.layout != "title":
        return list(scenes)
    whole = " ".join(tokens.join_words(scene.words) for scene in scenes)
    if naming.has_label(title.illustration, whole, language.lower().partition("-")[0]):
        return list(scenes)
    kin = (
        scene.illustration
        for scene in rest
        if scene.illustration not in ("", *title.companions)
        and _compare_labels(scene.illustration, title.illustration) >= _KIN
        and _find_clarity(tokens.join_words(scene.words), scene.illustration, language)
    )
    picture = next(kin, title.illustration)
    return [_put_first(title, picture), *rest]


def _find_clarity(text: str, picture: str, language: str) -> float:
    """Return how clearly ``text`` names ``picture``; 0 if it does not."""
    code = language.lower().partition("-")[0]
    return naming.find_named_pictures(text, code).get(picture, 0.0)


def _compare_labels(one: str, other: str) -> float:
    """Return the cosine of the labels of two pictures; 0 for what is none of the collection, such
    as a country's shape."""
    known = themes.load_themes()
    if one not in known.pictures or other not in known.pictures:
        return 0.0
    first, second = (known.labels[known.pictures.index(each)] for each in (one, other))
    return float(first @ second)
