"""Being told to end: a closed terminal and a plain ``kill`` are taken as Ctrl-C is, so that nothing is left behind."""

import signal


def end_as_by_ctrl_c() -> None:
    """From here on SIGTERM and SIGHUP raise KeyboardInterrupt, unless whoever started us wants them ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
