"""``python .ci/cases.py FOLDER``: write svc/media/text/cases.json from an npm package that was
unpacked into FOLDER, and from the rules of a Python package.

They come with ``npm install --prefix FOLDER cldr-units-full@48.2.0``, which holds the names of
units in their cases (CLDR 48, Unicode licence), as babel leaves these out, and with
``pip install unicode-rbnf==2.4.1``, which spells numbers in them by CLDR's rules; FOLDER is then
``FOLDER/node_modules``. The same packages give the same bytes.
"""

import json
import sys
from pathlib import Path
from typing import Any

from unicode_rbnf import RbnfEngine

sys.path.insert(0, str(Path(__file__).parents[1]))
from svc.media.languages import Units, read_words
from svc.media.text import units

TARGET = Path(__file__).parents[1] / "svc" / "media" / "text" / "cases.json"
LANGUAGES = ("cs", "fi", "lt", "lv", "pl", "ru", "sk", "uk")
# by the name that is used here: what CLDR calls it in some languages
CASES = {
    "genitive": ("genitive",),
    "dative": ("dative",),
    "instrumental": ("instrumental",),
    "locative": ("prepositional", "locative"),
}
# the plural forms of whole numbers that a case tells apart: one, and several
_PLURALS = {"one": ("one",), "other": ("few", "other")}
# what CLDR 48 has wrong: the genitive of several is that of one
_MENDED = {"lt": {"volume-liter": {"genitive": ["litro", "litrų"]}}}
# words of all numbers: those of millions and of thousands stand beside one, two and five of them
_NUMBERS = [
    *range(1, 21), *range(30, 100, 10), *range(100, 1000, 100),
    *(number * scale for scale in (1000, 10**6) for number in (1, 2, 5)),
]  # fmt: skip


def main(folder: str) -> None:
    lines = []
    for language in LANGUAGES:
        units_of = {
            name: _one_line(forms) for name, forms in _units(Path(folder), language).items()
        }
        numbers = {form: _one_line(words) for form, words in _numbers(language).items()}
        parts = f'"numbers": {_one_a_line(numbers)},\n"units": {_one_a_line(units_of)}'
        lines.append(f'"{language}": {{{parts}}}')
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def _one_line(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False)


def _one_a_line(texts: dict[str, str]) -> str:
    return "{" + ",".join(f'\n"{name}": {text}' for name, text in texts.items()) + "}"


def _units(folder: Path, language: str) -> dict[str, dict[str, Any]]:
    """Return the gender of each unit, and its names by case, of one and of several, without the
    number."""
    path = folder / "cldr-units-full" / "main" / language / "units.json"
    listed = json.loads(path.read_text("utf-8"))["main"][language]["units"]["long"]
    named = {*units.UNITS.values(), *read_words(language, Units).own.values()}
    mended = _MENDED.get(language, {})
    return {
        name: _unit(listed[name]) | mended.get(name, {}) for name in sorted(named & listed.keys())
    }


def _unit(forms: dict[str, str]) -> dict[str, Any]:
    cases = {}
    for case, names in CASES.items():
        said = [
            forms.get(f"{name}-count-{plural}", "")
            for several in _PLURALS.values()
            for name, plural in [
                next(
                    (
                        (name, plural)
                        for name in names
                        for plural in several
                        if f"{name}-count-{plural}" in forms
                    ),
                    ("", ""),
                )
            ]
        ]
        if all(text.startswith("{0}") for text in said):
            cases[case] = [text.removeprefix("{0}").strip() for text in said]
    gender = {"gender": forms["gender"]} if forms.get("gender") in ("feminine", "neuter") else {}
    return gender | cases


def _numbers(language: str) -> dict[str, dict[str, str]]:
    """Return the words of numbers by case, and those of one and two by case and gender: "genitive"
    and "genitive feminine". Empty: num2words knows them, or CLDR has only the nominative."""
    engine = RbnfEngine.for_language(language)
    if language == "fi":
        return _finnish(engine)
    if language != "pl":
        return {}
    forms: dict[str, dict[str, str]] = {}
    for case in ("", *CASES):
        for gender in ("masculine", "feminine", "neuter"):
            rule = f"spellout-cardinal-{gender}" + f"-{case}" * bool(case)
            words = forms.setdefault(f"{case} {gender}".replace(" masculine", "").strip(), {})
            for number in _NUMBERS if gender == "masculine" else (1, 2):
                plain = _say(engine, number, "spellout-cardinal-masculine").split()
                said = dict(zip(plain, _say(engine, number, rule).split(), strict=True))
                words |= {word: form for word, form in said.items() if word not in words}
    return {form: words for form, words in forms.items() if form not in ("masculine", "")}


def _finnish(engine: RbnfEngine) -> dict[str, dict[str, str]]:
    """Return the parts of Finnish numbers, which are written as one word, by their cases."""
    forms = {}
    for rule in engine.rulesets:
        case = rule.removeprefix("spellout-cardinal-")
        if rule == case or "plural" in case:
            continue
        parts = {}
        for number in (*range(1, 11), 100, 1000):
            parts[_say(engine, number, "spellout-cardinal")] = _say(engine, number, rule)
        for scale in (10, 100, 1000):  # kymmentä, sataa, tuhatta
            of_two = [
                _say(engine, 2 * scale, each).removeprefix(_say(engine, 2, each))
                for each in ("spellout-cardinal", rule)
            ]
            parts[of_two[0]] = of_two[1]
        forms[case] = parts
    return forms


def _say(engine: RbnfEngine, number: int, rule: str) -> str:
    said = engine.format_number(number, ruleset_names=[rule]).text
    return said.replace("\u00ad", "")


if __name__ == "__main__":
    main(sys.argv[1])
