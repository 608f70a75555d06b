"""``python .ci/number_words.py``: write tests/media/meaning/number_words.tsv: numbers in words by
CLDR's rules, which tests/media/meaning/test_number_words.py holds ours against.

The rules come with ``pip install unicode-rbnf==2.4.1`` (MIT; the rules: CLDR, Unicode licence). The
same version gives the same bytes.
"""

import re
import sys
from pathlib import Path

from unicode_rbnf import RbnfEngine
from unicode_rbnf.engine import RbnfSpecialRule, TextRulePart

sys.path.insert(0, str(Path(__file__).parents[1]))
from svc.base.text.languages import LANGUAGES

TARGET = Path(__file__).parents[1] / "tests" / "media" / "meaning" / "number_words.tsv"
# by our code: the file of rules, where it has another name; those of a region are its language's
FILES = {"pt": "pt_PT", "pt-BR": "pt", "nb": "no"}
WITHOUT_OWN = ("en-GB", "es-419")
CARDINALS = (
    *range(101),
    *(101, 102, 103, 108, 110, 111, 112, 118, 121, 122, 123, 148, 180, 181, 199, 200, 202, 212),
    *(300, 303, 318, 400, 500, 555, 600, 700, 777, 800, 900, 999, 1000, 1001, 1002, 1020, 1100),
    *(1200, 1202, 1983, 2000, 2021, 3000, 5000, 10000, 11000, 12345, 21000, 22000, 100000, 101000),
    *(
        112000,
        121000,
        200000,
        321727,
        654321,
        10**6,
        2 * 10**6,
        5 * 10**6,
        21 * 10**6,
        101 * 10**6,
        1234567,
        2477006,
        600000000,
    ),
    *(10**9, 2 * 10**9, 5 * 10**9, 21 * 10**9),
)
ORDINALS = (*range(1, 102), 108, 110, 113, 121, 200, 1000)
YEARS = (1100, 1805, 1900, 1912, 1984, 2000, 2001, 2010, 2026, 2099)
# no cardinals and ordinals of their own: other cases, amounts in contracts, and parts of numbers
_OTHER = re.compile(
    "genitive|dative|accusative|instrumental|locative|ablative|plural|essive|partitive|elative|"
    "illative|translative|allative|financial|cents|personal|tens|initial|larger|suffix|-cont|"
    "adik|odik|leading|prefixed|thousands|verbose|-[nrsm]$|with-e$|adjective"
)


def main() -> None:
    rows = [
        "# Numbers in words by CLDR's rules (svc/media/text/cldr.LICENSE.txt): "
        "language and kind, then each number and its words"
    ]
    for language in LANGUAGES:
        name = FILES.get(language, language)
        if language in WITHOUT_OWN or name not in RbnfEngine.get_supported_languages():
            continue
        engine = RbnfEngine.for_language(name)
        for kind, numbers in (
            ("cardinal", CARDINALS),
            ("ordinal", ORDINALS),
            ("year", YEARS),
            ("minus", (5,)),
        ):
            said = {number: _say(engine, kind, number) for number in numbers}
            rows += [f"{language} {kind}"] * any(said.values())
            rows += [f"{number}\t{'|'.join(words)}" for number, words in said.items() if words]
        if sign := _find_decimal_sign(engine):
            rows += [f"{language} decimal", f"0\t{sign}"]
    TARGET.write_text("\n".join(rows) + "\n", "utf-8")


def _say(engine: RbnfEngine, kind: str, number: int) -> list[str]:
    """Return the words of a number by each rule of the ``kind``, without repetition."""
    form = {
        "cardinal": "spellout-(?:numbering$|cardinal)",
        "minus": "spellout-numbering$",
        "ordinal": "spellout-ordinal",
        "year": "spellout-numbering-year$",
    }[kind]
    rules = [
        name
        for name, rule in engine.rulesets.items()
        if re.match(form, name) and not rule.is_private and not _OTHER.search(name)
    ]
    value = -number if kind == "minus" else number
    said = (engine.format_number(value, ruleset_names=[rule]).text for rule in rules)
    # a rule that ends without a word leaves digits
    in_words = (" ".join(text.split()) for text in said if not re.search(r"\d", text))
    return list(dict.fromkeys(in_words))


def _find_decimal_sign(engine: RbnfEngine) -> str:
    """Return the word before the decimals; empty: the rules have none."""
    for name, rule in engine.rulesets.items():
        special = rule.special_rules.get(RbnfSpecialRule.IMPROPER_FRACTION)
        if special and "cardinal" in name and not _OTHER.search(name):
            return "".join(
                part.text for part in special.parts if isinstance(part, TextRulePart)
            ).strip()
    return ""


if __name__ == "__main__":
    main()
