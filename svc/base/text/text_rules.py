"""Which characters are allowed in stored text: no control characters except white space,
and no lone surrogates; and whether any of them can be seen.
"""

import re

# Control characters, for a character class of a regular expression.
CONTROLS = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f"
# Characters that nothing is drawn for (Unicode's Default_Ignorable_Code_Point), for such a class,
# too.
INVISIBLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
_VISIBLE = re.compile(rf"[^\s\u0085{INVISIBLE}]")
_UNSTORABLE = re.compile(rf"[{CONTROLS}\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Return whether every character of ``text`` can be stored and shown."""
    return _UNSTORABLE.search(text) is None


def is_blank(text: str) -> bool:
    """Return whether nothing of ``text`` can be seen: it is empty, or white space and characters
    such as a zero-width space alone.
    """
    return _VISIBLE.search(text) is None
