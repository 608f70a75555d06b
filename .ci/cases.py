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
# by language: the plural forms of whole numbers that a case tells apart; Latvian's zero is left to
# its other, since the case of the number comes first there
PLURALS = {
    **dict.fromkeys(("cs", "hr", "lt", "sk", "sr"), ("one", "few", "other")),
    **dict.fromkeys(("pl", "ru", "uk"), ("one", "few", "many")),
    **dict.fromkeys(("fi", "lv"), ("one", "other")),
    "sl": ("one", "two", "few", "other"),
}
# by the name that is used here: what CLDR calls it in some languages
CASES = {
    "accusative": ("accusative",),
    "genitive": ("genitive",),
    "dative": ("dative",),
    "instrumental": ("instrumental",),
    "locative": ("prepositional", "locative"),
}
# what CLDR 48 has wrong: letters of another form or another language
_MENDED = {
    "lt": {"volume-liter": {"genitive": ["litro", "litrų"]}},
    "pl": {"volume-teaspoon": {"genitive": ["łyżeczki", "łyżeczek"]}},
    "sk": {"energy-kilocalorie": {"genitive": ["kilokalórie", "kilokalórií"]}},
    "uk": {
        "acceleration-meter-per-square-second": {
            "dative": ["метру на секунду у квадраті", "метрам на секунду у квадраті"],
            "instrumental": ["метром на секунду у квадраті", "метрами на секунду у квадраті"],
        },
        "energy-kilojoule": {"locative": ["кілоджоулі", "кілоджоулях"]},
        "power-kilowatt": {"genitive": ["кіловата", "кіловатів"]},
    },
}
# words of all numbers: those of millions and of thousands stand beside one, two and five of them
_NUMBERS = [
    *range(1, 21), *range(30, 100, 10), *range(100, 1000, 100),
    *(number * scale for scale in (1000, 10**6) for number in (1, 2, 5)),
]  # fmt: skip


def main(folder: str) -> None:
    lines = []
    for language in sorted(PLURALS):
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
    """Return the gender of each unit, and its names by case and plural form, without the number."""
    path = folder / "cldr-units-full" / "main" / language / "units.json"
    listed = json.loads(path.read_text("utf-8"))["main"][language]["units"]["long"]
    named = {*units.UNITS.values(), *read_words(language, Units).own.values()}
    mended = _MENDED.get(language, {})
    return {
        name: _unit(listed[name], PLURALS[language]) | mended.get(name, {})
        for name in sorted(named & listed.keys())
    }


def _unit(forms: dict[str, str], plurals: tuple[str, ...]) -> dict[str, Any]:
    """Return the gender of a unit, and its names by case: one for each of the ``plurals``, or two
    if those of several are the same. An accusative like the nominative is left out."""
    cases = {}
    nominative = _names(forms, "unitPattern", plurals)
    for case, aliases in CASES.items():
        said = next((names for alias in aliases if (names := _names(forms, alias, plurals))), None)
        if said and (case != "accusative" or said != nominative):
            cases[case] = said[:2] if len({*said[1:]}) == 1 else said
    gender = {"gender": forms["gender"]} if forms.get("gender") in ("feminine", "neuter") else {}
    return gender | cases


def _names(forms: dict[str, str], case: str, plurals: tuple[str, ...]) -> list[str] | None:
    """Return the names of a unit in a ``case``; None: one is missing, or has no number in front.
    Where CLDR has no form of its own for a plural, it means that of the others."""
    said = [
        forms.get(f"{case}-count-{plural}", forms.get(f"{case}-count-other", ""))
        for plural in plurals
    ]
    if not all(text.startswith("{0}") for text in said):
        return None
    return [text.removeprefix("{0}").strip() for text in said]


def _numbers(language: str) -> dict[str, dict[str, str]]:
    """Return the words of numbers by case, and those of one and two by case and gender: "genitive"
    and "genitive feminine". Empty: num2words knows them, or CLDR has only the nominative."""
    engine = RbnfEngine.for_language(language)
    if language == "fi":
        return _finnish(engine)
    if language != "pl":
        return {}
    forms: dict[str, dict[str, str]] = {}
    for case in ("", *(CASES.keys() - {"accusative"})):  # that is the one of persons
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
