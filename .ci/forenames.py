"""``python .ci/forenames.py``: write svc/media/script/forenames.txt from Faker's names of people.

Of each language whose speakers a dialogue may have, the forenames of the countries that Faker
knows, by which "Anna: Hello" is told from "Price: 5 euros". The same Faker gives the same bytes.
Needs ``pip install faker==40.63.0`` (MIT), which nothing at run time does.
"""

import sys
import textwrap
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from faker.providers import person

sys.path.insert(0, str(Path(__file__).parents[1]))
from svc.base.text.languages import LANGUAGES

TARGET = Path(__file__).parents[1] / "svc" / "media" / "script" / "forenames.txt"
SOURCE = (
    "# Forenames: those of Faker's providers of persons (MIT), and a few more; by .ci/forenames.py."
)
_LISTS = ("first_names", "first_names_male", "first_names_female")
# The usual ones that Faker has not.
_FURTHER = """
Ajay Amit Ananya Andreu Anil Arjan Arun Aslı Ayşe Barış Berk Bernat Bożena Buse Carles Deepak
Ebru Ece Ed Edyta Enric Erdem Eulàlia Ferran Flávia Francesc Gamze Geeta Grażyna Guillem Ignasi
Jaume Kasia Kavita Kees Kerem Kiran Kriszta Kuba Llorenç Lluís Lluïsa Luiz Luíza Manoj Mariona
Matt Małgorzata Meena Meltem Mercè Meritxell Miquel Mohan Montse Márcia Nazlı Neus Oriol Oğuz
Pelin Pere Phil Pınar Queralt Rafel Rahul Raj Rajesh Ramesh Rekha Rohit Rosó Ruud Sanjay Sema
Sevgi Shreya Sita Sunil Sunita Suresh Tariq Tolga Tomek Ufuk Vijay Vikram Wojtek Zosia Zsuzsa
Zuzanna İrem İsmail Αννα Αντώνης Θανάσης Σπύρος Στέλιος Алёна Аня Артём Даша Дима Ева Катя Лена
Леся Лида Марічка Микола Миша Настя Олександра Олексій Олеся Оля Петя Пётр Саша Серёжа Софья Юля
Юлія Юрій دينا رانيا عائشة منى هالة अंजलि अजय अनीता आरती करण कविता काव्या पूजा मनोज महेश मीना
रमेश रीना रेखा रोहित विकास सरिता सलीम सोहन
"""
_WHOLE_WORLD = "en"  # names of all English-speaking countries, surnames among them


def list_forenames() -> list[str]:
    """Return the forenames of all languages, sorted."""
    known = {language.partition("-")[0] for language in LANGUAGES} | {"no"}
    found = set(_FURTHER.split())
    for module in iter_modules(person.__path__):
        if module.name.partition("_")[0] not in known or module.name == _WHOLE_WORLD:
            continue
        provider = import_module(f"{person.__name__}.{module.name}").Provider
        for name in _LISTS:
            listed = getattr(provider, name, ())
            if not isinstance(listed, property):
                found.update(map(str, listed))
    return sorted(name for name in found if name[:1].isalpha() and " " not in name)


if __name__ == "__main__":
    lines = textwrap.wrap(
        " ".join(list_forenames()), 100, break_long_words=False, break_on_hyphens=False
    )
    TARGET.write_text("\n".join((SOURCE, *lines, "")), encoding="utf-8")
