"""Choosing pictures by meaning: the one that stands for what a scene says, or none, as a wrong
picture is worse than none.

A sentence encoder compares a scene with the phrases of each picture (themes.txt). A picture's own
word and names of people do not count alone: "she rang the closing bell" shows no bell, and "Mr Fox"
no fox.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import log

import numpy as np
import regex
from numpy.typing import NDArray

from svc.media.languages import Grammar, Pictures, read_words
from svc.media.meaning import encoder, second_encoder, tuned_encoder, tuned_second_encoder
from svc.media.pictures import learnt, naming, places, themes
from svc.media.pictures.forms import UNSPACED
from svc.media.text.addresses import replace_addresses
from svc.media.text.grammar.negations import is_negation

# The languages that only the second encoder was trained in, and in which scenes were written.
_FURTHER = frozenset(
    {"bg", "ca", "cs", "da", "el", "fi", "he", "hi", "hr", "hu", "id", "nb", "no", "ro"}
    | {"sk", "sv", "uk", "vi"}
)
# Log odds that a picture is right, from which on it is shown: .ci/picture_odds.py counts those that
# nobody had noted. The second is for pictures that one encoder alone compares, or in a language
# that only one was trained in.
SURE_SCORE, SURE_SCORE_BY_ONE = 2.4, 2.5
_MORE_IF_SOMBRE = 1.25  # more log odds, as a wrong picture hurts there
_LEAST = 0.25  # of the nearness of the text alone, as heading and topic may say much
# By how much less sure a companion may be that is named. One that is not must be as sure.
_LESS_BESIDE = 0.9
_TITLE = 0.36  # the share of heading and topic in the score
# How near the text must be without the words that name the picture, or else the title.
_CONTEXT, _SUPPORTED = 0.15, 0.20
_SOMBRE = 0.27  # cosine with a sombre text, from which on a scene is sombre
# The nearness to a sombre text from which on the presenter does not smile: sooner no picture than
# no smile.
_SAD = 0.36
_LABEL = 0.5  # the share of the cosine with a picture's label in its nearness
_UNNAMED = 0.08  # by which the text may be nearer than without names
_UNION = 0.08  # pictures as near as this share the words that name them
# By how much a picture that is not named must be nearer than one that is: onion and garlic.
_NAMED = 0.05
# By how much a picture must be nearer than its opposite: "prices fall" is near to "prices rise".
_APART = 0.08
_CONSIDERED = 12  # pictures of a scene
_LIKELIEST = 6  # pictures, of which the surest is shown
_RIVALS = 8  # of those, whose words may name the same thing
_AGREEING = 3  # phrases of a picture: those that are nearest to the text
# The cosine of the labels of two pictures of one kind: a motorcycle competes with a bicycle.
_KIND = 0.34
# By how much the text may be farther from a companion of the same kind than from the first picture.
_BESIDE = 0.15
_LEAST_BESIDE = 0.31  # the score of a companion
# The cosines of the labels of two pictures that are too like each other to stand side by side, and
# from which on one has enough to do with the first.
_ALIKE, _RELATED = 0.75, 0.12
_SHORTEST = 24  # characters of a sentence that is compared alone
_CACHED = 4096  # texts
# How many scenes are remembered, of which the title, a picture and its companions are asked for one
# after the other.
_REMEMBERED = 32
# The houses of worship, of which none stands beside another.
_WORSHIP = frozenset({"church", "mosque", "synagogue", "hindu-temple", "kaaba", "shinto-shrine"})
_OPPOSITES = {"chart-increasing": "chart-decreasing", "chart-decreasing": "chart-increasing"}
# People at work stand for those who do that work, and for nobody else: an offer of a job as a baker
# shows no office worker. A judge stands for the court.
_AT_WORK = frozenset(
    {"astronaut", "construction-worker", "cook", "detective", "factory-worker", "farmer"}
    | {"firefighter", "guard", "health-worker", "mechanic", "office-worker", "pilot"}
    | {"police-officer", "scientist", "singer", "student", "teacher", "technologist"}
)
_CLAUSE_ENDS = regex.compile(r"[,;:.!?…–—،؛。、，！？]+(?:\s+|$|(?<=[。、，！？]))")
_WORDS_OF_THING = 2  # of a list, at most
_WORDS_OF_DENIAL = 4  # which say of a thing that it is not, at most
_UNSURE = ("", "weak", "far", "only its name")  # why a picture of the likeliest may not be shown
_PROHIBITIONS = ("no-", "non-", "prohibited")  # such pictures may stand for a sentence with "not"
_CURRENCIES = {  # banknotes show one, which has to be named
    "euro-banknote": "€|euro|يورو|ユーロ|евро|欧元|유로",
    "pound-banknote": "£|pound|libra|pfund|sterling",
    "yen-banknote": r"¥|円|\byen",
    "dollar-banknote": r"\$|d[oó]l+ar|ドル|دولار|доллар|美元|달러",
}
_FIRST = "first"  # encoder: the one that finds the pictures that are near
_ENCODERS = {_FIRST: encoder, learnt.TUNED: tuned_encoder, learnt.SECOND: tuned_second_encoder}
# By encoder and text: the latest vectors.
_vectors: dict[str, dict[str, themes.Vectors]] = {name: {} for name in _ENCODERS}


@dataclass(frozen=True)
class Said:
    """What a scene says. ``heading`` and ``topic`` may be empty; ``language`` is BCP 47.

    Addresses are left out, as the words in them say nothing: cafe@library.example serves no coffee.
    """

    sentences: tuple[str, ...]
    heading: str
    topic: str
    language: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentences", tuple(map(_leave_out_addresses, self.sentences)))
        object.__setattr__(self, "heading", _leave_out_addresses(self.heading))
        object.__setattr__(self, "topic", _leave_out_addresses(self.topic))

    @property
    def code(self) -> str:
        return self.language.lower().partition("-")[0]

    @property
    def whole(self) -> str:
        return " ".join(self.sentences)

    @property
    def title(self) -> str:
        return ". ".join(dict.fromkeys(filter(None, (self.topic, self.heading))))

    @cached_property
    def units(self) -> list[str]:
        """Return all that is said, and each longer sentence."""
        return list(
            dict.fromkeys([self.whole, *(text for text in self.sentences if len(text) > _SHORTEST)])
        )

    @cached_property
    def names(self) -> set[str]:
        return naming.find_names((self.topic, self.heading, self.whole), self.code)

    @cached_property
    def subject(self) -> str:
        """Return the title without the names in it, or what is said if there is none."""
        return naming.remove_words(self.title, self.names, self.code) if self.title else self.whole

    @cached_property
    def unnamed(self) -> list[str]:
        """Return the units without people and names."""
        return [
            naming.remove_words(naming.remove_people(unit, self.code), self.names, self.code)
            for unit in self.units
        ]

    def texts(self) -> list[str]:
        """Return the texts that are compared whatever pictures are near."""
        return [*self.units, *self.unnamed, self.subject]


def _leave_out_addresses(text: str) -> str:
    return replace_addresses(text, naming.GAP_MARK)


@dataclass(frozen=True)
class Candidate:
    """A picture with its score. ``why``: why it is not shown; empty if it may be. ``signs``: what
    tells whether it is right.

    ``is_named``: whether the scene has a word that names the picture.
    """

    picture: str
    score: float
    why: str
    signs: dict[str, float]
    is_named: bool = False


def knows_language(language: str) -> bool:
    """Return whether scenes in ``language`` (BCP 47) may have pictures."""
    code = language.lower().partition("-")[0]
    is_further = code in _FURTHER and second_encoder.is_available()
    return encoder.knows_language("en") and (is_further or encoder.knows_language(language))


def choose_picture(sentences: Sequence[str], heading: str, topic: str, language: str) -> str:
    """Return the name of the picture of a scene; empty if none is sure,
    or if the encoder does not know the language.
    """
    return choose_for_scenes([Said(tuple(sentences), heading, topic, language)])[0]


def find_named(text: str, language: str) -> str:
    """Return the picture that a writer names: a country, the picture called ``text`` in
    ``language`` or in English, or else one by meaning; empty if there is none."""
    code = language.lower().partition("-")[0]
    return (
        places.find_country_picture(text, language)
        or naming.find_picture_called(text, code)
        or choose_picture([text], "", "", language)
    )


def choose_for_scenes(scenes: Sequence[Said], floor: float | None = None) -> list[str]:
    """Return the name of the picture of each of ``scenes``: as :func:`choose_picture`, and faster.

    ``floor``: of its score, for texts that are no sentences; otherwise the odds decide.
    """
    return [choose_first(*ranked) for ranked in rank_for_scenes(scenes, floor=floor)]


def rank_for_scenes(
    scenes: Sequence[Said],
    most: int = _CONSIDERED,
    floor: float | None = None,
    metrics: learnt.Metrics | None = None,
) -> list[tuple[list[Candidate], bool]]:
    """Return for each scene the pictures that are nearest to it, the best first; and whether it is
    sombre.

    ``floor``: as in :func:`choose_for_scenes`; ``metrics``: those of this package if not given.
    """
    metrics = metrics or learnt.load_metrics()
    known = [scene.whole.strip() and knows_language(scene.language) for scene in scenes]
    _encode(
        text
        for scene, is_known in zip(scenes, known, strict=True)
        if is_known
        for text in scene.texts()
    )
    rankings = [
        _ranking(scene, most, floor, tuple(metrics.items())) if is_known else None
        for scene, is_known in zip(scenes, known, strict=True)
    ]
    _encode(text for ranking in rankings if ranking for text in ranking.masked_texts())
    return [
        (list(ranking.candidates), ranking.is_sombre) if ranking else ([], False)
        for ranking in rankings
    ]


def is_sombre(sentences: Sequence[str], heading: str, topic: str, language: str) -> bool:
    """Return whether a scene is so sombre that nobody smiles at it, as all of a notice of a death
    is; False of other texts if the encoder does not know the language.
    """
    said = Said(tuple(sentences), heading, topic, language)
    if _mourns(sentences, heading, topic, language):
        return True
    if not (said.whole.strip() and encoder.knows_language(language)):
        return False
    _encode(said.texts())
    metrics = tuple(learnt.load_metrics().items())
    return _ranking(said, _CONSIDERED, None, metrics).sombre >= _SAD


def _mourns(sentences: Sequence[str], heading: str, topic: str, language: str) -> bool:
    """Return whether a scene is of a notice of a death by its words: by one of such a notice
    anywhere, and by one with a cheerful sense as well in a title or beside another."""
    known, said = read_words(language, Pictures), (topic, heading, *sentences)
    if known.mourns is not None and any(map(known.mourns.search, said)):
        return True
    if known.may_mourn is None:
        return False
    several = {match[0].casefold() for text in said for match in known.may_mourn.finditer(text)}
    return len(several) > 1 or bool(known.may_mourn.search(f"{topic}\n{heading}"))


def choose_several(
    sentences: Sequence[str],
    heading: str,
    topic: str,
    language: str,
    count: int = 4,
) -> list[str]:
    """Return up to ``count`` pictures for a composed scene: that of :func:`choose_picture`, and
    different ones that go with it.

    Empty without a sure first one; a sombre scene has that alone. The text has to be nearly as near
    to one of the first's own kind as to the first. Each must be about as sure as if it were alone:
    beside dough that is weighed, a pizza is as wrong as by itself.
    """
    main = choose_picture(sentences, heading, topic, language)
    if not main:
        return []
    scene = Said(tuple(sentences), heading, topic, language)
    [(candidates, is_sombre)] = rank_for_scenes([scene], 24)
    known, chosen = themes.load_themes(), [main]
    number = {picture: at for at, picture in enumerate(known.pictures)}
    near = next(candidate.signs["near"] for candidate in candidates if candidate.picture == main)
    for candidate in [] if is_sombre else candidates:
        nearness = [
            float(known.labels[number[candidate.picture]] @ known.labels[number[other]])
            for other in chosen
        ]
        competes = nearness[0] >= _KIND and candidate.signs["near"] < near - _BESIDE
        competes = competes or _WORSHIP.issuperset((main, candidate.picture))
        may_be = (
            not competes
            and candidate.score >= _LEAST_BESIDE
            and is_sure_beside(candidate, language)
        )
        if may_be and len(chosen) < count and nearness[0] > _RELATED and max(nearness) < _ALIKE:
            chosen.append(candidate.picture)
    return chosen


def is_sure_beside(candidate: Candidate, language: str) -> bool:
    """Return whether a picture may be shown beside a sure one in ``language``."""
    bar = find_bar(int(candidate.signs["encoders"]), language)
    odds = log_odds(candidate.signs)
    return not candidate.why or (
        candidate.is_named and candidate.why in ("weak", "far") and odds >= bar - _LESS_BESIDE
    )


def may_be_shown(candidate: Candidate) -> bool:
    """Return whether nothing but a lack of sureness speaks against a picture."""
    return candidate.why in _UNSURE


def find_bar(encoders: int, language: str) -> float:
    """Return the log odds from which on a picture is shown that so many encoders compare."""
    is_by_both = encoders > 1 and encoder.knows_language(language)
    return SURE_SCORE if is_by_both else SURE_SCORE_BY_ONE


def list_eligible(candidates: list[Candidate], is_sombre: bool) -> list[Candidate]:
    """Return the pictures of which the surest is shown: of the likeliest those that nothing but a
    lack of sureness excludes.

    None if something else excludes the very likeliest, unless the scene is sombre.
    """
    likeliest = sorted(candidates, key=lambda row: -row.signs["learnt"])[:_LIKELIEST]
    able = [row for row in likeliest if may_be_shown(row)]
    return able if able and (is_sombre or able[0] is likeliest[0]) else []


def choose_first(candidates: list[Candidate], is_sombre: bool) -> str:
    """Return the best picture, if it may be shown; in a sombre scene the best of those that may."""
    allowed = [row.picture for row in candidates if not row.why]
    return allowed[0] if allowed and (is_sombre or not candidates[0].why) else ""


@lru_cache(maxsize=_REMEMBERED)
def _ranking(
    scene: Said, most: int, floor: float | None, metrics: tuple[tuple[str, learnt.Metric], ...]
) -> "_Ranking":
    return _Ranking(scene, most, floor, dict(metrics))


class _Ranking:
    """The pictures that are nearest to one scene; its texts, and then :meth:`masked_texts`,
    have vectors already.
    """

    def __init__(
        self, scene: Said, most: int, floor: float | None, metrics: learnt.Metrics
    ) -> None:
        self._scene, self._known, self._floor = scene, themes.load_themes(), floor
        self._metrics = metrics
        count = len(scene.units)
        scores, vectors = _scores(scene.texts())
        self._scores = np.minimum(scores[:count], scores[count:-1] + _UNNAMED)
        self._vectors = vectors[:count]
        self._support = scores[-1]
        absent = [
            self._known.pictures.index(picture)
            for picture, pattern in _CURRENCIES.items()
            if picture in self._known.pictures
            and not regex.search(pattern, scene.whole, regex.IGNORECASE)
        ]
        self._scores[:, absent] = -1
        self._empty = (self._vectors @ self._known.nothing.T).max(1)
        self.sombre = float((self._vectors @ self._known.sombre.T).max())
        self.is_sombre = self.sombre >= _SOMBRE
        self._bar = find_bar(len(metrics), scene.language)
        self._bar += _MORE_IF_SOMBRE if self.is_sombre else 0.0
        self._highest = self._scores.max(0)
        support = _TITLE * np.clip(self._support, 0.0, 1.0) if scene.title else 0.0
        self._named = self._clarity(scene.whole)
        self._called = self._clarity(scene.subject if scene.title else "")
        self._by_encoder = self._find_likelihoods(
            [scene.unnamed[0]], [scene.subject], self._named[None], self._called[None]
        )
        self._likely = learnt.combine_likelihoods(self._by_encoder)[0]
        self._likely[absent] = 0
        nearest = np.argsort(-(self._highest + support))[:most]
        self._likeliest = [int(at) for at in np.argsort(-self._likely[:-1])[:_LIKELIEST]]
        self._order = list(dict.fromkeys([*map(int, nearest), *self._likeliest]))
        # the others are not shown, whatever names them
        near = [at for at in self._order if self._highest[at] >= _LEAST or at in self._likeliest]
        self._masked = {at: pair for at in near if (pair := self._mask(at))}

    def _find_likelihoods(
        self, texts: list[str], titles: list[str], named: themes.Vectors, called: themes.Vectors
    ) -> list[themes.Vectors]:
        """Return for each encoder how likely each picture is for texts with their titles."""
        return [
            learnt.find_likelihoods(
                metric, _centre(texts, name), _centre(titles, name), named, called
            )
            for name, metric in self._metrics.items()
        ]

    def _clarity(self, text: str) -> themes.Vectors:
        """Return how clearly ``text`` names each picture."""
        named = naming.find_named_pictures(text, self._scene.code)
        return np.array([named.get(picture, 0.0) for picture in self._known.pictures], np.float32)

    def masked_texts(self) -> Iterable[str]:
        """Return text and title without the words that name a picture,
        for each picture that the text names.
        """
        return (text for pair in self._masked.values() for text in pair)

    def _mask(self, at: int) -> tuple[str, ...]:
        scene, pictures = self._scene, self._known.pictures
        if not naming.find_words(pictures[at], scene.whole, scene.code):
            return ()
        rivals = [
            other
            for other in self._order[:_RIVALS]
            if self._highest[other] >= self._highest[at] - _UNION
        ]
        words = set().union(
            *(
                naming.find_words(pictures[other], scene.whole, scene.code)
                for other in [at, *rivals]
            )
        )
        return tuple(
            naming.remove_words(text, words, scene.code) for text in (scene.whole, scene.subject)
        )

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The pictures, the best first."""
        candidates = [self._candidate(at) for at in self._order]
        candidates.sort(
            key=lambda row: -row.score - (_NAMED if row.is_named and not row.why else 0.0)
        )
        if self._floor is None and (able := list_eligible(candidates, self.is_sombre)):
            surest = max(able, key=lambda row: log_odds(row.signs))
            candidates.remove(surest)
            candidates.insert(0, surest)
        return tuple(candidates)

    def _candidate(self, at: int) -> Candidate:
        """Return a picture with its score: its nearness to the text and a part of that to the
        title, less the emptiness.
        """
        picture, unit = self._known.pictures[at], int(self._scores[:, at].argmax())
        near = float(self._scores[unit, at])
        text, title = (
            self._score_without_name(at) if at in self._masked else (near, float(self._support[at]))
        )
        bonus = min(1.0, max(0.0, title)) if self._scene.title else 0.0
        empty = max(0.0, float(self._empty[unit]))
        score = near + _TITLE * bonus - empty
        signs = {
            "near": near,
            "title": bonus,
            "empty": empty,
            "length": log(1 + self._words()),
            "sombre": self.sombre,
            "beside": text,
            "beside title": title if self._scene.title else 0.0,
            "negated": self._negated,
            **self._learnt(at),
            **self._doubt(at),
            **self._agreement(at, unit),
            **self._naming(at),
        }
        why = ""
        if self.is_sombre and picture not in self._known.neutral:
            why = "sombre"
        elif self._is_negated(picture):
            why = "negated"
        elif picture in _AT_WORK and at not in self._masked:
            why = "other work"
        elif near - self._nearness(_OPPOSITES.get(picture, "")) < _APART:
            why = "near its opposite"
        elif self._floor is None and log_odds(signs) >= self._bar:
            why = ""
        elif text < _CONTEXT and bonus < _SUPPORTED:
            why = "only its name"
        elif near < _LEAST:
            why = "far"
        elif self._floor is None or score < self._floor:
            why = "weak"
        return Candidate(picture, score, why, signs, at in self._masked)

    def _words(self) -> float:
        """Return how many words the scene has, two signs being one in languages without spaces:
        more of them say more.
        """
        whole = self._scene.whole
        return len(whole) / 2 if self._scene.code in UNSPACED else float(len(whole.split()))

    def _learnt(self, at: int) -> dict[str, float]:
        """Return the logarithms of how likely a picture is, one of its kind is, none is, and it is
        without the words that name it; and how much likelier it is than one of another kind."""
        likely, kind = self._likely, _kinds()[at]
        others = likely[:-1][~kind].max(initial=0.0)
        context = self._contexts[at][at] if at in self._contexts else likely[at]
        own, of_kind, none, beside, other = (
            log(float(share) + learnt.LEAST_LIKELY)
            for share in (likely[at], likely[:-1][kind].sum(), likely[-1], context, others)
        )
        return {
            "learnt": own,
            "kind": of_kind,
            "none": none,
            "context": beside,
            "lead": own - other,
        }

    def _doubt(self, at: int) -> dict[str, float]:
        """Return how evenly the likelihood is spread, and the logarithm of that of all other kinds.

        And of what the encoders say each: the least likelihood of the picture, the greatest of
        none, and the share of them for which it is the likeliest.
        """
        likely, each = self._likely, [rows[0] for rows in self._by_encoder]
        others, least, none = (
            log(float(share) + learnt.LEAST_LIKELY)
            for share in (
                likely[:-1][~_kinds()[at]].sum(),
                min(row[at] for row in each),
                max(row[-1] for row in each),
            )
        )
        return {
            "encoders": float(len(each)),
            "spread": self._spread,
            "others": others,
            "least": least,
            "most none": none,
            "agreeing": sum(int(row[:-1].argmax()) == at for row in each) / len(each),
        }

    @cached_property
    def _spread(self) -> float:
        """Return the entropy of the likelihoods."""
        return float(-(self._likely * np.log(self._likely + learnt.LEAST_LIKELY)).sum())

    @cached_property
    def _contexts(self) -> dict[int, themes.Vectors]:
        """Return how likely pictures that the text names are for what is left without the words
        that name them."""
        masked = list(self._masked)
        if not masked:
            return {}
        nothing = np.zeros((len(masked), len(self._known.pictures)), np.float32)
        text, title = ([self._masked[at][part] for at in masked] for part in (0, 1))
        likely = learnt.combine_likelihoods(self._find_likelihoods(text, title, nothing, nothing))
        return dict(zip(masked, likely, strict=True))

    @cached_property
    def _negated(self) -> float:
        """Return the share of clauses that are negated."""
        clauses = [text for text in _CLAUSE_ENDS.split(self._scene.whole) if text.strip()]
        return sum(_has_negation(text, self._scene.code) for text in clauses) / max(len(clauses), 1)

    def _agreement(self, at: int, unit: int) -> dict[str, float]:
        """Return how near the label of a picture is, and how much farther than its nearest phrase
        the nearest three are: a phrase that is alone in its picture is often near by chance."""
        vector = self._vectors[unit]
        near = np.sort(_phrases_of(at) @ vector)[::-1][:_AGREEING]
        return {
            "label": float(self._known.labels[at] @ vector),
            "apart": float(near.mean() - near[0]),
        }

    def _naming(self, at: int) -> dict[str, float]:
        """Return how clearly text and title name a picture, and how much more clearly the text
        names another: a baseball team has no softball. And for how much a picture stands: one with
        few phrases for little but its name."""
        named = float(self._named[at])
        return {
            "named": named,
            "other": max(float(self._named.max()) - named, 0.0),
            "called": float(self._called[at]),
            "wide": log(len(_phrases_of(at))),
            "is named": float(at in self._masked),
        }

    def _nearness(self, picture: str) -> float:
        pictures = self._known.pictures
        return float(self._highest[pictures.index(picture)]) if picture in pictures else -1.0

    def _is_negated(self, picture: str) -> bool:
        """Return whether the heading denies what a picture shows, or each part of the text that
        names it does: "No dogs", "instead of flowers"; or whether all that have its label are few
        words that do: "Pets: dogs are not welcome", but not "never lean a ladder against it".
        """
        if picture.startswith(_PROHIBITIONS):
            return False
        scene, code = self._scene, self._scene.code
        denied, named = (
            [
                is_denied
                for part, is_denied in split_denials(text, code)
                if naming.find_words(picture, part, code)
            ]
            for text in (scene.heading, scene.whole)
        )
        labelled = [
            is_denied and len(part.split()) <= _WORDS_OF_DENIAL
            for part, is_denied in split_denials(scene.whole, code)
            if naming.has_label(picture, part, code)
        ]
        return any(denied) or any(bool(each) and all(each) for each in (named, labelled))

    def _score_without_name(self, at: int) -> tuple[float, float]:
        """Return the scores of text and title for a picture without the words that name it."""
        vectors = _centre(self._masked[at])
        scores = (vectors @ _phrases_of(at).T).max(1) + _LABEL * (vectors @ self._known.labels[at])
        return float(scores[0]), float(scores[1])


def log_odds(signs: dict[str, float]) -> float:
    """Return the log odds that a picture with ``signs`` is right."""
    odds = learnt.load_odds(int(signs["encoders"]))
    return float(odds.find(np.array([signs[name] for name in odds.signs])))


@lru_cache(maxsize=_REMEMBERED)  # each picture of a scene asks for those of the same texts
def split_denials(text: str, code: str) -> tuple[tuple[str, bool], ...]:
    """Return the parts of a text, and whether each denies what it names: a clause with a negation,
    and of another what something else takes the place of."""
    known = read_words(code, Pictures)
    parts = list[tuple[str, bool]]()
    for clause in _split_clauses(text, code):
        rest, replaced = clause, ""
        if known.instead_of and (match := known.instead_of.search(clause)):
            rest, replaced = clause[: match.start()], clause[match.start() :]
        elif known.instead_after and (match := known.instead_after.search(clause)):
            rest, replaced = clause[match.end() :], clause[: match.end()]
        parts += [(replaced, True), (rest, _has_negation(rest, code))]
    return tuple(part for part in parts if part[0])


def _split_clauses(text: str, code: str) -> list[str]:
    """Return the clauses of a text; the things of a list stay together up to its last two: "dogs,
    cats and snakes may not"."""
    joins, clauses = read_words(code, Grammar).joins, list[str]()
    for clause in reversed([part for part in _CLAUSE_ENDS.split(text) if part.strip()]):
        is_thing = len(clause.split()) <= _WORDS_OF_THING
        if is_thing and clauses and joins & {word.lower() for word in clauses[-1].split()}:
            clauses[-1] = f"{clause} {clauses[-1]}"
        else:
            clauses.append(clause)
    return clauses[::-1]


def _has_negation(text: str, code: str) -> bool:
    return any(is_negation(word.strip(naming.AROUND), code) for word in text.split())


@cache
def _kinds() -> NDArray[np.bool_]:
    """Return for each picture which ones are of its kind, itself among them."""
    labels = themes.load_themes().labels
    return labels @ labels.T >= _KIND


def _scores(texts: Sequence[str]) -> tuple[themes.Vectors, themes.Vectors]:
    """Return the scores of all pictures for each of ``texts``,
    and the texts' vectors from the middle of all.
    """
    known = themes.load_themes()
    vectors = _centre(texts)
    near = vectors @ known.phrases.T
    best = np.maximum.reduceat(near, _starts(), axis=1)
    return best + _LABEL * (vectors @ known.labels.T), vectors


@cache
def _starts() -> NDArray[np.intp]:
    """Return where the phrases of each picture begin."""
    return np.flatnonzero(np.diff(themes.load_themes().owners, prepend=-1))


def _phrases_of(at: int) -> themes.Vectors:
    """Return the phrases of the picture with the number ``at``."""
    known, starts = themes.load_themes(), _starts()
    return known.phrases[starts[at] : starts[at + 1] if at + 1 < len(starts) else None]


def _centre(texts: Sequence[str], by: str = _FIRST) -> themes.Vectors:
    """Return the vectors of ``texts`` from the middle of all, with length 1."""
    known = themes.load_second() if by == learnt.SECOND else themes.load_themes()
    return themes.normalise_rows(_encode(texts, by) - known.middle)


def _encode(texts: Iterable[str], by: str = _FIRST) -> themes.Vectors:
    """Return the vectors of ``texts`` by an encoder; all that are not known yet are encoded
    together."""
    listed, vectors, model = list(texts), _vectors[by], _ENCODERS[by]
    missing = [text for text in dict.fromkeys(listed) if text not in vectors]
    if len(vectors) + len(missing) > _CACHED:
        vectors.clear()
        missing = list(dict.fromkeys(listed))
    vectors.update(zip(missing, model.encode_texts(missing), strict=True))
    return (
        np.stack([vectors[text] for text in listed])
        if listed
        else np.zeros((0, model.SIZE), np.float32)
    )
