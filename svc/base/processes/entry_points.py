"""All modules that are started or imported by their name: child processes, commands, gunicorn's
classes.

No other module of ``svc`` has a module name in a string, except the table of commands; a test
compares this list with the files.
"""

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

ROOT = Path(__file__).parents[3]  # the folder that contains ``svc``


class Process(StrEnum):
    """Modules that run in a process of their own."""

    STEP = "svc.work.step_process.child"  # one step of a production
    ESPEAK = "svc.media.speech.espeak_process"  # run by its path: it imports nothing of ``svc``
    PIPER = "svc.media.speech.piper_process"  # run by its path: it imports nothing of ``svc``
    TRAINED_VOICES = "svc.media.speech.trained.start"  # run by its path
    SAY = "svc.media.speech.say"  # a voice, for listening
    UPLOAD = "svc.media.upload_process"  # pictures: uploads, and those of avatars
    VERIFICATION = "svc.media.proof.verify"  # of deliverables
    MEDIA_CHECK = "svc.media.selftest"  # for the doctor
    MISSING_LETTERS = "svc.media.missing_letters"  # whether fonts have those of a language
    BACKUP = "svc.work.backup.process"
    SHIPPING = "svc.work.backup.shipping_process"  # sends commits to the backup repository
    NOTIFY = "svc.adapters.notify_process"  # notifies people of alerts


#: What svc.media.speech.trained.start runs.
SPEAKING = "svc.media.speech.trained.process"
GUNICORN_CONFIG = "python:svc.serving.gunicorn_config"
GUNICORN_WORKER = "svc.serving.worker.Worker"
GUNICORN_LOGGER = "svc.serving.gunicorn_logs.Logger"
COMMANDS = "svc.cli"  # the package of the modules that svc.cli.commands lists


def load_command(place: str) -> object:
    """Import a command.

    ``place``: its module below :data:`COMMANDS` and its name in it, such as ``key:key``.
    """
    module, _, name = place.partition(":")
    return getattr(import_module(f"{COMMANDS}.{module}"), name)


def import_modules(package: ModuleType) -> None:
    """Import every module of a package, so that what registers itself there is known."""
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        import_module(module.name)


def list_arguments(process: Process) -> tuple[str, str]:
    """Return the interpreter's arguments that run a module,
    from :data:`ROOT` or with it on the module path.
    """
    return "-m", str(process)


def find_file(process: Process) -> str:
    """Return the path of a module that is run as a file, without access to the rest of ``svc``."""
    return str(ROOT.joinpath(*process.split(".")).with_suffix(".py"))
