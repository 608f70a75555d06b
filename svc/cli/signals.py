"""Being told to end: a closed terminal and a plain ``kill`` are taken as Ctrl-C is, so that nothing is left behind."""

import signal
import threading


def end_as_by_ctrl_c(ended: threading.Event | None = None) -> None:
    """From here on SIGTERM and SIGHUP raise KeyboardInterrupt, unless whoever started us wants them ignored.

    ``ended``: set as well, by SIGINT too. An exception that is raised within a finalizer goes no further, so loops look at it.
    """

    def end(*_: object) -> None:
        if ended:
            ended.set()
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP, *([signal.SIGINT] if ended else [])):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end if ended else signal.default_int_handler)
