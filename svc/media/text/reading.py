"""How one written word is spoken, and whether it ends a sentence."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from svc.media.languages import Dates, Numbers, Sentences, read_words
from svc.media.text import (
    abbreviations,
    addresses,
    dates,
    foreign,
    months,
    numbers,
    ordinals,
    signs,
    units,
)
from svc.media.text.figures import centuries, formulas, labels, money, spans, sums
from svc.media.text.numerals import (
    CLOSERS,
    OPENERS,
    PAUSES,
    SPACE,
    STOPS,
    base_language,
    extract_stops,
)

_SENTENCE_ENDS = (".", "!", "?", "…", "।", "؟", "۔", "。", "！", "？")
_CLOSERS = f"{CLOSERS}“«‘"  # the last three close in German, Danish and others
_OPENING = frozenset("«„“([{¿¡")
_SPOKEN_ALONE = frozenset("&%+=@§°№")
# The marks at which the voice pauses, and those for which it gets a comma.
_AUDIBLE, _PARTING = (
    frozenset(".!?…,:;،؛।؟。！？"),
    frozenset("-–—|•·/→➔➜⟶⇨"),
)
LEADING = frozenset(("->", *"→➔➜⟶⇨✅✔✓☑"))  # bullets where a text begins with them
_SPOKEN_PICTURES = "°№℃℉"
_RELATIONS = {"<": "<", ">": ">", "~": "≈"}  # in front of a number
_CLOCK = re.compile(r"\D*\d.*m\.")  # 9:00 a.m.
_MEASURE = re.compile(r"[\d½⅓⅔¼¾⅛]\D?(?:tsp|tbsp|oz|lbs?|pt|qt|gal|lg|ft|in|g|kg|ml|l)\.$")
_QUOTED = tuple(f"{mark}{quote}" for mark in "?!." for quote in '"”’»“')
_WITH_UNIT = re.compile(r"\W*\d.*[^\W\d]\.")  # 50 kr. ift.
_DAYS = re.compile(rf"\d\d?\.\d\d?\.{SPACE}?[-–—]{SPACE}?\d\d?\.\d\d?\.")
_DATE = re.compile(rf"\d\d?\.{SPACE}?\d\d?\.{SPACE}?\d{{4}}\.")
_WITH_SHORT_UNIT = re.compile(r"\d\D+\.$")
_JOINING = ("+", "&", "=")
_OPERAND = re.compile(r"[√(+−$€£-]{0,2}\d")
_FIGURE = re.compile(r"[+(]*\d")
_ORDINALS = re.compile(rf"[1-9]\d?\.{SPACE}?[-–]{SPACE}?[1-9]\d?\.")  # 2.–3. in German
_ORDINALS_BY_DOT = re.compile(rf"[1-9]\d?\.?{SPACE}?[-–]{SPACE}?[1-9]\d?\.")  # 1–4. osztály
_SHORT_UNIT = re.compile(r"\d\D?(?:Min|Sek|Std|min|sec|hrs?|u|godz|hod|tim|sek|mies|tyg)\.$")
_MARKED = re.compile(
    r"(?P<note>[A-G])#|#(?P<rank>\d{1,6})|(?P<base>\d{1,6})\^(?P<power>[-−]?\d{1,3})|"
    r"(?P<mantissa>\d(?:[.,]\d{1,4})?)e(?P<exponent>[-+−]?\d{1,3})|"
    r"(?P<feet>[1-9]\d?)['’′](?P<inches>1[01]|\d)[\"″”]?|"
    r"(?P<raised>\d{1,3})(?P<by>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})"
)
_NUMBERED = re.compile(r"([(“\"«]?)((?i:n\.?[°º]|nr\.|núm\.|№))(\d.*)")
_DIGITS_OF_YEAR = 4
# The most characters of a word and its neighbours whose reading is kept: texts repeat their words.
_LONGEST_KEPT = 120
_HEIGHT, _INCHES = re.compile(r"[1-9]\d?['’′](?:1[01]|\d)"), '"″”'
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-–](?=\d)")
_CITATIONS = re.compile(r"(?<=[.,;:!?])([\"”’»)]?)(?:\[\d{1,3}\])+")  # It works.[1][12]
_FIGURE_AT_END = re.compile(r"\d[A-Za-z]{0,4}$")
_UNSPOKEN = re.compile(r"[*_~^`|\\<>{}\[\]#/→←↑↓⇒•·]+|(?:^|(?<=\s))[\u200c\u200d]+(?=\s|$)")


def is_speakable(piece: str) -> bool:
    """Return whether ``piece`` has a letter, a digit or a sign that is spoken by name."""
    is_face = piece[:1] in PAUSES and "-" in piece  # ;->
    return any(_is_said(character) for character in piece) or (
        signs.is_sign(piece.strip(STOPS + CLOSERS + OPENERS)) and not is_face
    )


def _is_said(character: str) -> bool:
    is_currency = unicodedata.category(character) == "Sc"
    return character.isalnum() or is_currency or character in _SPOKEN_ALONE


def as_written(piece: str) -> str:
    """Return ``piece`` as a voice gets it that reads the written text: an address by its host, and
    without pictures and marks that it would read by name."""
    address = addresses.find_host_or_mail(piece.strip(OPENERS + CLOSERS + "<>…" + PAUSES))
    plain = "".join(" " if _is_picture(character) else character for character in address or piece)
    said = _UNSPOKEN.sub(lambda sign: sign[0] if _is_of_figure(sign) else " ", plain)
    return " ".join(said.split())


def _is_of_figure(sign: re.Match[str]) -> bool:
    """Return whether a sign is the slash of a date, a fraction or a rate, such as ``100km/h``, or
    stands for "to" between two figures.
    """
    return sign[0] in ("/", "~") and _FIGURE_AT_END.search(sign.string[: sign.start()]) is not None


def ends_like_sentence(piece: str) -> bool:
    """Return whether ``piece`` ends with a full stop or the like, whatever it means."""
    return piece.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def add_pause(spoken: str, sign: str) -> str:
    """Return ``spoken`` with the pause of a sign that stands apart after it:
    French ``?`` and ``:``, a dash, a bar.
    """
    last = spoken.rstrip(CLOSERS)[-1:]
    if not last or unicodedata.category(last)[0] not in "LMN":  # vowels of Hindi are marks
        return spoken
    mark = next((character for character in sign if character in _AUDIBLE), "")
    return f"{spoken}{mark}" if mark else f"{spoken}," if sign[:1] in _PARTING else spoken


def is_opening(piece: str, following: Sequence[str], starts: bool, language: str) -> bool:
    """Return whether marks that stand apart belong to what follows: ``« Non ! »``, and, in
    languages that write speech so, the dash of who speaks next.

    ``starts``: a sentence has ended before them.
    """
    after = following[0].lstrip(OPENERS) if following else ""
    speaks = (
        starts
        and piece in ("–", "—")
        and after[:1].isupper()
        and not read_words(language, Sentences).quotes_speech
    )
    opens = set(piece) <= _OPENING or speaks
    return opens and bool(after)


def is_asked(sign: str, quote: str = "", after: str = "") -> bool:
    """Return whether a sentence goes on after a mark and a quotation mark that stand apart,
    ``« Quoi ? » dit-il``, or after dots before a small letter: ``I waited ... and waited``."""
    following = quote if any(map(str.isalnum, quote)) else after  # grep . * prints
    if sign.strip(".…") == "" and following.lstrip(OPENERS)[:1].islower():
        return True
    return set(sign) <= set("?!…") and bool(quote) and quote in CLOSERS and after[:1].islower()


def ends_aside(piece: str, after: str) -> bool:
    """Return whether the sentence in which brackets stand ends with ``piece``,
    the end of what they hold.
    """
    inner, tail = piece.partition(")")[0], piece.rpartition(")")[2]
    return ends_like_sentence(tail) or (inner.endswith(("!", "?")) and after[:1].isupper())


def capitalise(spoken: str, language: str) -> str:
    """Return ``spoken`` as the first word of a sentence, since before a small letter the voice
    hears no full stop.
    """
    bare = spoken.lstrip(OPENERS)
    first, head = bare[:1], spoken[: len(spoken) - len(bare)]
    if not first.islower():
        return spoken
    return (
        head
        + ("İ" if first == "i" and base_language(language) == "tr" else first.upper())
        + bare[1:]
    )


def read_piece(piece: str, language: str, before: str, after: str) -> tuple[str, bool]:
    """Return how a speakable ``piece`` is spoken, and whether it ends a sentence.

    ``before``, ``after``: its neighbours.
    """
    piece = numbers.close_rate(_CITATIONS.sub(r"\1", piece))
    piece, currency = money.name_sign(piece, language)
    before = money.find_word_before(currency, before, language)
    short = len(piece) + len(before) + len(after) <= _LONGEST_KEPT
    said, ends = (_read if short else _read.__wrapped__)(piece, language, before, after)
    return money.say_without_country(said, currency), ends


@lru_cache(maxsize=4096)
def _read(piece: str, language: str, before: str, after: str) -> tuple[str, bool]:
    bare = (piece[:-1] if piece.endswith(").") else piece).strip(CLOSERS + OPENERS + PAUSES)
    if (numbered := _read_numbered(piece, language, before, after)) is not None:
        return numbered
    is_dotted = piece == bare and piece.endswith(".")
    if is_dotted and (day := spans.read_short_day(piece, language, before, after)):
        return day, False
    is_rate = bare.endswith(".") and "/" in bare and abbreviations.is_spoken(bare[:-1], language)
    short = bare[:-1] if is_rate else bare  # 7j/7 at the end of a sentence
    if (expansion := _read_abbreviation(piece, short, language, before, after)) is not None:
        return expansion
    address = addresses.find_host_or_mail(piece.strip(OPENERS + CLOSERS + "<>…" + PAUSES))
    if address is not None and not _is_of_both_genders(address, language, before):
        last = piece.rstrip(CLOSERS + ">")[-1:]
        stop = last if last in STOPS else ""
        return addresses.speak_address(address, language) + stop, ends_like_sentence(stop)
    if (decade := ordinals.read_decade(bare, language, before)) is not None:
        tail = piece[piece.rfind(bare) + len(bare) :]
        ends = not after or (after[:1].isupper() and not centuries.is_numeral(after))
        ends = ends and not set(tail) & set(PAUSES)
        return decade + ("." if ends else remove_signs(tail, language, "")), ends
    if dates.is_dotted_ordinal(bare, language, before, after):
        governing = "" if piece[0] in "([" else before  # Saal (1. Stock)
        said, tail = (
            numbers.read_figure(bare, language, governing, after) or bare,
            piece[piece.rfind(bare) + len(bare) :],
        )
        if base_language(language) == "de" and not before and months.is_month(after, language):
            said = said.removesuffix("n") + "r"  # Erster Mai
        head = remove_signs(piece[: piece.rfind(bare)], language, "")
        return head + said + "".join(character for character in tail if character in PAUSES), False
    if (operator := _speak_between_numbers(piece, language, before, after)) is not None:
        return operator, False
    if bare == "§§" and (sections := read_words(language, Numbers).sections):
        return sections, False
    is_short = abbreviations.dot_is_inside(bare, language, before, after)
    # 2500 zł/mies. + media
    inside = is_short or after in _JOINING or _continues_sentence(bare, language, before, after)
    spoken = _speak_with_stops(piece, language, before, after)
    quoted = piece.endswith(_QUOTED) and after[:1].islower()  # "Why?" she said
    if inside:
        spoken = spoken.rstrip(".")
        is_read = _ORDINALS_BY_DOT.fullmatch(bare) is not None and spoken[-1:].isdecimal()
        spoken += "." * is_read  # 3. do 5. dan
    return spoken, ends_like_sentence(piece) and not inside and not quoted


def _read_numbered(piece: str, language: str, before: str, after: str) -> tuple[str, bool] | None:
    """Return how a number with its sign before it, ``n°5``, ``Nr.5``, is spoken, and whether it
    ends a sentence; None: ``piece`` is none."""
    match = _NUMBERED.fullmatch(piece)
    if match is None:
        return None
    sign = abbreviations.expand_abbreviation(match[2], language, before, match[3])
    if sign is None:
        return None
    said, ends = _read(match[3], language, match[2], after)
    return f"{match[1]}{sign} {said}", ends


def _speak_between_numbers(piece: str, language: str, before: str, after: str) -> str | None:
    """Return what is said for ``=`` or ``+`` between two numbers; None: it is something else."""
    is_between = before.rstrip(f"{CLOSERS}%")[-1:].isnumeric() and _OPERAND.match(after) is not None
    return (
        sums.find_word_between(piece, language) or None
        if piece in ("=", "+") and is_between
        else None
    )


def _continues_sentence(bare: str, language: str, before: str, after: str) -> bool:
    """Return whether a sentence goes on after a time with a dot: ``9:00 a.m. today``,
    ``9 a.m. EST``, ``Mo.–Fr. 9–12 Uhr``, or after a unit with one: ``2 tsp. salt``."""
    if not bare.endswith("."):
        return False
    if (
        _WITH_SHORT_UNIT.search(bare) is not None
        and read_words(language, Sentences).full_stop != "."
    ):
        return bool(after)  # 5 कि.मी. है
    if _MEASURE.search(f"{before}{SPACE}{bare}") is not None:
        return after[:1].islower() or (bare.endswith("ft.") and after[:1].isdecimal())
    if _CLOCK.fullmatch(bare) is not None:
        is_more = (
            abbreviations.is_day_or_month(after, language)
            or after.strip(STOPS + CLOSERS) in units.TIME_ZONES
        )
        return after[:1].islower() or is_more
    if _ORDINALS.fullmatch(bare) is not None and base_language(language) == "de":
        return after[:1].isalpha() and not labels.is_sentence_start(after, language)
    is_date = _DAYS.fullmatch(bare) or (_DATE.fullmatch(bare) and _ends_with_year(language))
    if is_date and after[:1].islower():  # 1.5.–31.8. täglich, 14. 3. 2026. u
        return True
    if _ORDINALS_BY_DOT.fullmatch(bare) is not None and after[:1].islower():
        by_dot = read_words(language, Dates)
        if by_dot.ordinals_by_dot or by_dot.ordinals_by_dot_unread:
            return numbers.read_figure(bare, language, before, after) is not None
    is_scaled = money.ends_with_scale(bare.removesuffix("."), language)  # 3 Mio. Menschen
    if is_scaled or _SHORT_UNIT.search(bare) is not None:
        is_noun = base_language(language) == "de" and not labels.is_sentence_start(after, language)
        return bool(after) and (is_noun or not after[:1].isupper())
    has_unit = _WITH_UNIT.fullmatch(bare) is not None
    if has_unit and (after[:1].islower() or money.goes_on_with_cents(bare, after, language)):
        return True
    goes_on = after[:1].isdecimal() or after[:1].islower()
    return goes_on and spans.read_span(bare, language) is not None


def _ends_with_year(language: str) -> bool:
    return read_words(language, Dates).years_by_dot


def _is_year_by_dot(core: str, language: str) -> bool:
    """Return whether ``core`` is a year that its dot makes an ordinal: ``2025. godine``."""
    return (
        core.isdecimal()
        and len(core) == _DIGITS_OF_YEAR
        and dates.is_counted_by_dot(core, language)
    )


def _read_abbreviation(
    piece: str, bare: str, language: str, before: str, after: str
) -> tuple[str, bool] | None:
    """Return how an abbreviation is spoken, with the signs around it,
    and whether it ends a sentence; None: it is none.
    """
    before = "" if piece[0] in "([" else before
    tail = piece[piece.rfind(bare) + len(bare) :]
    beside = f",{after}" if set(tail) & set(PAUSES) and not _FIGURE.match(after) else after
    expansion = abbreviations.expand_abbreviation(bare, language, before, beside) if bare else None
    if expansion is None:
        return None
    head, bracket, tail = "(" * piece.startswith("("), ")" * (")" in tail), extract_stops(tail)[:1]
    ends = ends_like_sentence(tail) or (
        not tail and abbreviations.also_ends_sentence(bare, language, before, after)
    )
    return head + expansion + bracket + (tail or ("." if ends else "")), ends


def _speak_with_stops(piece: str, language: str, before: str, after: str) -> str:
    """Return ``piece`` spoken, with the punctuation around it."""
    core = piece.strip(CLOSERS + OPENERS + STOPS)
    first, _, last = piece.partition(core) if core else ("", "", "")
    marks = extract_stops(last)
    # The dot is that of an abbreviation, such as a unit's: 5 Min., 3 Std.
    if len(marks) > 1 and marks[0] == "." and marks[1] in PAUSES:
        last, marks = last.replace(".", "", 1), marks[1:]
    if core.isdecimal() and len(core) == 2 and first[-1:] in ("'", "’"):  # Jun '26
        return (numbers.read_figure(core, language) or core) + remove_signs(last, language, "")
    # a 5 min. walk
    is_within = (
        marks == "."
        and after[:1].islower()
        and (
            _continues_sentence(f"{core}.", language, before, after)
            or _is_year_by_dot(core, language)
        )
    )
    # ``following`` is what a comma or a full stop parts from it: Chapter 1, May 5.
    following, after = after, "" if marks and not is_within else after
    if whole := _read_whole(core, language, before, after, following):
        last = _drop_marks_of(core, last)
        return remove_signs(first, language, "") + whole + remove_signs(last, language, "")
    for candidate in (core + ".", core) if last[:1] == "." else (core,):  # a.m. keeps its dot
        if (figure := numbers.read_figure(candidate, language, before, after)) is not None:
            return (
                figure if ")" in core else remove_signs(first, language, "") + figure
            ) + remove_signs(last, language, "")
    for written, sign in signs.ORDERS.items() if core[:2] in signs.ORDERS else ():
        core = core.replace(written, sign)
    if (
        core[:1] in _RELATIONS
        and (figure := numbers.read_figure(core[1:], language, before, after)) is not None
    ):
        return f"{signs.name_sign(_RELATIONS[core[0]], language)} {figure}{marks}"
    if core[:1] == "§" and core[1:].strip("§")[:1].isalnum():
        section = _speak_section(core, language)
        return f"{remove_signs(first, language, '')}{section}{remove_signs(last, language, '')}"
    parts = signs.split_signs(core)
    if len(parts) > 1 or signs.is_sign(core):
        said = (
            signs.name_sign(part, language)
            if signs.is_sign(part)
            else _speak_with_stops(part, language, "", "")
            for part in parts
        )
        return (
            remove_signs(first, language, "") + (" ".join(" ".join(said).split()) or core) + marks
        )
    if addresses.is_code(core):
        return (addresses.speak_code(core, language) or core) + marks
    return remove_signs(piece, language)


def _read_whole(core: str, language: str, before: str, after: str, following: str) -> str | None:
    """Return what is said for all of ``core``: a word with two genders, a mark, a formula, a span
    of days or figures, a unit; empty or None if it is none of them. ``after``: the word after it;
    ``following``: the same, also behind a comma or a full stop."""
    return (
        _read_variants(core, language)
        or _read_both_genders(core, language)
        or numbers.read_elided(core, language, after)
        or numbers.read_rate(core, language)
        or _speak_mark(core, language)
        or formulas.read_formula(core, language)
        or spans.read_span(core, language, before, following)
        or numbers.read_part_and_hour(core, language, after)
        or spans.read_day(core, language, before, following)
        or numbers.read_unit_after(core, language, before)
        or sums.find_words_for_x(core, language, before, after)
        or (read_words(language, Numbers).number if core == "№" else None)
    )


def _speak_section(core: str, language: str) -> str:
    """Return a section of a law, or several, as they are spoken: ``§ 3``, ``§§ 3-5``."""
    several = read_words(language, Numbers).sections if core[1] == "§" else ""
    number = _speak_with_stops(core.lstrip("§"), language, "", "")
    return f"{several or signs.name_sign('§', language)} {number}"


def _drop_marks_of(core: str, last: str) -> str:
    """Return the marks ``last`` without those that belong to ``core``: ``5'11"``, ``item(s)``."""
    if _HEIGHT.fullmatch(core):
        return last.lstrip(_INCHES)
    return last.replace(")", "", 1) if "(" in core and ")" not in core else last


def _read_variants(core: str, language: str) -> str | None:
    """Return a word with the ending of another form in words, ``alumnos y alumnas`` of
    ``alumnos/as``; None: it has none."""
    if core.isascii() and core.isalnum():
        return None
    for pattern, said in read_words(language, Sentences).variants.items():
        if match := re.fullmatch(pattern, core):
            return match.expand(said)
    return None


def _read_both_genders(core: str, language: str) -> str | None:
    """Return a word without the ending of its other gender, French ``agents`` of ``agent.e.s``;
    None: it has none."""
    form = read_words(language, Sentences).both_genders
    match = form.fullmatch(core) if form else None
    return "".join(match.groups("")) if match else None


def _is_of_both_genders(address: str, language: str, before: str) -> bool:
    """Return whether what looks like a host is a word of both genders, French ``salarié.es``: by
    its letters or the word ``before`` it."""
    sentences = read_words(language, Sentences)
    form = sentences.both_genders
    if form is None or form.fullmatch(address) is None:
        return False
    word = before.lower().strip(OPENERS)
    return not address.isascii() or word in sentences.before_both_genders


def _speak_mark(core: str, language: str) -> str | None:
    """Return how ``C#``, ``#1``, ``10^6`` and ``5'10"`` are spoken;
    None if ``core`` is nothing of the kind.
    """
    match, known = _MARKED.fullmatch(core), read_words(language, Numbers)
    if match is None:
        return None
    if match["note"]:
        return f"{match['note']} sharp"
    pair, word = ("", match["rank"]), known.number
    if match["raised"]:
        pair, word = (
            (match["raised"], unicodedata.normalize("NFKC", match["by"])),
            known.to_the_power,
        )
    elif match["base"]:
        pair, word = (match["base"], match["power"]), known.to_the_power
    elif match["mantissa"]:
        ten = f"{signs.name_sign('×', language)} {numbers.read_figure('10', language)}"
        pair = (match["mantissa"], match["exponent"].removeprefix("+"))
        word = known.to_the_power and f"{ten} {known.to_the_power}"
    elif match["feet"]:
        pair, word = (
            (match["feet"], match["inches"].removeprefix("0")),
            "foot" if base_language(language) == "en" else "",
        )
    before, after = (numbers.read_figure(part, language) or "" for part in pair)
    return f"{before} {word} {after}".strip() if word else None


def remove_signs(text: str, language: str, otherwise: str | None = None) -> str:
    """Return ``text`` without signs that a voice would read by name ("asterisk", "slash"),
    in letters that it can read.
    """
    compatible = "".join(_to_plain_letter(character) for character in text)
    spoken = " ".join(_UNSPOKEN.sub(" ", _BETWEEN_DIGITS.sub(" ", compatible)).split())
    spoken = foreign.to_readable_script(spoken, language)
    return spoken if spoken or otherwise is not None else text


def _is_picture(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk") and character not in _SPOKEN_PICTURES


def _to_plain_letter(character: str) -> str:
    """Return a mathematical or full-width letter as an ordinary one,
    and nothing for an emoji or another picture.
    """
    if _is_picture(character):
        return " "
    decomposed = unicodedata.decomposition(character)
    return (
        unicodedata.normalize("NFKC", character)
        if decomposed.startswith(("<font>", "<wide>"))
        else character
    )
