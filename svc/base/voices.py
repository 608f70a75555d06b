"""The trained voices that avatars may name: which model makes each,
and which languages it speaks.
"""

from collections.abc import Iterable
from dataclasses import dataclass

HIBARI, JOE, KOKORO = "hibari", "joe", "kokoro"  # models
OPTIONAL = (KOKORO,)  # models that are installed on their own, and perhaps not on every machine
MISSING, CHANGED, BROKEN, STOPPED = "missing", "changed", "broken", "stopped"
REASONS = {  # why a voice cannot speak, after its name
    MISSING: "is not installed",
    CHANGED: "is not the file that was tested: its SHA-256 differs",
    BROKEN: "cannot be loaded",
    STOPPED: "stopped while it spoke",
}
# The names of the models as a certificate has them.
TITLES = {HIBARI: "hibari 0.2.1", JOE: "Piper en_US-joe-medium", KOKORO: "Kokoro-82M 1.0 (int8)"}

_VOICE, _VOICES = ", voice ", ", voices "  # between a model and the names of its voices
_BETWEEN = "; "  # two models


@dataclass(frozen=True)
class NamedVoice:
    name: str
    model: str
    languages: tuple[str, ...]  # BCP 47; a code without a region includes all of its regions
    lower: bool = False  # a man's voice

    @property
    def title(self) -> str:
        """The model and the voice, as the disclosure names them."""
        return (
            TITLES[self.model] if self.model == JOE else f"{TITLES[self.model]}{_VOICE}{self.name}"
        )

    @property
    def person(self) -> str:
        """The name of the recorded person, without the prefix of the language.

        Voices of one person sound alike: hibari's ``heart`` was made from Kokoro's ``af_heart``.
        """
        return self.name.rpartition("_")[2]

    def speaks(self, language: str) -> bool:
        """Return whether the voice speaks ``language`` (BCP 47)."""
        return any(language == code or language.startswith(f"{code}-") for code in self.languages)


# In order of preference. Kokoro's voices have the names that their makers gave them: language,
# register, name.
_ALL = (
    NamedVoice("bf_emma", KOKORO, ("en-GB",)),
    NamedVoice("bm_daniel", KOKORO, ("en-GB",), lower=True),
    NamedVoice("bm_george", KOKORO, ("en-GB",), lower=True),
    NamedVoice("heart", HIBARI, ("en",)),
    NamedVoice("joe", JOE, ("en",), lower=True),
    NamedVoice("af_bella", KOKORO, ("en",)),
    NamedVoice("af_heart", KOKORO, ("en",)),
    NamedVoice("af_sarah", KOKORO, ("en",)),
    NamedVoice("am_michael", KOKORO, ("en",), lower=True),
    NamedVoice("ef_dora", KOKORO, ("es",)),
    NamedVoice("em_alex", KOKORO, ("es",), lower=True),
    NamedVoice("ff_siwis", KOKORO, ("fr",)),
    NamedVoice("if_sara", KOKORO, ("it",)),
    NamedVoice("im_nicola", KOKORO, ("it",), lower=True),
    NamedVoice("pf_dora", KOKORO, ("pt",)),
    NamedVoice("pm_alex", KOKORO, ("pt",), lower=True),
    NamedVoice("pm_santa", KOKORO, ("pt",), lower=True),
    NamedVoice("hf_beta", KOKORO, ("hi",)),
    NamedVoice("hf_alpha", KOKORO, ("hi",)),
    NamedVoice("hm_omega", KOKORO, ("hi",), lower=True),
    NamedVoice("jf_alpha", KOKORO, ("ja",)),
    NamedVoice("jf_gongitsune", KOKORO, ("ja",)),
    NamedVoice("jf_tebukuro", KOKORO, ("ja",)),
    NamedVoice("jm_kumo", KOKORO, ("ja",), lower=True),
    NamedVoice("zf_xiaobei", KOKORO, ("zh",)),
    NamedVoice("zf_xiaoxiao", KOKORO, ("zh",)),
    NamedVoice("zf_xiaoyi", KOKORO, ("zh",)),
    NamedVoice("zm_yunxi", KOKORO, ("zh",), lower=True),
    NamedVoice("zm_yunjian", KOKORO, ("zh",), lower=True),
    NamedVoice("zm_yunyang", KOKORO, ("zh",), lower=True),
)

VOICES = {voice.name: voice for voice in _ALL}


def find_optional_model(language: str, speaker: str, register: str) -> str | None:
    """Return the model that speaks best, if it is one of OPTIONAL.

    ``register``: espeak-ng's variant, such as "m1"
    """
    best = choose_voice(language, speaker, register.startswith("m"), frozenset(TITLES))
    return best.model if best and best.model in OPTIONAL else None


def choose_voice(
    language: str, speaker: str, lower: bool, models: frozenset[str]
) -> NamedVoice | None:
    """Return the voice for ``language``: the one called ``speaker`` if it speaks it, else the first
    of the same register, else the first; None if no voice of ``models``, the models at hand, speaks
    it.

    ``lower``: whether a man's voice is wanted of a presenter whose ``speaker`` is no voice of this
    list.
    """
    named_voice = VOICES.get(speaker)
    lower = named_voice.lower if named_voice else lower
    candidates = [voice for voice in _ALL if voice.model in models and voice.speaks(language)]
    if named_voice in candidates:
        return named_voice
    return next(
        (voice for voice in candidates if voice.lower == lower),
        candidates[0] if candidates else None,
    )


def choose_other_voices(
    first: NamedVoice, language: str, models: frozenset[str]
) -> list[NamedVoice]:
    """Return the voices for the further speakers of a dialogue in ``language``, whose first speaker
    has the voice ``first``.

    Each is another person than those before it, and of another register than the last one where
    there is such a voice. Those that every machine has which may speak with ``first`` come before
    others. ``models``: the models at hand.
    """
    candidates = [voice for voice in _ALL if voice.model in models and voice.speaks(language)]
    chosen = [first]
    while others := [
        voice for voice in candidates if voice.person not in {each.person for each in chosen}
    ]:
        everywhere = [
            voice for voice in others if voice.model not in OPTIONAL or voice.model == first.model
        ] or others
        chosen.append(
            next((voice for voice in everywhere if voice.lower != chosen[-1].lower), everywhere[0])
        )
    return chosen[1:]


def list_model_names(titles: Iterable[str]) -> str:
    """Return the names of the voices that speak in a programme, each model once. ``titles``: of
    svc.media.voice.Voice.find_model; empty ones, which stand for espeak-ng, are left out."""
    names_by_model: dict[str, list[str]] = {}
    for title in dict.fromkeys(filter(None, titles)):
        model, _, name = title.partition(_VOICE)
        names_by_model.setdefault(model, []).extend([name] if name else [])
    return _BETWEEN.join(_add_names(model, names) for model, names in names_by_model.items())


def has_several_voices(names: str) -> bool:
    """Return whether ``names``, from :func:`list_model_names`, are those of more than one voice."""
    return _BETWEEN in names or _VOICES in names


def _add_names(model: str, names: list[str]) -> str:
    return f"{model}{_VOICES if len(names) > 1 else _VOICE}{', '.join(names)}" if names else model
