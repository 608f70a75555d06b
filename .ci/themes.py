"""``python .ci/themes.py``: write svc/media/pictures/themes.npz,
the vectors of themes.txt and tones.txt beside it.
"""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from svc.media.meaning import encoder  # noqa: E402
from svc.media.pictures import themes  # noqa: E402

TARGET = ROOT / "svc" / "media" / "pictures" / "themes.npz"
ORDINARY = Path(__file__).with_name("ordinary.txt")


def main() -> None:
    stored = themes.build_vectors(ORDINARY.read_text("utf-8").splitlines(), encoder.encode_texts)
    np.savez_compressed(TARGET, **stored)
    print(
        f"{TARGET.stat().st_size:,} bytes, {len(themes.read_phrases())} pictures, "
        f"{len(stored['phrases'])} phrases"
    )


if __name__ == "__main__":
    main()
