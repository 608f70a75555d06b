"""The entry point of the command line, ``python app.py …``, which also exports ``create_app``;
modules are loaded on demand.
"""


def __getattr__(name: str):
    """Return an attribute of the application, as in ``from app import create_app``;
    it is not imported for ``--help``.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    from svc import application

    return getattr(application, name)


def _serving_app():
    from svc import application

    return application.serving_app()


def main() -> None:
    """Run a command.

    Problems outside the program are reported in a sentence, without a traceback.
    """
    try:
        from svc.cli import run

        run.run(_serving_app)
    except KeyboardInterrupt:  # while the modules were imported
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
