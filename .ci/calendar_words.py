"""``python .ci/calendar_words.py``: write svc/media/text/grammar/calendar_words.json from babel.

What is looked up in all languages at once is read from there: babel would load the whole locale
of each language, 46 MB and a quarter of a second in every process. The same babel gives the same
bytes.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.dates import get_day_names, get_month_names
from babel.units import format_unit

sys.path.insert(0, str(Path(__file__).parents[1]))
from svc.media.languages import Grammar, read_words_by_language
from svc.media.text.grammar import small_words
from svc.media.text.numerals import find_locale

TARGET = Path(small_words.__file__).with_name("calendar_words.json")
SOURCE = (
    "Names of months and weekdays beside a day, and of times for which something is paid, in small "
    "letters, from CLDR. Unicode License v3, https://www.unicode.org/license.txt"
)
_PERIODS = ("second", "minute", "hour", "day", "week", "month", "year")


def list_words(language: str) -> dict[str, list[str]]:
    """Return the words of a language by their kind, each once."""
    kinds = {
        "months": get_month_names("wide", "format", language).values(),
        "weekdays": get_day_names("wide", "format", language).values(),
        "periods": _list_periods(language),
    }
    return {kind: sorted({word.casefold() for word in words}) for kind, words in kinds.items()}


def _list_periods(language: str) -> Iterator[str]:
    for period in _PERIODS:
        counted = format_unit(1, f"duration-{period}", locale=find_locale(language))
        if "duration-" not in counted:  # babel has no such unit in some languages
            yield counted.split()[-1]


def main() -> None:
    words = {"": SOURCE} | {code: list_words(code) for code in read_words_by_language(Grammar)}
    rows = (f"{json.dumps(each)}: {json.dumps(words[each], ensure_ascii=False)}" for each in words)
    TARGET.write_text("{\n " + ",\n ".join(rows) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
