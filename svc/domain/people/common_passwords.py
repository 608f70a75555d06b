"""Rejects passwords that are easy to guess: common passwords, words with one or two digits,
keyboard rows, the user's name.

zxcvbn estimates the number of guesses from the frequency lists that come with it (Wheeler, "zxcvbn:
Low-Budget Password Strength Estimation", USENIX Security 2016); nothing is sent anywhere.
"""

import re
from collections.abc import Iterable

# The least number of guesses. With fewer, slow online guessing succeeds in time, and a stolen hash
# is cracked within hours.
GUESSES = 10**8
_LONGEST = 72  # characters that are checked: the time of zxcvbn grows faster than the length
_OURS = ("partner", "production", "console", "operator", "owner")
_ADVICE = "Choose another one, for example four unrelated words."


def explain_weakness(password: str, about: Iterable[str]) -> str | None:
    """Return why ``password`` is too weak, with advice; None: it is strong enough.

    ``about``: the user's name and address.
    """
    from zxcvbn import zxcvbn  # its lists take 15 MB: when a password is set, not at every start

    words = [part for text in about for part in (text, *re.split(r"\W+", text)) if len(part) > 2]
    estimate = zxcvbn(password[:_LONGEST], user_inputs=[*words, *_OURS])
    if estimate["guesses"] >= GUESSES:
        return None
    reason = estimate["feedback"]["warning"].rstrip(".") or "This password is easy to guess"
    return f"{reason}. {_ADVICE}"
