"""What a step's process may do, tried by the real child with its work
taken over: tests/work/hostile_step.py.
"""

import dataclasses
import os
import platform
import signal
import socket
import sys
from pathlib import Path

import pytest

from svc.base.processes import landlock, run_queue, seccomp, system_calls
from svc.base.settings import read
from svc.media import model as programme
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.work.step_process import runner as step_runner
from svc.work.step_process.config import StepConfig
from svc.work.step_process.outcomes import Completed, Crashed, Outcome
from tests.support.processes import processes_with

pytestmark = pytest.mark.slow

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's own means")
needs_landlock = pytest.mark.skipif(
    not landlock.read_landlock_version(), reason="the kernel has no Landlock"
)
needs_seccomp = pytest.mark.skipif(
    not seccomp.is_known(), reason="no filter is known for this machine"
)


class Steady:
    """A clock that stands still until it is moved, in seconds."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def attack(tmp_path, monkeypatch):
    """Run one attack in a production's folder: ``attack("read /etc/shadow")``; how the step ended.

    No attack ends because time passes, unless ``heard`` or the test moves the clock ``steady``.
    """
    monkeypatch.setattr(step_runner, "_CHILD", (str(Path(__file__).with_name("hostile_step.py")),))
    folder = tmp_path / "work" / "p"
    folder.mkdir(parents=True)

    def run(what: str, step: str = "video", config: StepConfig = StepConfig(), **more) -> Outcome:
        brief = VideoBrief(
            "p", "T", what, "en", "US", "", Presenter("Ada"), (Rendition("small", 320, 180),)
        )
        programme.save(brief, folder / "brief.json")
        try:
            heard, steady = more.pop("heard", lambda _: None), more.pop("steady", Steady())
            return step_runner.run_step(
                step, folder, more.pop("timeout", 60), heard, config, steady=steady, **more
            )
        finally:
            assert processes_with(str(folder)) == []

    return run


def refused(outcome: Outcome) -> bool:
    return isinstance(outcome, Crashed)


@needs_landlock
def test_a_step_reads_neither_secret_nor_database_nor_another_production_nor_the_system(
    attack, tmp_path
):
    for name in ("secret", "service.db", "shadow", "work/q/brief.json", "environ"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
        outcome = attack(f"read {path}")
        assert refused(outcome) and "Permission denied" in outcome.message, name
    for path in ("/etc/passwd", f"/proc/{os.getpid()}/environ", "/etc/ssl/openssl.cnf"):
        assert not Path(path).exists() or "Permission denied" in attack(f"read {path}").message
    assert "Permission denied" in attack(f"list {tmp_path}").message


@needs_landlock
def test_a_step_writes_only_in_its_folder_and_the_cache(attack, tmp_path):
    config = StepConfig(cache=str(tmp_path / "cache"))
    assert "Permission denied" in attack(f"write {tmp_path}/elsewhere", config=config).message
    assert (
        "Permission denied"
        in attack(
            f"write {Path(step_runner.__file__).with_name('child.py')}x", config=config
        ).message
    )
    assert attack(f"write {tmp_path}/work/p/here", config=config) == Completed()
    assert attack(f"write {tmp_path}/cache/here", config=config) == Completed()


@needs_landlock
def test_a_step_leaves_no_link_that_leads_whoever_reads_its_files_elsewhere(attack, tmp_path):
    assert "Permission denied" in attack(f"symlink {tmp_path}/secret").message


@pytest.mark.parametrize(
    "said",
    [
        "nonsense what",
        "nonsense {}",
        'nonsense {"alive": "x"}',
        'nonsense {"fraction": 1e400}',
        'nonsense {"spent": {}}',
        'nonsense {"voice": {"name": "heart", "reason": "whim"}}',
        'nonsense {"failed": 1}',
        'nonsense {"trouble": "x"}',
        "endless",
    ],
)
def test_a_step_that_says_what_no_step_says_has_crashed(attack, said):
    outcome = attack(said)
    assert refused(outcome) and "sent an invalid message" in outcome.message


@needs_seccomp
@pytest.mark.parametrize("kind", ["socket", "udp", "unix"])
def test_a_step_that_needs_no_network_opens_no_socket(attack, kind):
    outcome = attack(kind)
    assert refused(outcome) and "not permitted" in outcome.message


def number(name: str) -> int:
    place = system_calls.MACHINES.index(platform.machine())
    tables = [
        table
        for name, table in vars(system_calls).items()
        if name.isupper() and isinstance(table, dict)
    ]
    return next(table[name][place] for table in tables if name in table)


@needs_seccomp
@pytest.mark.parametrize(
    "name", ["ptrace", "bpf", "process_vm_writev", "mount", "unshare", "setns", "open_by_handle_at"]
)
def test_a_step_that_makes_a_call_that_only_an_attacker_makes_is_killed(attack, name):
    outcome = attack(f"call {number(name)}")
    assert (
        refused(outcome)
        and f"signal {signal.SIGSYS.value}" in outcome.message
        and "only an attacker" in outcome.message
    )


@needs_seccomp
@pytest.mark.parametrize(
    "what", ["io_uring_setup 425", "seccomp 317", "keyctl 250", "personality 135", "shmget 29"]
)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are of x86-64")
def test_a_call_that_no_step_needs_is_refused(attack, what):
    outcome = attack(f"call {what.split()[1]}")
    assert refused(outcome) and "Operation not permitted" in outcome.message


@needs_seccomp
def test_a_call_that_is_newer_than_the_list_does_not_exist_so_that_libraries_use_an_older_one(
    attack,
):
    for each in (system_calls.NEWEST + 1, 4000):
        assert "Function not implemented" in attack(f"call {each}").message
    assert "Function not implemented" in attack(f"call {number('clone3')}").message


@pytest.fixture
def every_line():
    """Let the kernel write each line to its log: of more than ten in five seconds,
    it drops the others.
    """
    limit = Path("/proc/sys/kernel/printk_ratelimit")
    before = limit.read_text() if os.access(limit, os.W_OK) else None
    if before is not None:
        limit.write_text("0")
    yield
    if before is not None:
        limit.write_text(before)


@needs_seccomp
def test_what_was_refused_is_named_where_the_kernels_log_may_be_read(attack, tmp_path, every_line):
    outcome = attack(f"call {number('execve')}")
    named = (tmp_path / "work" / "p" / "errors.txt").read_text()
    try:
        os.close(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        assert "may not make" not in named and "Operation not permitted" in outcome.message
    else:
        assert "(execve)" in outcome.message and named.endswith(
            "System calls that steps may not make: execve\n"
        )


def test_a_step_starts_threads_and_does_what_libraries_do(attack):
    assert attack("threads") == Completed()


def test_a_step_that_calls_a_model_reaches_it(attack):
    """Refused by the other side, and not by us."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    config = StepConfig(script={"url": f"http://127.0.0.1:{port}", "model": "m"})
    assert "Connection refused" in attack("socket", "script", config).message
    assert config.prepare_for_step("video").make_confinement("video", "/x").network is False


@needs_seccomp
def test_a_step_that_needs_no_processes_starts_none(attack):
    for kind in ("fork", "spawn"):
        outcome = attack(kind)
        assert refused(outcome) and "not permitted" in outcome.message


@linux
def test_a_fork_bomb_in_a_step_that_may_start_processes_is_ended_with_all_its_children(attack):
    outcome = attack("fork", "narration")
    assert refused(outcome) and (
        "too many processes" in outcome.message or "unavailable" in outcome.message
    )


@needs_seccomp
def test_no_process_of_a_step_leaves_the_group_that_is_killed(attack):
    assert "not permitted" in attack("setsid", "narration").message


@linux
@pytest.mark.parametrize("kind", ["allocate", "map"])
def test_a_step_that_takes_too_much_memory_is_stopped_with_the_reason(attack, kind):
    outcome = attack(
        kind, config=StepConfig.from_settings(read({"SVC_STEP_MEMORY_MEGABYTES": "1000"}))
    )
    assert refused(outcome)
    assert (
        "SVC_STEP_MEMORY_MEGABYTES" in outcome.message
        or "Cannot allocate memory" in outcome.message
    )


def test_a_huge_sparse_file_is_refused(attack, tmp_path):
    target = tmp_path / "work" / "p" / "huge"
    target.touch()
    outcome = attack(f"sparse {target}")
    assert refused(outcome) and "too large" in outcome.message and target.stat().st_size == 0


def test_descriptors_have_a_limit(attack):
    assert "Too many open files" in attack("descriptors").message


@linux
def test_a_step_that_burns_the_processor_is_ended_with_the_reason(attack):
    outcome = attack("processor", config=StepConfig(seconds=1))
    assert refused(outcome) and "SVC_STEP_TIMEOUT_SECONDS" in outcome.message


@pytest.mark.skipif(
    landlock.read_landlock_version() < 6,
    reason="signals are kept inside since the sixth version of Landlock",
)
def test_a_step_signals_nobody_else(attack):
    assert "not permitted" in attack(f"signal {os.getpid()}").message


@linux
def test_a_step_gains_no_privileges(attack):
    assert "no_new_privs 1 dumpable 0" in attack("privileges").message


def test_a_step_inherits_no_settings_and_no_secrets(attack, tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_METRICS_TOKEN", "a" * 20)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b" * 20)
    names = [line.partition("=")[0] for line in read_environment(attack, tmp_path)]
    assert (
        not [each for each in names if each.startswith(("SVC_", "AWS_"))] and "PYTHONPATH" in names
    )


def test_a_step_calculates_in_one_thread(attack, tmp_path, monkeypatch):
    """Idle threads of numpy's BLAS would wait actively, whatever the operator has set."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    assert "OPENBLAS_NUM_THREADS=1" in read_environment(attack, tmp_path)


def read_environment(attack, tmp_path) -> list[str]:
    """Return the variables that a step sees, each with its value."""
    target = tmp_path / "work" / "p" / "variables"
    assert attack(f"environment {target}") == Completed()
    return target.read_text().split("\n")


@linux
def test_rendering_runs_below_answering(attack, tmp_path):
    target = tmp_path / "work" / "p" / "priority"
    assert attack(f"priority {target}") == Completed()
    nice, policy = map(int, target.read_text().split())
    assert nice >= os.getpriority(os.PRIO_PROCESS, 0) + 10 - os.getpriority(os.PRIO_PROCESS, 0)
    assert policy == os.SCHED_BATCH


@pytest.mark.parametrize("kind", ["spin", "stop"])
def test_a_step_without_a_sign_of_life_is_killed_long_before_its_timeout(
    attack, tmp_path, monkeypatch, kind
):
    monkeypatch.setattr(run_queue, "read_thread_waits", lambda group: {})
    steady = Steady()

    def heard(_fraction):
        if (tmp_path / "work" / "p" / "begun").exists():
            steady.seconds += 10

    outcome = attack(kind, timeout=3600, silence=60, heard=heard, steady=steady)
    assert refused(outcome) and "no message for 60 s" in outcome.message
    assert steady() == 70


def test_a_step_that_waits_for_a_processor_is_not_silent_meanwhile(attack, tmp_path, monkeypatch):
    """On a machine that is busy with other things, a step may get no processor for minutes."""
    monkeypatch.setattr(step_runner, "_HEARD_EVERY", 0.02)
    monkeypatch.setattr(step_runner, "_LOOK_EVERY", 0.0)
    steady = Steady()
    monkeypatch.setattr(run_queue, "read_thread_waits", lambda group: {group: min(steady(), 500)})

    def heard(_fraction):
        if (tmp_path / "work" / "p" / "begun").exists():
            steady.seconds += 10

    assert refused(attack("stop", timeout=3600, silence=60, heard=heard, steady=steady))
    assert steady() == 570


def test_a_step_that_waits_for_an_answer_is_not_taken_for_hung(attack, tmp_path):
    steady, folder = Steady(), tmp_path / "work" / "p"

    def heard(_fraction):
        if (folder / "begun").exists():
            steady.seconds += 50
        if steady() >= 250:
            (folder / "answer").touch()

    assert (
        attack("wait 1000", timeout=80_000, silence=60, heard=heard, steady=steady) == Completed()
    )


def test_a_step_that_works_is_not_taken_for_hung(attack, tmp_path, monkeypatch):
    steady, take = Steady(), step_runner._Messages.take

    def and_then_it_is_later(messages, block):
        verdict = take(messages, block)
        steady.seconds += 50
        if steady() >= 150:
            (tmp_path / "work" / "p" / "answer").touch()
        return verdict

    monkeypatch.setattr(step_runner._Messages, "take", and_then_it_is_later)
    assert attack("work", timeout=80_000, silence=60, steady=steady) == Completed()


def test_what_a_step_is_told_is_what_it_needs():
    models = {"url": "http://127.0.0.1", "model": "m", "key_file": "/keys/writer"}
    config = StepConfig(script=models, speech=models, voices="/v")
    assert config.prepare_for_step("certificate", b"s") == StepConfig(seed=b"s".hex())
    assert config.prepare_for_step("script", b"s") == StepConfig(script=models)
    assert config.prepare_for_step("narration") == StepConfig(speech=models, voices="/v")
    assert config.prepare_for_step("narration", translates=True) == StepConfig(
        script=models, speech=models, voices="/v"
    )
    assert config.prepare_for_step("video", translates=True) == StepConfig()
    assert config.prepare_for_step("script").make_confinement("script", "/f").read == (
        "/keys/writer",
    )
    assert b"s".hex() not in repr(
        config.prepare_for_step("certificate", b"s")
    ) or "seed" not in repr(config)
    assert dataclasses.asdict(config)
