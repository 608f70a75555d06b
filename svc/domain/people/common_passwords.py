"""Refuses passwords that are easy to guess: common ones, words with a digit or two, keyboard rows, one's own name.

zxcvbn estimates the number of guesses from the frequency lists that come with it (Wheeler, "zxcvbn: Low-Budget Password
Strength Estimation", USENIX Security 2016); nothing is sent anywhere.
"""

import re
from collections.abc import Iterable

from svc.base.processes.entry_points import Library, load

GUESSES = 10**8  # fewer let somebody in who tries a password at a time for long, and break a stolen hash within hours
_LONGEST = 72  # characters that are looked at: zxcvbn takes longer than in proportion, and this is enough
_OURS = ("partner", "production", "console", "operator", "owner")
_ADVICE = "Choose another one: four words that have nothing to do with each other are good."


def objection(password: str, about: Iterable[str]) -> str | None:
    """Say why ``password`` will not do, and what would; None: it will do. ``about``: the name and address of its owner."""
    words = [part for text in about for part in (text, *re.split(r"\W+", text)) if len(part) > 2]
    # The lists take 15 MB: they are loaded when somebody chooses a password, and not into every process at its start.
    estimate = load(Library.PASSWORD_STRENGTH).zxcvbn(password[:_LONGEST], user_inputs=[*words, *_OURS])
    if estimate["guesses"] >= GUESSES:
        return None
    reason = estimate["feedback"]["warning"].rstrip(".") or "This password is easy to guess"
    return f"{reason}. {_ADVICE}"
