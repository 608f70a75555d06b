"""The phrases that the service adds to a script: a sign-off with the account's name, and words
where the brief has none.

They make no claims about the topic. Names stand after a colon or a preposition that leaves them as
they are, in every language.
"""

from svc.media.languages import Phrases, read_words


def find_sign_off(account: str, language: str) -> str:
    """Return the closing sentence, which names the account;
    empty without a name or a phrase in ``language``.
    """
    phrase = read_words(language, Phrases).sign_off
    return phrase.format(account.rstrip(" .")) if phrase and account.strip() else ""


def choose_code_sentence(page: int, language: str) -> str:
    """Return what is said over code that no sentence introduces.

    ``page``: which screen of the section it is, from 1.
    """
    noun = read_words(language, Phrases).code or "Code"
    return noun if page == 1 else f"{noun}, {page}"


def find_alert_title(kind: str, language: str) -> str:
    """Return the title of an alert of a ``kind`` (svc.base.text.alerts);
    empty without one in ``language``.
    """
    return read_words(language, Phrases).alerts.get(kind, "")
