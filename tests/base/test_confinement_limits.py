"""The limit of threads binds a service user, and is left out where others of the same user leave no room."""

import os
import resource
import sys
import traceback
import warnings

import pytest

from svc.base import confinement

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nobody says elsewhere how many threads a user has")
SOMEBODY = 54321


def as_somebody(check) -> None:
    """Run ``check`` in a process of a user that is not root."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the runner has threads; the copy needs none of their locks
        pid = os.fork()
    if pid == 0:
        try:
            if os.getuid() == 0:
                os.setuid(SOMEBODY)
            check()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_service_user_gets_a_limit_above_what_it_has():
    def check():
        confinement._limit_tasks()
        soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
        assert soft == hard and soft > confinement._MORE_TASKS

    as_somebody(check)


def test_a_limit_that_leaves_no_room_is_left_out():
    def check():
        before = resource.getrlimit(resource.RLIMIT_NPROC)
        confinement._tasks = lambda: 1 - confinement._MORE_TASKS - 1  # as if others had all that there is
        confinement._limit_tasks()
        assert resource.getrlimit(resource.RLIMIT_NPROC) == before

    as_somebody(check)
