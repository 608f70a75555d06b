"""Every module that is started or imported by its name: child processes, late imports, gunicorn's classes.

No other module of ``svc`` names one in a string, except the table of commands; a test compares this list with the files.
"""

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]  # the folder that ``svc`` is in


class Process(StrEnum):
    """Modules that run in a process of their own."""

    STEP = "svc.work.step_process.child"  # one step of a production
    ESPEAK = "svc.media.speech.espeak_process"  # by its path: it imports nothing of ours
    PIPER = "svc.media.speech.piper_process"  # likewise
    UPLOAD = "svc.media.drawing.upload_process"  # an uploaded picture, or an avatar's
    VERIFICATION = "svc.media.proof.verify"  # of deliverables
    MEDIA_CHECK = "svc.media.selftest"  # for the doctor
    BACKUP = "svc.work.backup.process"
    SHIPPING = "svc.work.backup.shipping_process"  # sends commits to the backups
    NOTIFY = "svc.adapters.notify_process"  # tells people of alerts


class Part(StrEnum):
    """Modules that are imported when they are needed, since what they load takes long or much memory."""

    APPLICATION = "svc.application"
    COMMAND_LINE = "svc.cli.run"
    # What the steps of a production run, in the order of svc.base.steps.STEPS:
    SCRIPT = "svc.media.script.step"
    NARRATION = "svc.media.speech.narration"
    VIDEO = "svc.media.video.render"
    CAPTIONS = "svc.media.captions.captions"
    TRANSCRIPT = "svc.media.captions.transcript"
    DESCRIPTION = "svc.media.video.audio_description"
    CHECKS = "svc.media.checks.run"
    CERTIFICATE = "svc.media.proof.certificate"
    IDENTITY = "svc.media.proof.identity"
    # What a step's process is given beside them:
    FONTS = "svc.media.fonts"
    REMOTE_VOICE = "svc.media.speech.remote"
    PIPER_VOICE = "svc.media.speech.piper"
    MODELS = "svc.adapters.model_api"


class Library(StrEnum):
    """Likewise, of libraries."""

    AEAD = "cryptography.hazmat.primitives.ciphers.aead"
    CRYPTOGRAPHY_ERRORS = "cryptography.exceptions"
    PASSWORD_STRENGTH = "zxcvbn"  # noqa: S105 - no password
    QR_CODES = "segno"
    REGEX = "regex"


GUNICORN_CONFIG = "python:svc.serving.gunicorn_config"
GUNICORN_WORKER = "svc.serving.worker.Worker"
GUNICORN_LOGGER = "svc.serving.gunicorn_logs.Logger"
COMMANDS = "svc.cli"  # the package of the modules in the table of svc.cli.commands


def load(name: Part | Library) -> ModuleType:
    """Import a module that is not needed from the start."""
    return import_module(name)


def load_command(place: str) -> object:
    """Import a command. ``place``: its module below :data:`COMMANDS` and its name there, such as ``key:key``."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"{COMMANDS}.{module}"), name)


def arguments(process: Process) -> tuple[str, str]:
    """Return what follows the name of the interpreter to run a module, from :data:`ROOT` or with it on the module path."""
    return "-m", str(process)


def file(process: Process) -> str:
    """Return the file of a module that is run by its path, where nothing else of ours can be imported."""
    return str(ROOT.joinpath(*process.split(".")).with_suffix(".py"))
