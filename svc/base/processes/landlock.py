"""Landlock: a process gives up every file but those that it names. Linux 5.13 and newer; needs no privilege.

The kernel's interface has no wrapper in the C library: https://docs.kernel.org/userspace-api/landlock.html.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, list a folder
_OF_A_FILE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15  # what can be said of a file alone
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # version to how many rights it knows of files
# Making devices, talking to them, and making sockets, pipes and links is allowed nowhere: whoever reads the folder afterwards
# would be led elsewhere by them.
_NEVER = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 15
_NET = 1 << 0 | 1 << 1  # bind and connect by TCP
_NET_SINCE, _SCOPE_SINCE = 4, 6
_SCOPES = 1 << 0 | 1 << 1  # abstract Unix sockets and signals do not leave the process and its children


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def version() -> int:
    """The version of Landlock that the kernel has; 0: none, or it is switched off."""
    if sys.platform != "linux":
        return 0
    found: int = _library().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    return max(0, found)


def restrict(read: Iterable[str | Path], write: Iterable[str | Path], network: bool) -> bool:
    """Leave this thread, and what it starts, only ``read`` to read and ``write`` to change; without ``network`` no TCP.
    Whether the kernel does so. What does not exist is left out. PR_SET_NO_NEW_PRIVS must be set. OSError: it refused."""
    known = version()
    if not known:
        return False
    every = (1 << _RIGHTS.get(known, 16)) - 1
    attributes = _Ruleset(
        every,
        0 if network or known < _NET_SINCE else _NET,
        0 if known < _SCOPE_SINCE else _SCOPES,
    )
    size = 24 if known >= _SCOPE_SINCE else 16 if known >= _NET_SINCE else 8
    ruleset = _checked(_library().syscall(_CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0)))
    try:
        for path in read:
            _allow(ruleset, path, _READ & every)
        for path in write:
            _allow(ruleset, path, every & ~_NEVER)
        _checked(_library().syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)
    return True


def _allow(ruleset: int, path: str | Path, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_A_FILE
        rule = _Beneath(rights, opened)
        number = _library().syscall(
            _ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0)
        )
        _checked(number)
    finally:
        os.close(opened)


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(number: int) -> int:
    if number < 0:
        failed = ctypes.get_errno()
        raise OSError(failed, os.strerror(failed))
    return number
