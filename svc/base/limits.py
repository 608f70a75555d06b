"""Limits that several layers hold or name: of what people upload, and of a receiver's time."""

_MIB = 1024 * 1024
# Bytes of an upload: of pictures, fonts and others, and of those that may be larger.
MOST_OF_AN_UPLOAD = 8 * _MIB
MOST_OF_A_TRACK, MOST_OF_A_CLIP = 20 * _MIB, 40 * _MIB
_AROUND = _MIB  # bytes of the form around a file
# Bytes of a form with a file; the last is the largest that a proxy has to let through.
FORM_WITH_A_FILE = MOST_OF_AN_UPLOAD + _AROUND
FORM_WITH_A_TRACK, FORM_WITH_A_CLIP = MOST_OF_A_TRACK + _AROUND, MOST_OF_A_CLIP + _AROUND
# Seconds of a track and of a clip, and pixels of a side of a portrait, as the processes that check
# uploads have them.
TRACK_SECONDS, CLIP_SECONDS = (10, 15 * 60), (1, 15)
SMALLEST_PORTRAIT = 256
# For a receiver of webhooks, from the lookup of its host to the last byte that is read.
ANSWER_SECONDS = 15
LINK_SECONDS = 3600  # specification, "Other constants": sasUrl validity


def to_mib(size: int) -> int:
    """Return whole mebibytes."""
    return size // _MIB
