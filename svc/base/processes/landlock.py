"""Landlock: restricts a process to the files that it names. Linux 5.13 and newer; needs no
privilege.

The kernel's interface has no wrapper in the C library:
https://docs.kernel.org/userspace-api/landlock.html.
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
_OF_A_FILE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15  # the rights that apply to a file
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # version: number of rights for files
# Creating or controlling devices and creating sockets, pipes and links is never allowed: they could
# redirect a process that reads the folder afterwards.
_NEVER = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 15
_NET = 1 << 0 | 1 << 1  # bind and connect by TCP
_NET_SINCE, _SCOPE_SINCE = 4, 6
# Landlock's scopes: abstract Unix sockets and signals do not leave the process and its children.
_SCOPES = 1 << 0 | 1 << 1


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def read_landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none or it is disabled."""
    if sys.platform != "linux":
        return 0
    number: int = _load_library().syscall(
        _CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG)
    )
    return max(0, number)


def restrict(read: Iterable[str | Path], write: Iterable[str | Path], network: bool) -> bool:
    """Restrict this thread and its children to reading ``read``, changing ``write`` and, with
    ``network``, TCP.

    Paths that do not exist are skipped. PR_SET_NO_NEW_PRIVS must be set. Return whether the kernel
    supports it. OSError: the kernel refused it.
    """
    version = read_landlock_version()
    if not version:
        return False
    every = (1 << _RIGHTS.get(version, 16)) - 1
    attributes = _Ruleset(
        every,
        0 if network or version < _NET_SINCE else _NET,
        0 if version < _SCOPE_SINCE else _SCOPES,
    )
    size = 24 if version >= _SCOPE_SINCE else 16 if version >= _NET_SINCE else 8
    ruleset = _check_result(
        _load_library().syscall(
            _CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0)
        )
    )
    try:
        for path in read:
            _allow(ruleset, path, _READ & every)
        for path in write:
            _allow(ruleset, path, every & ~_NEVER)
        _check_result(_load_library().syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)
    return True


def _allow(ruleset: int, path: str | Path, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_A_FILE
        rule = _Beneath(rights, descriptor)
        number = _load_library().syscall(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
        _check_result(number)
    finally:
        os.close(descriptor)


def _load_library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check_result(number: int) -> int:
    if number < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return number
