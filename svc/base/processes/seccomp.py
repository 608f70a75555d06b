"""A seccomp filter of system calls: those that steps need are allowed, and all others are refused.

The filter is a classic BPF program of comparisons
(https://docs.kernel.org/userspace-api/seccomp_filter.html). It is written here because libseccomp
has no wheel. Docker's default profile allows a process to install a filter. A refused call fails
with EPERM; one that is newer than the list fails with ENOSYS, so that the C library uses an older
one; one that only an attacker makes ends the process. The kernel's log has each with its number,
which :func:`list_refused_calls` names.
"""

import ctypes
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator
from typing import IO

from svc.base.processes import system_calls

_SET_SECCOMP, _FILTER = 22, 2
_SET_MODE_FILTER, _QUIET, _LOG = 1, 0, 2
_SECCOMP = {"x86_64": 317, "aarch64": 277}  # its own number
# The answers to a system call: it is allowed; EPERM; ENOSYS, after which the C library tries
# another one; and SIGSYS, which kills the whole process.
_ALLOW, _REFUSE, _UNKNOWN, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38, 0x80000000
_NUMBER, _ARCHITECTURE, _FIRST = 0, 4, 16  # offsets in struct seccomp_data
_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_X32 = 0x40000000
_THREAD = 0x00010000  # CLONE_THREAD
_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # the kernel's number of the machine
# In the order in which they are compared: what is called most often first.
_ALWAYS = (
    system_calls.THREADS
    | system_calls.FILES
    | system_calls.MEMORY
    | system_calls.TIME
    | system_calls.EVENTS
    | system_calls.SIGNALS
    | system_calls.SELF
)
_NAMED = (
    _ALWAYS
    | system_calls.NETWORK
    | system_calls.CHILDREN
    | system_calls.CLONE
    | system_calls.CLONE3
    | system_calls.FATAL
)

_Line = tuple[int, int, int, int]


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16),
        ("yes", ctypes.c_uint8),
        ("no", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction))]


def is_known() -> bool:
    """Return whether there is a filter for this machine."""
    return sys.platform == "linux" and platform.machine() in _AUDIT


def restrict(network: bool, children: bool) -> bool:
    """Allow what steps need, sockets only if ``network`` and new processes only if ``children``;
    this thread and its children.

    PR_SET_NO_NEW_PRIVS must be set. Return whether the filter is installed.
    """
    if not is_known():
        return False
    machine = platform.machine()
    # clone3 has its flags in memory, which a filter cannot read. A filter of its own, which logs
    # nothing: it is tried often.
    head = _make_opening_lines(machine) + _answer(
        _find_numbers(system_calls.CLONE3, machine), _UNKNOWN
    )
    is_answered = _install([*head, (_RETURN, 0, 0, _ALLOW)], _QUIET)
    return _install(
        build_filter(machine, network, children, clone3=_ALLOW if is_answered else _UNKNOWN), _LOG
    )


def _install(lines: list[_Line], flags: int) -> bool:
    program = _Program(
        len(lines), (_Instruction * len(lines))(*(_Instruction(*line) for line in lines))
    )
    library = ctypes.CDLL(None, use_errno=True)
    if (
        library.syscall(
            _SECCOMP[platform.machine()], _SET_MODE_FILTER, flags, ctypes.byref(program)
        )
        == 0
    ):
        return True
    # Before Linux 4.14, nothing is logged.
    status: int = library.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0)
    return status == 0


def list_refused_calls(process: int) -> list[str]:
    """Return the names of the system calls of a process that were refused,
    if this process may read the kernel's log.
    """
    try:
        descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    with open(descriptor, "rb", buffering=0) as kernel_log:
        return find_calls_in_log(_read_lines_of(kernel_log), process, platform.machine())


def find_calls_in_log(lines: Iterable[str], process: int, machine: str) -> list[str]:
    """Return the names, or numbers, of the system calls of a process that lines of the kernel's log
    say were refused.
    """
    names = {number: name for name, number in _find_numbers(_NAMED, machine).items()}
    numbers = dict.fromkeys(
        int(match[1]) for line in lines if (match := _log_pattern(process).search(line))
    )
    return [names.get(number, f"number {number} of {machine}") for number in numbers]


def _log_pattern(process: int) -> re.Pattern[str]:
    return re.compile(rf"type=1326 .*\bpid={process} .*\bsyscall=([0-9]{{1,6}})\b")


def _read_lines_of(kernel_log: IO[bytes]) -> Iterator[str]:
    """Yield what the kernel has logged so far; each read is one record."""
    while True:
        try:
            record = kernel_log.read(8192)
        except BrokenPipeError:  # records were overwritten meanwhile
            continue
        except OSError:
            return
        if not record:  # there is no more
            return
        yield record.decode("utf-8", "replace")


def list_allowed_calls(machine: str, network: bool, children: bool) -> dict[str, int]:
    """Return the names of the system calls that are allowed with any arguments."""
    tables = (
        _ALWAYS
        | (system_calls.NETWORK if network else {})
        | (system_calls.CHILDREN if children else {})
    )
    return _find_numbers(tables, machine)


def build_filter(
    machine: str, network: bool, children: bool, clone3: int = _UNKNOWN
) -> list[_Line]:
    """Return the filter for a machine: the code of each instruction, its jumps if it holds and if
    not, and its operand.

    Args:
        clone3: The answer to clone3; the kernel takes the strictest one of all filters.
    """
    lines = _make_opening_lines(machine) + _answer(
        list_allowed_calls(machine, network, children), _ALLOW
    )
    lines += _answer(_find_numbers(system_calls.CLONE3, machine), clone3)
    # From here on, clone has either been answered or is another call, so that the register may hold
    # its flags.
    [clone] = _find_numbers(system_calls.CLONE, machine).values()
    judged: list[_Line] = [(_LOAD, 0, 0, _FIRST)]
    if children:
        judged += [(_ANY_OF, 0, 1, _NAMESPACES), (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    else:
        judged += [(_ANY_OF, 0, 1, _THREAD), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    lines += [(_EQUAL, 0, len(judged), clone), *judged]
    lines += _answer(_find_numbers(system_calls.FATAL, machine), _KILL)
    return [
        *lines,
        (_AT_LEAST, 0, 1, system_calls.NEWEST + 1),
        (_RETURN, 0, 0, _UNKNOWN),
        (_RETURN, 0, 0, _REFUSE),
    ]


def _make_opening_lines(machine: str) -> list[_Line]:
    """Return the lines that refuse calls of another machine's numbers, and load the number."""
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]


def _answer(numbers: dict[str, int], answer: int) -> list[_Line]:
    return [
        line
        for number in numbers.values()
        for line in ((_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer))
    ]


def _find_numbers(table: system_calls.Table, machine: str) -> dict[str, int]:
    place = system_calls.MACHINES.index(machine)
    return {
        name: number for name, numbers in table.items() if (number := numbers[place]) is not None
    }
