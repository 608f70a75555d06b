"""The filter of system calls, run as the kernel runs it, for both machines."""

import re
from pathlib import Path

import pytest

from svc.base.processes import seccomp, system_calls

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = pytest.mark.parametrize("machine", system_calls.MACHINES)
TABLES = {
    name: table
    for name, table in vars(system_calls).items()
    if name.isupper() and isinstance(table, dict)
}


def answer(lines, machine: str, number: int, first: int = 0) -> int:
    """What the program answers: the instructions of classic BPF that it uses."""
    given = {0: number, 4: machine if isinstance(machine, int) else AUDIT[machine], 16: first}
    place = register = 0
    while True:
        code, yes, no, operand = lines[place]
        place += 1
        match code:
            case 0x20:
                register = given[operand]
            case 0x06:
                return operand
            case 0x15:
                place += yes if register == operand else no
            case 0x35:
                place += yes if register >= operand else no
            case 0x45:
                place += yes if register & operand else no


def numbers(machine: str, *tables: str) -> dict[str, int]:
    at = system_calls.MACHINES.index(machine)
    return {
        name: pair[at]
        for table in tables
        for name, pair in TABLES[table].items()
        if pair[at] is not None
    }


@MACHINES
@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("children", [False, True])
def test_exactly_the_listed_calls_are_allowed_and_the_others_are_refused(
    machine, network, children
):
    lines = seccomp.build_filter(machine, network, children)
    allowed = numbers(machine, "FILES", "EVENTS", "MEMORY", "THREADS", "SIGNALS", "TIME", "SELF")
    allowed |= numbers(machine, "NETWORK") if network else {}
    allowed |= numbers(machine, "CHILDREN") if children else {}
    fatal, clone = set(numbers(machine, "FATAL").values()), numbers(machine, "CLONE")["clone"]
    for number in range(system_calls.NEWEST + 1):
        if number == clone:
            continue
        expected = ALLOW if number in allowed.values() else KILL if number in fatal else EPERM
        assert answer(lines, machine, number) == (ENOSYS if number == 435 else expected), number
    for number in (system_calls.NEWEST + 1, 1000, 0x3FFFFFFF):
        assert answer(lines, machine, number) == ENOSYS
    for number in (0x40000000, 0x40000000 + 59, 0xFFFFFFFF):  # x32
        assert answer(lines, machine, number) == EPERM


@MACHINES
def test_the_numbers_of_another_machine_are_refused(machine):
    lines = seccomp.build_filter(machine, True, True)
    for other in (0x40000003, 0xC000003E if machine == "aarch64" else 0xC00000B7, 0):
        assert answer(lines, other, 0) == EPERM


@MACHINES
def test_clone_starts_threads_and_if_it_may_processes_but_no_namespaces(machine):
    clone, thread, fork, vfork = numbers(machine, "CLONE")["clone"], 0x3D0F00, 0x01200011, 0x4111
    alone, with_children = (
        seccomp.build_filter(machine, False, False),
        seccomp.build_filter(machine, False, True),
    )
    assert [answer(alone, machine, clone, flags) for flags in (thread, fork, vfork, 0)] == [
        ALLOW,
        EPERM,
        EPERM,
        EPERM,
    ]
    assert [answer(with_children, machine, clone, flags) for flags in (thread, fork, vfork)] == [
        ALLOW
    ] * 3
    for namespace in (
        0x00020000,
        0x02000000,
        0x04000000,
        0x08000000,
        0x10000000,
        0x20000000,
        0x40000000,
    ):
        assert answer(with_children, machine, clone, fork | namespace) == EPERM


@MACHINES
def test_no_number_stands_for_two_calls_and_no_call_is_both_allowed_and_fatal(machine):
    everything = [number for table in TABLES for number in numbers(machine, table).values()]
    assert len(everything) == len(set(everything)) and max(everything) <= system_calls.NEWEST


@MACHINES
def test_a_jump_is_never_too_long_nor_the_program(machine):
    for lines in (
        seccomp.build_filter(machine, network, children)
        for network in (False, True)
        for children in (False, True)
    ):
        assert len(lines) < 4096 and all(max(yes, no) < 256 for _, yes, no, _ in lines)
        assert lines[-1][0] == 0x06


@MACHINES
def test_what_newer_libraries_need_is_allowed(machine):
    """Of glibc 2.35 to 2.41, musl, and the thread pools of numerical libraries."""
    needed = (
        "rseq", "futex_waitv", "statx", "getrandom", "membarrier", "mremap", "memfd_create",
        "sched_getaffinity", "sched_setaffinity", "sched_getattr", "clock_nanosleep", "prlimit64",
        "faccessat2", "close_range", "epoll_pwait2", "set_robust_list", "madvise",
        "copy_file_range", "fchmodat2", "getcpu", "sched_yield", "openat2", "preadv2",
    )  # fmt: skip
    assert set(needed) <= seccomp.list_allowed_calls(machine, False, False).keys()
    assert (
        not {"socket", "connect", "execve", "ptrace"}
        & seccomp.list_allowed_calls(machine, False, False).keys()
    )


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        ("x86_64", "x86_64-linux-gnu/asm/unistd_64.h"),
        ("x86_64", "asm/unistd_64.h"),
        ("aarch64", "asm-generic/unistd.h"),
    ],
)
def test_the_numbers_are_those_of_the_kernels_headers_where_these_are_installed(machine, header):
    path = Path("/usr/include", header)
    text = path.read_text() if path.exists() else ""
    known = {
        name: int(number)
        for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", text)
    }
    if machine == "aarch64" and known:
        known["newfstatat"] = known.pop("fstatat")
    ours = {name: number for table in TABLES for name, number in numbers(machine, table).items()}
    assert {name: known[name] for name in ours if name in known} == {
        name: ours[name] for name in ours if name in known
    }


def test_refused_calls_are_named_from_the_kernels_log():
    line = (
        'audit: type=1326 audit(1.1:71): auid=1 uid=0 pid={} comm="python" exe="/x" sig=0 '
        "arch=c000003e syscall={} compat=0"
    )
    lines = [
        line.format(*each) for each in ((12, 41), (123, 59), (12, 999), (12, 41), (12, 425))
    ] + ["pid=12 syscall=1", ""]
    assert seccomp.find_calls_in_log(lines, 12, "x86_64") == [
        "socket",
        "number 999 of x86_64",
        "number 425 of x86_64",
    ]
    assert seccomp.find_calls_in_log(lines, 1, "x86_64") == []
