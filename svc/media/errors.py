"""What can go wrong in the media engine, each with a code for the API and a sentence for a person."""


class MediaError(Exception):
    """A step cannot be done. ``code``: SCREAMING_SNAKE_CASE, stable; ``message``: one sentence, safe to show a partner."""

    code = "MEDIA_FAILED"

    def __init__(self, message: str, code: str = ""):
        super().__init__(message)
        self.message = message
        self.code = code or self.code


class ScriptError(MediaError):
    """The brief holds nothing that can be said."""

    code = "SCRIPT_FAILED"


class NarrationError(MediaError):
    """The voice could not speak the script."""

    code = "NARRATION_FAILED"
