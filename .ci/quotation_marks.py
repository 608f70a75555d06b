"""``python .ci/quotation_marks.py FOLDER``: write svc/media/text/quotation_marks.json from an npm
package that was unpacked into FOLDER.

It comes with ``npm install --prefix FOLDER cldr-misc-full@48.2.0`` (CLDR 48, Unicode licence), as
babel leaves the delimiters out; FOLDER is then ``FOLDER/node_modules``. The same package gives the
same bytes.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from svc.base.text.languages import FURTHER, LANGUAGES
from svc.media.text.numerals import base_language

TARGET = Path(__file__).parents[1] / "svc" / "media" / "text" / "quotation_marks.json"
SOURCE = (
    "Quotation marks, outer and inner, from CLDR 48 (delimiters). Unicode License v3, "
    "https://www.unicode.org/license.txt"
)
# what CLDR calls a language otherwise than it is called here
_CALLED = {"nb": "no", "pt": "pt-PT", "pt-BR": "pt", "zh-TW": "zh-Hant", "zh": "zh"}
_KEYS = ("quotationStart", "quotationEnd", "alternateQuotationStart", "alternateQuotationEnd")


def main(folder: Path) -> None:
    root = folder / "cldr-misc-full" / "main"
    marks: dict[str, str] = {"": SOURCE}
    for code in sorted({*LANGUAGES, *FURTHER}):
        names = (_CALLED.get(code, code), code, base_language(code))
        name = next(each for each in names if (root / each).is_dir())
        content = json.loads((root / name / "delimiters.json").read_text("utf-8"))
        found = content["main"][name]["delimiters"]
        marks[code] = " ".join(found[key] for key in _KEYS)
    rows = (f"{json.dumps(each)}: {json.dumps(marks[each], ensure_ascii=False)}" for each in marks)
    TARGET.write_text("{\n " + ",\n ".join(rows) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
