"""Passwords: what is asked of one, and its scrypt hash (RFC 7914)."""

import hashlib
import hmac
import os
import threading

from svc.base.errors import InvalidRequest

SHORTEST, LONGEST = 10, 200  # characters
_COST, _BLOCK, _PASSES = 14, 8, 5  # N = 2**14, r, p: 16 MiB and about 150 ms (OWASP Password Storage Cheat Sheet)
_MEMORY = 64 * 1024 * 1024  # bytes that OpenSSL may take
_SALT = 16  # bytes
_one_at_a_time = threading.BoundedSemaphore(2)  # however many sign in at once, the memory and the processor stay ours


def check(password: str, *about: str) -> None:
    """InvalidRequest: ``password`` is too short, too long, or one of the words ``about`` its owner."""
    wrong = None
    if not SHORTEST <= len(password) <= LONGEST:
        wrong = f"A password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}."
    elif len(set(password)) < 5:
        wrong = "Use at least five different characters."
    elif password.casefold() in {each.casefold() for each in about}:
        wrong = "Choose something other than your name or e-mail address."
    if wrong:
        raise InvalidRequest(wrong, fields={"password": [wrong]})


def hashed(password: str) -> str:
    """What is stored: the costs, a fresh salt and the hash, so that the costs can grow later."""
    salt = os.urandom(_SALT)
    return f"scrypt:{_COST}:{_BLOCK}:{_PASSES}:{salt.hex()}:{_scrypt(password, salt, _COST, _BLOCK, _PASSES).hex()}"


def matches(password: str, stored: str | None) -> bool:
    """Whether ``stored`` is the hash of ``password``. None, for a person who does not exist, takes as long as a real one."""
    _, cost, block, passes, salt, expected = (stored or _NOBODY).split(":")
    found = _scrypt(password[: LONGEST + 1], bytes.fromhex(salt), int(cost), int(block), int(passes))
    return hmac.compare_digest(found, bytes.fromhex(expected)) and stored is not None


def _scrypt(password: str, salt: bytes, cost: int, block: int, passes: int) -> bytes:
    with _one_at_a_time:
        raw = password.encode("utf-8", "surrogatepass")
        return hashlib.scrypt(raw, salt=salt, n=2**cost, r=block, p=passes, maxmem=_MEMORY, dklen=32)


_NOBODY = f"scrypt:{_COST}:{_BLOCK}:{_PASSES}:{bytes(_SALT).hex()}:{bytes(32).hex()}"
