"""``python .ci/themes.py``: write svc/media/pictures/themes.npz and themes_second.npz,
the vectors of themes.txt and tones.txt beside them, by both encoders.
"""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from svc.media.meaning import encoder, second_encoder  # noqa: E402
from svc.media.pictures import themes  # noqa: E402

TARGET = ROOT / "svc" / "media" / "pictures" / "themes.npz"
SECOND = TARGET.with_name("themes_second.npz")
ORDINARY = Path(__file__).with_name("ordinary.txt")


def main() -> None:
    if not second_encoder.is_available():
        sys.exit("The second encoder runs on Linux on x86-64 with AVX2 alone: write them there.")
    ordinary = ORDINARY.read_text("utf-8").splitlines()
    stored = themes.build_vectors(ordinary, encoder.encode_texts)
    np.savez_compressed(TARGET, **stored)
    second = themes.build_second_vectors(ordinary, second_encoder.encode_texts)
    np.savez_compressed(SECOND, **second)
    print(
        f"{TARGET.stat().st_size:,} and {SECOND.stat().st_size:,} bytes, "
        f"{len(themes.read_phrases())} pictures, {len(stored['phrases'])} phrases"
    )


if __name__ == "__main__":
    main()
