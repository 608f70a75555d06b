"""Compact JSON, for answers and for the database."""

import json

#: Encodes a value as JSON without spaces, in Unicode. Created once, because ``json.dumps`` creates
#: an encoder at each call.
#: No value of ours contains itself.
text = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
