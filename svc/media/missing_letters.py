"""Writes, as JSON, the codes of those languages for whose letters no font is installed:
``python -m svc.media.missing_letters FOLDER CODE …``.

``FOLDER``: with the operator's fonts. A process of its own keeps the libraries for fonts out of
every other one.
"""

import json
import sys
from pathlib import Path

from svc.base.text.languages import FURTHER
from svc.media import fonts


def main(folder: str, *codes: str) -> None:
    fonts.use_folder(Path(folder))
    print(
        json.dumps(
            [code for code in codes if fonts.find_undrawable_characters(FURTHER[code].letters)]
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
