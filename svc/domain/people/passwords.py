"""Passwords: their requirements and their scrypt hashes (RFC 7914)."""

import hashlib
import hmac
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from svc.base.errors import InvalidRequest, SignInsBusy
from svc.base.processes import cpus

SHORTEST, LONGEST = 10, 200  # characters
# N = 2**14, r, p: 16 MiB and about 150 ms (OWASP Password Storage Cheat Sheet)
_COST, _BLOCK, _PASSES = 14, 8, 5
_MEMORY = 64 * 1024 * 1024  # bytes that OpenSSL may use
_SALT = 16  # bytes
# Bounds the memory and processor time of concurrent sign-ins. A request without a free slot is
# refused at once, because waiting would block a thread. One slot is reserved for known users, so
# that strangers cannot take all of them.
_STRANGERS = threading.BoundedSemaphore(2)
_KNOWN = threading.BoundedSemaphore(1)
_AGAIN_SECONDS = 2
# The least number of guesses that a password takes. With fewer, slow online guessing succeeds in
# time, and a stolen hash is cracked within hours.
_GUESSES = 10**8
_LONGEST_CHECKED = 72  # characters: the time of zxcvbn grows faster than the length
_OURS = ("partner", "production", "console", "operator", "owner")
_ADVICE = "Choose another one, for example four unrelated words."


def check(password: str, *about: str) -> None:
    """Raise InvalidRequest if ``password`` is too short, too long, or easy to guess.

    ``about``: the user's name and address.
    """
    message = None
    if not SHORTEST <= len(password) <= LONGEST:
        message = (
            f"A password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}."
        )
    elif len(set(password)) < 5:
        message = "Use at least five different characters."
    elif password.casefold() in {text.casefold() for text in about}:
        message = "Choose something other than your name or e-mail address."
    else:
        message = _explain_weakness(password, about)
    if message:
        raise InvalidRequest(message, fields={"password": [message]})


def _explain_weakness(password: str, about: Iterable[str]) -> str | None:
    """Return why ``password`` is easy to guess, with advice; None: it is not. ``about``: the user's
    name and address.

    zxcvbn estimates the number of guesses from the frequency lists that come with it (Wheeler,
    "zxcvbn: Low-Budget Password Strength Estimation", USENIX Security 2016); nothing is sent
    anywhere.
    """
    from zxcvbn import zxcvbn  # its lists take 15 MB: when a password is set, not at every start

    words = [part for text in about for part in (text, *re.split(r"\W+", text)) if len(part) > 2]
    estimate = zxcvbn(password[:_LONGEST_CHECKED], user_inputs=[*words, *_OURS])
    if estimate["guesses"] >= _GUESSES:
        return None
    reason = estimate["feedback"]["warning"].rstrip(".") or "This password is easy to guess"
    return f"{reason}. {_ADVICE}"


@contextmanager
def _hold_slot(known: bool) -> Iterator[None]:
    """Hold one of the slots for hashing a password. SignInsBusy: no slot is free."""
    slot = next(
        (
            slot
            for slot in ((_KNOWN, _STRANGERS) if known else (_STRANGERS,))
            if slot.acquire(blocking=False)
        ),
        None,
    )
    if slot is None:
        raise SignInsBusy(retry_after=_AGAIN_SECONDS)
    try:
        yield
    finally:
        slot.release()


def hash_password(password: str) -> str:
    """Return the text to store: cost parameters, a new salt and the hash. SignInsBusy: no slot is
    free.

    This takes a slot for known users: to set a password, a user is signed in or has a one-time
    link.
    """
    salt = os.urandom(_SALT)
    with _hold_slot(known=True):
        digest = _scrypt(password, salt, _COST, _BLOCK, _PASSES).hex()
        return f"scrypt:{_COST}:{_BLOCK}:{_PASSES}:{salt.hex()}:{digest}"


def matches(
    password: str,
    stored: str | None,
    *,
    known: bool = False,
    admitted: Callable[[], None] = lambda: None,
) -> bool:
    """Return whether ``stored`` is the hash of ``password``. None (the user does not exist) takes
    the same time as a hash.

    ``known``: the user is signed in, or their browser was before. ``admitted``: called first, once
    a slot is free; it may raise. SignInsBusy: no slot is free.
    """
    _, cost, block, passes, salt, expected = (stored or _NOBODY).split(":")
    with _hold_slot(known):
        admitted()
        actual = _scrypt(
            password[: LONGEST + 1], bytes.fromhex(salt), int(cost), int(block), int(passes)
        )
    return hmac.compare_digest(actual, bytes.fromhex(expected)) and stored is not None


def _scrypt(password: str, salt: bytes, cost: int, block: int, passes: int) -> bytes:
    raw = password.encode("utf-8", "surrogatepass")
    hashing = partial(
        hashlib.scrypt, raw, salt=salt, n=2**cost, r=block, p=passes, maxmem=_MEMORY, dklen=32
    )
    return _HASHERS.submit(hashing).result()


def _lower_priority() -> None:
    """Lower the priority of the calling thread, and let it run on all processors.

    Elsewhere than on Linux the priority would be that of the process.
    """
    cpus.use_all()
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(
            os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
        )


# Hashes are computed by threads of low priority: while strangers keep all places busy, the
# processors answer partners first. There is a thread for each place, so that a hash never waits for
# another one.
_NICENESS = 10
_HASHERS = ThreadPoolExecutor(3, thread_name_prefix="passwords", initializer=_lower_priority)


_NOBODY = f"scrypt:{_COST}:{_BLOCK}:{_PASSES}:{bytes(_SALT).hex()}:{bytes(32).hex()}"
