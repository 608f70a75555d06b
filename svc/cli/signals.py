"""Handles a closed terminal and a plain ``kill`` like Ctrl-C, so that commands clean up."""

import signal

from svc.base.processes.ending import Ending


def end_as_by_ctrl_c(ended: Ending | None = None) -> None:
    """Make SIGTERM and SIGHUP raise KeyboardInterrupt, unless the parent process set them to be
    ignored.

    ``ended``: an event that these signals and SIGINT set too, for loops: an exception raised in a
    finalizer is lost.
    """

    def end(*_: object) -> None:
        if ended:
            ended.set()
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP, *([signal.SIGINT] if ended else [])):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end if ended else signal.default_int_handler)
