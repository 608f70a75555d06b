"""The sentence that says how a video was made, in every language of the narration."""

from svc.media.languages import Phrases, Sentences, read_words


def find_disclosure(language: str, models: list[str]) -> str:
    """Return the disclosure in ``language``, in English if it has none.

    ``models``: the trained models that took part.
    """
    code = language if read_words(language, Phrases).disclosure else "en"
    named = f" ({', '.join(models)})" if models else ""
    full_stop = read_words(code, Sentences).full_stop
    return f"{read_words(code, Phrases).disclosure}{named}{full_stop}"
