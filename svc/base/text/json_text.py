"""JSON in as few characters as it takes, as it goes out and is kept."""

import json

#: The text of what ``json`` can write, without spaces, in Unicode. Made once: ``json.dumps`` makes an encoder at each call.
text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
