"""The sentence that says how a video was made, in every language of the narration."""

from svc.media.languages import Phrases, Sentences, words_of


def find_disclosure(language: str, models: list[str]) -> str:
    """Return the disclosure in ``language``, in English if it has none.

    ``models``: the trained models that took part.
    """
    code = language if words_of(language, Phrases).disclosure else "en"
    named = f" ({', '.join(models)})" if models else ""
    full_stop = words_of(code, Sentences).full_stop
    return f"{words_of(code, Phrases).disclosure}{named}{full_stop}"
