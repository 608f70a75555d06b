"""What a viewer can read: the limits within which captions are written, and which the gates check.

They follow broadcast practice (BBC Subtitle Guidelines; Netflix Timed Text Style Guide). Wide
signs, of which each says more, count as two characters, whatever the language of the text; an emoji
takes as much of a line.
"""

import math

MOST_LINES = 2
LINE, WIDE_LINE = 42, 40  # characters; of Chinese, Japanese and Korean
READING_SPEED, WIDE_READING_SPEED = 20, 18  # characters a second
TRANSLATED_READING_SPEED = 25  # characters a second: translations are longer than the speech
SHORTEST = 0.8  # seconds of a cue
GAP = 2 / 30  # seconds: two frames between cues, or a viewer misses the change
#: The same in files, whose times are whole milliseconds.
GAP_IN_FILES = math.ceil(GAP * 1000 + 1) / 1000
