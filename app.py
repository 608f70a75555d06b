"""The command line ``python app.py …``, and where ``create_app`` is imported from; nothing is loaded before it is needed."""

from svc.base.processes.entry_points import Part, load


def __getattr__(name: str):
    """``from app import create_app``: the application is imported when it is asked for, and not for ``--help``."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(load(Part.APPLICATION), name)


def main() -> None:
    """Run a command. Whatever can go wrong outside the program is said in a sentence, without a traceback."""
    try:
        load(Part.COMMAND_LINE).run(lambda: load(Part.APPLICATION).serving_app())
    except KeyboardInterrupt:  # while the modules were imported
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
