"""All modules that are started or imported by name: child processes, late imports, gunicorn's
classes.

No other module of ``svc`` has a module name in a string, except the table of commands; a test
compares this list with the files.
"""

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]  # the folder that contains ``svc``


class Process(StrEnum):
    """Modules that run in a process of their own."""

    STEP = "svc.work.step_process.child"  # one step of a production
    ESPEAK = "svc.media.speech.espeak_process"  # run by its path: it imports nothing of ``svc``
    PIPER = "svc.media.speech.piper_process"  # likewise
    TRAINED_VOICES = "svc.media.speech.trained.start"  # run by its path
    SAY = "svc.media.speech.say"  # a voice, for listening
    UPLOAD = "svc.media.drawing.upload_process"  # pictures: uploads, and those of avatars
    VERIFICATION = "svc.media.proof.verify"  # of deliverables
    MEDIA_CHECK = "svc.media.selftest"  # for the doctor
    LETTERS = "svc.media.letters"  # whether fonts have those of a language
    BACKUP = "svc.work.backup.process"
    SHIPPING = "svc.work.backup.shipping_process"  # sends commits to the backup repository
    NOTIFY = "svc.adapters.notify_process"  # notifies people of alerts


class Part(StrEnum):
    """Modules that are imported on first use, because they load slowly or take much memory."""

    APPLICATION = "svc.application"
    COMMAND_LINE = "svc.cli.run"
    AGENTS = "svc.cli.agents.server"  # with the libraries of requirements-mcp.txt
    POSTGRES = "svc.store.postgres.engine"
    POSTGRES_COPY = "svc.store.postgres.copying"
    POSTGRES_SNAPSHOT = "svc.store.postgres.snapshot"
    # The steps of a production, in the order of svc.base.steps.STEPS:
    SCRIPT = "svc.media.script.step"
    NARRATION = "svc.media.speech.narration"
    VIDEO = "svc.media.video.render"
    CAPTIONS = "svc.media.captions.captions"
    CAPTION_TRANSLATION = "svc.media.captions.translation"  # in the step of the narration
    TRANSLATED_CAPTIONS = "svc.media.captions.translated"
    TRANSCRIPT = "svc.media.captions.transcript"
    DESCRIPTION = "svc.media.video.audio_description"
    SOCIAL = "svc.media.social.description"
    CHECKS = "svc.media.checks.run"
    CERTIFICATE = "svc.media.proof.certificate"
    IDENTITY = "svc.media.proof.identity"
    # In the process of uploads:
    AVATAR_DRAWING = "svc.media.drawing.avatar"
    FONT_UPLOAD = "svc.media.font_upload"
    TRACK_UPLOAD = "svc.media.music.track_upload"
    CLIP_UPLOAD = "svc.media.clips.upload"
    PICTURE_UPLOAD = "svc.media.pictures.upload"
    # Passed to the process of a step:
    FONTS = "svc.media.fonts"
    REMOTE_VOICE = "svc.media.speech.remote"
    PIPER_VOICE = "svc.media.speech.piper"
    TRAINED_VOICE = "svc.media.speech.trained.voice"
    SPEAKING = "svc.media.speech.trained.process"  # run by svc.media.speech.trained.start
    MODELS = "svc.adapters.model_api"
    BUCKET = "svc.adapters.files.bucket"
    READ_ALOUD = "svc.media.text.read_aloud"
    # Of the places to which accounts are connected:
    BUCKET_LINKS = "svc.adapters.bucket_links"
    SFTP = "svc.adapters.sftp"
    SOUND_TRACK = "svc.media.video.sound_track"


class Library(StrEnum):
    """Libraries that are imported on first use."""

    AEAD = "cryptography.hazmat.primitives.ciphers.aead"
    CRYPTOGRAPHY_ERRORS = "cryptography.exceptions"
    PASSWORD_STRENGTH = "zxcvbn"  # noqa: S105  # nosec B105: the name of a library
    QR_CODES = "segno"
    REGEX = "regex"


GUNICORN_CONFIG = "python:svc.serving.gunicorn_config"
GUNICORN_WORKER = "svc.serving.worker.Worker"
GUNICORN_LOGGER = "svc.serving.gunicorn_logs.Logger"
COMMANDS = "svc.cli"  # the package of the modules that svc.cli.commands lists


def load(name: Part | Library) -> ModuleType:
    """Import a module on first use."""
    return import_module(name)


def load_command(place: str) -> object:
    """Import a command.

    ``place``: its module below :data:`COMMANDS` and its name in it, such as ``key:key``.
    """
    module, _, name = place.partition(":")
    return getattr(import_module(f"{COMMANDS}.{module}"), name)


def arguments(process: Process) -> tuple[str, str]:
    """Return the interpreter's arguments that run a module,
    from :data:`ROOT` or with it on the module path.
    """
    return "-m", str(process)


def file(process: Process) -> str:
    """Return the path of a module that is run as a file, without access to the rest of ``svc``."""
    return str(ROOT.joinpath(*process.split(".")).with_suffix(".py"))
