"""``python .ci/pictures.py FOLDER``: write svc/media/artwork/pictures.zip from npm packages that
were unpacked into FOLDER.

They come with ``npm install --prefix FOLDER @iconify-json/fluent-emoji-flat @iconify-json/lucide
circle-flags emojibase-data cldr-annotations-full
stopwords-iso``; FOLDER is then ``FOLDER/node_modules``. The same packages give the same bytes.

``python .ci/pictures.py FOLDER solid`` writes solid.zip beside it: the same pictures in the round,
by the same names, from @lobehub/fluent-emoji-3d 1.1.0.
"""

import json
import re
import sys
import zipfile
from pathlib import Path

TARGET = Path(__file__).parents[1] / "svc" / "media" / "artwork" / "pictures.zip"
SOLID = TARGET.with_name("solid.zip")
LANGUAGES = (
    "ar",
    "bg",
    "bn",
    "ca",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fa",
    "fi",
    "fr",
    "he",
    "hi",
    "hr",
    "hu",
    "id",
    "it",
    "ja",
    "ko",
    "lt",
    "lv",
    "mk",
    "ms",
    "nl",
    "no",
    "pl",
    "pt",
    "ro",
    "ru",
    "sk",
    "sl",
    "sr",
    "sv",
    "sw",
    "th",
    "tr",
    "uk",
    "ur",
    "vi",
    "zh",
)
# Other scripts of a language, whose words are recognised as well. Not those of other countries: a
# tram is an "elétrico" in Portugal, as is whatever is electric.
SCRIPTS = {"sr": ("sr-Latn",), "zh": ("zh-Hant", "zh-Hant-HK")}
_SUBGROUPS = {  # of emojibase: those that show a thing, an animal, a place or a trade
    *(22, 25, 28),  # parts of the body, trades, sports
    *range(34, 57),  # animals, plants, food, places, vehicles
    *(
        58,
        59,
        60,
        61,
        62,
        63,
        64,
        65,
        66,
        67,
        68,
        69,
        70,
        71,
        72,
        73,
        74,
        75,
        76,
        77,
        78,
        79,
        80,
        81,
        82,
    ),
}
_ALSO = {"robot", "recycling-symbol", "wheelchair-symbol", "trident-emblem", "red-heart"}
_ALSO_SOLID = {  # signs and people that stand for an idea, although no search by words finds them
    "atom-symbol", "baby", "bridge-at-night", "busts-in-silhouette", "check-mark-button", "child",
    "children-crossing", "counterclockwise-arrows-button", "ear", "ear-of-corn", "elevator", "eye",
    "face-with-medical-mask", "face-with-thermometer", "fog", "folded-hands", "handshake",
    "hot-face", "hundred-points", "identification-card", "infinity", "input-numbers", "kaaba",
    "litter-in-bin-sign", "luggage", "mending-heart", "milky-way", "moai", "money-mouth-face",
    "mouse-face", "muted-speaker", "night-with-stars", "no-smoking", "older-person",
    "passport-control", "people-hugging", "person-climbing", "person-getting-haircut",
    "person-getting-massage", "person-in-lotus-position", "person-in-manual-wheelchair",
    "person-raising-hand", "person-running", "pinching-hand", "placard", "potable-water",
    "radioactive", "raising-hands", "red-heart", "red-question-mark", "sneezing-face",
    "speaking-head", "speech-balloon", "thought-balloon", "thumbs-up", "tokyo-tower", "tongue",
    "warning", "wind-face", "zzz",
}  # fmt: skip
_NOT = re.compile(  # too general, too special, or an offence to some
    "^(man|woman|.*-(oclock|thirty)|pile-of-poo|love-hotel|moai|water-pistol|coffin|funeral-urn|"
    "headstone|cigarette|mahjong.*|.*-suit|joker|person-(in-suit|with-veil|feeding).*|"
    "breast-feeding|pregnant.*|mermaid|leg|foot|ear.*|"
    "nose|eye|eyes|tongue|mouth|biting-lip|princess|prince|ninja|shortcake-.*|placard|"
    "identification-card|flower-playing-cards|nazar.*|input-.*|person-.*headscarf|map-of-japan|"
    "tokyo-tower|white-flower|hole|elevator|mouse-face|kaaba|bridge-at-night|night-with-stars|"
    "dashing-away|bubbles|wind-face|fog|kiss-mark|milky-way|oncoming-.*|speaker-.*|muted-speaker)$"
)
_COMPOUND = re.compile("^(man|woman|men|women)-|-(light|medium|dark)(-|$)|skin-tone")


def main(folder: str) -> None:
    root = Path(folder)
    flat = _icons(root / "@iconify-json" / "fluent-emoji-flat")
    characters = {
        "".join(chr(int(code, 16)) for code in codes.split("-")): name
        for codes, name in _read(
            root / "@iconify-json" / "fluent-emoji-flat" / "chars.json"
        ).items()
        if name in flat and not _COMPOUND.search(name)
    }
    flat = {name: body for name, body in flat.items() if name in set(characters.values())}
    members = {
        "flat.json": flat,
        "lines.json": _icons(root / "@iconify-json" / "lucide"),
        "flags.json": _flags(root / "circle-flags" / "flags"),
        "characters.json": characters,
    }
    shown = _searchable(root, characters)
    stop = _read(root / "stopwords-iso" / "stopwords-iso.json")
    for language in LANGUAGES:
        members[f"words/{language}.json"] = _words(
            root, language, shown, frozenset(stop.get(language, ()))
        )
    with zipfile.ZipFile(TARGET, "w", zipfile.ZIP_LZMA) as archive:
        for name, content in members.items():
            text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_LZMA)
    print(f"{TARGET.stat().st_size:,} bytes, {len(flat)} pictures, {len(shown)} of them searchable")


def solid(folder: str) -> None:
    """Write the pictures in the round, WebP of 256 × 256 pixels as they are in the package,
    with the names of pictures.zip.
    """
    source = Path(folder) / "@lobehub" / "fluent-emoji-3d" / "assets"
    with zipfile.ZipFile(TARGET) as archive:
        characters, words = (
            json.loads(archive.read(name)) for name in ("characters.json", "words/en.json")
        )
    files: dict[str, Path] = {}
    for character, name in characters.items():
        codes = "-".join(f"{ord(sign):x}" for sign in _bare(character))
        found = [file for end in ("", "-fe0f") if (file := source / f"{codes}{end}.webp").is_file()]
        found += source.glob("-".join(f"{ord(sign):x}" for sign in character) + ".webp")
        if found and (name in words or name in _ALSO_SOLID):
            files.setdefault(name, found[0])
    with zipfile.ZipFile(SOLID, "w", zipfile.ZIP_STORED) as archive:
        for name, file in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(f"{name}.webp"), file.read_bytes())
    print(f"{SOLID.stat().st_size:,} bytes, {len(files)} pictures")


def _icons(package: Path) -> dict[str, str]:
    return {
        name: icon["body"]
        for name, icon in _read(package / "icons.json")["icons"].items()
        if not icon.get("hidden") and not _COMPOUND.search(name)
    }


def _flags(folder: Path) -> dict[str, str]:
    """Return the flags of countries by their ISO 3166-1 code,
    as the inside of an SVG of 512 × 512.
    """
    flags = {}
    for file in sorted(folder.glob("??.svg")):
        text = file.read_text("utf-8").strip()
        flags[file.stem] = text[text.index(">") + 1 : text.rindex("</svg>")]
    return flags


def _searchable(root: Path, characters: dict[str, str]) -> dict[str, str]:
    """Return the characters that a search may return, with their pictures' names."""
    subgroups = {
        _bare(row["emoji"]): row.get("subgroup")
        for row in _read(root / "emojibase-data" / "en" / "data.json")
    }
    return {
        _bare(character): name
        for character, name in characters.items()
        if name in _ALSO or (subgroups.get(_bare(character)) in _SUBGROUPS and not _NOT.match(name))
    }


def _words(
    root: Path, language: str, shown: dict[str, str], stop: frozenset[str]
) -> dict[str, list[str]]:
    """Return each picture's label followed by its keywords, without stop words, and by those in
    other scripts of the language."""
    words = _annotations(root, language, shown, stop)
    known = {word for listed in words.values() for word in listed}
    for script in SCRIPTS.get(language, ()):
        for name, further in _annotations(root, script, shown, stop).items():
            # not what is written for two words in one: "naučnik/ca"
            more = [word for word in further if word not in known and "/" not in word]
            words[name] += [word for word in more if word not in words[name]]
    return words


def _annotations(
    root: Path, language: str, shown: dict[str, str], stop: frozenset[str]
) -> dict[str, list[str]]:
    """Return each picture's label and keywords as CLDR has them."""
    content = _read(root / "cldr-annotations-full" / "annotations" / language / "annotations.json")
    words = {}
    for character, annotation in content["annotations"]["annotations"].items():
        name = shown.get(_bare(character))
        label = annotation.get("tts", [""])[0]
        if name and label and not label.startswith("E1"):
            keywords = [
                word
                for word in annotation.get("default", ())
                if word != label and word.lower() not in stop
            ]
            words[name] = [label, *keywords]
    return words


def _bare(character: str) -> str:
    """Return ``character`` without variation selectors."""
    return character.replace("\ufe0f", "").replace("\ufe0e", "")


def _read(path: Path):
    return json.loads(path.read_text("utf-8"))


if __name__ == "__main__":
    solid(sys.argv[1]) if sys.argv[2:] == ["solid"] else main(*sys.argv[1:])
