"""Which characters are allowed in stored text: no control characters except white space,
and no lone surrogates.
"""

import re

# for a character class of a regular expression
CONTROLS = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f"
_UNSTORABLE = re.compile(rf"[{CONTROLS}\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Return whether every character of ``text`` can be stored and shown."""
    return _UNSTORABLE.search(text) is None
