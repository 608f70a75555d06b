"""Errors of the media engine: each has a code for the API and a sentence for a person."""


class MediaError(Exception):
    """A step failed.

    ``code``: SCREAMING_SNAKE_CASE, stable; ``message``: one sentence, safe to show to a partner.
    """

    code = "MEDIA_FAILED"

    def __init__(self, message: str, code: str = ""):
        super().__init__(message)
        self.message = message
        self.code = code or self.code


class InvalidUpload(Exception):
    """An uploaded file is not usable; the message says why, and what to do."""


class ScriptError(MediaError):
    """No script could be written from the brief."""

    code = "SCRIPT_FAILED"


class NarrationError(MediaError):
    """The voice could not speak the script."""

    code = "NARRATION_FAILED"


class VoiceLost(NarrationError):
    """A voice could not be loaded, or stopped. From now on, another one speaks in its place."""
