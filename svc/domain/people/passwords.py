"""Passwords: what is asked of one, and its scrypt hash (RFC 7914)."""

import hashlib
import hmac
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from svc.base.errors import InvalidRequest, SignInsBusy
from svc.domain.people import common_passwords

SHORTEST, LONGEST = 10, 200  # characters
_COST, _BLOCK, _PASSES = 14, 8, 5  # N = 2**14, r, p: 16 MiB and about 150 ms (OWASP Password Storage Cheat Sheet)
_MEMORY = 64 * 1024 * 1024  # bytes that OpenSSL may take
_SALT = 16  # bytes
# However many sign in at once, the memory and the processor stay ours. Nobody waits for a place, since a thread would wait
# too: whoever finds none is refused at once. Strangers who take all of theirs leave one to people that are known.
_STRANGERS = threading.BoundedSemaphore(2)
_KNOWN = threading.BoundedSemaphore(1)
_AGAIN_SECONDS = 2


def check(password: str, *about: str) -> None:
    """InvalidRequest: ``password`` is too short, too long, or easy to guess. ``about``: its owner's name and address."""
    wrong = None
    if not SHORTEST <= len(password) <= LONGEST:
        wrong = f"A password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}."
    elif len(set(password)) < 5:
        wrong = "Use at least five different characters."
    elif password.casefold() in {each.casefold() for each in about}:
        wrong = "Choose something other than your name or e-mail address."
    else:
        wrong = common_passwords.objection(password, about)
    if wrong:
        raise InvalidRequest(wrong, fields={"password": [wrong]})


@contextmanager
def _place(known: bool) -> Iterator[None]:
    """Take a place among those whose passwords are being hashed. SignInsBusy: there is none."""
    taken = next((each for each in ((_KNOWN, _STRANGERS) if known else (_STRANGERS,)) if each.acquire(blocking=False)), None)
    if taken is None:
        raise SignInsBusy(retry_after=_AGAIN_SECONDS)
    try:
        yield
    finally:
        taken.release()


def hashed(password: str) -> str:
    """What is stored: the costs, a fresh salt and the hash, so that the costs can grow later. SignInsBusy.

    For people that are known: whoever sets a password is signed in, or has a link that we made."""
    salt = os.urandom(_SALT)
    with _place(known=True):
        return f"scrypt:{_COST}:{_BLOCK}:{_PASSES}:{salt.hex()}:{_scrypt(password, salt, _COST, _BLOCK, _PASSES).hex()}"


def matches(password: str, stored: str | None, *, known: bool = False, admitted: Callable[[], None] = lambda: None) -> bool:
    """Whether ``stored`` is the hash of ``password``. None, for a person who does not exist, takes as long as a real one.

    ``known``: who asks is signed in, or has a browser that once was. ``admitted``: called first, when there is a place; it
    may refuse. SignInsBusy: there is none."""
    _, cost, block, passes, salt, expected = (stored or _NOBODY).split(":")
    with _place(known):
        admitted()
        found = _scrypt(password[: LONGEST + 1], bytes.fromhex(salt), int(cost), int(block), int(passes))
    return hmac.compare_digest(found, bytes.fromhex(expected)) and stored is not None


def _scrypt(password: str, salt: bytes, cost: int, block: int, passes: int) -> bytes:
    raw = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(raw, salt=salt, n=2**cost, r=block, p=passes, maxmem=_MEMORY, dklen=32)


_NOBODY = f"scrypt:{_COST}:{_BLOCK}:{_PASSES}:{bytes(_SALT).hex()}:{bytes(32).hex()}"
