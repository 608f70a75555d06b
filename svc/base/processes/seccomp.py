"""A seccomp filter of system calls: no sockets, no new processes, no leaving of the process group.

The filter is a classic BPF program of a dozen comparisons (https://docs.kernel.org/userspace-api/seccomp_filter.html). It is
written here because libseccomp has no wheel. Docker's default profile allows a process to install a filter.
"""

import ctypes
import platform
import sys

_SET_SECCOMP, _FILTER = 22, 2
_ALLOW, _REFUSE, _UNKNOWN = (
    0x7FFF0000,
    0x00050000 | 1,
    0x00050000 | 38,
)  # EPERM; ENOSYS: the C library tries another
_NUMBER, _ARCHITECTURE, _FIRST = 0, 4, 16  # offsets in struct seccomp_data
_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_X32 = 0x40000000
_THREAD = 0x00010000  # CLONE_THREAD
# By machine: its audit number, and the numbers of socket, io_uring_setup, setsid, setpgid, ptrace, clone, clone3, fork, vfork.
_MACHINES = {
    "x86_64": (0xC000003E, 41, 425, 112, 109, 101, 56, 435, (57, 58)),
    "aarch64": (0xC00000B7, 198, 425, 157, 154, 117, 220, 435, ()),
}


class _Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction))]


def is_known() -> bool:
    """Return whether there is a filter for this machine."""
    return sys.platform == "linux" and platform.machine() in _MACHINES


def restrict(network: bool, children: bool) -> bool:
    """Refuse sockets unless ``network``, and new processes unless ``children``, for this thread and its children.

    PR_SET_NO_NEW_PRIVS must be set. Return whether the filter is installed.
    """
    if not is_known():
        return False
    lines = _lines(network, children)
    program = _Program(len(lines), (_Instruction * len(lines))(*(_Instruction(*line) for line in lines)))
    library = ctypes.CDLL(None, use_errno=True)
    status: int = library.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0)
    return status == 0


def _lines(network: bool, children: bool) -> list[tuple[int, int, int, int]]:
    audit, socket, uring, setsid, setpgid, ptrace, clone, clone3, forks = _MACHINES[platform.machine()]
    refused = [uring, setsid, setpgid, ptrace, *([] if network else [socket]), *([] if children else forks)]
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, audit),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]
    for number in refused:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    if not children:
        lines += [(_EQUAL, 0, 1, clone3), (_RETURN, 0, 0, _UNKNOWN)]  # its flags are in memory, which a filter cannot read
        lines += [(_EQUAL, 0, 3, clone), (_LOAD, 0, 0, _FIRST), (_ANY_OF, 1, 0, _THREAD), (_RETURN, 0, 0, _REFUSE)]
    return [*lines, (_RETURN, 0, 0, _ALLOW)]
