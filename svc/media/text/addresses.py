"""Addresses and code within text, as they are spoken: the host of a URL, an e-mail address,
the words of an identifier.
"""

import re

from svc.media.languages import Addresses, read_words
from svc.media.text.numerals import CLOSERS, OPENERS, STOPS, spell_cardinal

_LISTED = (
    "com org net edu gov info io dev app ai eu me tv co uk de fr es it pt br nl be ch at se no dk "
    "fi pl cz sk hu ro bg gr ru ua tr in id my vn ke us ca au nz jp cn kr mx ar cl ie example test"
)
_TOP_LEVELS = frozenset(_LISTED.split())
_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?(?:www\.)?|www\.)([^/:?#\s\"'<>()]+)", re.IGNORECASE
)
_MAIL = re.compile(r"(?:mailto:)?([\w.+-]+@[\w-]+(?:\.[\w-]+)+)")
_REPOSITORY = re.compile(r"([\w.-]+@[\w-]+(?:\.[\w-]+)+):[\w.~-]+/\S+")  # git@a.example:tea/pot.git
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")
# A call, a path, an option, or names joined by _, ::, or dots in front of brackets.
_CODE = re.compile(
    r"\w\(|\w_\w|::|\w\[|^--?[a-z][\w-]+|^[@$]\w|^(?:\.{0,2}/|~/)[\w./-]+$|[{}<>=]\w|\w[{}=<>]|"
    r"^[a-z]\w*(?:\.[a-z]\w*)+$|\w\\\w|^\w+[a-z][A-Z]\w*\.\w|^[\w-]+\.(?:py|js|ts|json|yaml|yml|"
    r"toml|sh|txt|md|html|css|csv|sql|ini|cfg|go|rs|java|xml)$"
)
# A number in hexadecimal digits, but neither 12000e10 nor 12000bce.
_HEX = r"(?!\d+(?:e\d+|[a-f]{1,3})(?![0-9a-f]))(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}"
_HASH = re.compile(  # a commit, two of them, a checksum, a UUID, or what begins with 0x
    rf"(?:(?:sha\d+|md5)[:=-])?{_HEX}(?:\.{{2,3}}{_HEX})?|(?:(?:sha\d+|"
    rf"md5)[:=-])?(?=[A-F]*\d)(?=\d*[A-F])[0-9A-F]{{32,128}}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|0x(?=\d*[a-fA-F])[0-9a-fA-F]{8,128}"
)
_KEY = re.compile(r"(?:data:[\w/.+-]{0,60};base64,)?(?P<text>[A-Za-z0-9+/_.-]{20,})={0,2}")
_RUNS = re.compile(r"[A-Z]+[a-z]*|[a-z]+|\d+|[^A-Za-z\d]+")
_SEPARATORS = re.compile(r"[^A-Za-z\d]")
_WORDS, _KINDS = re.compile(r"[a-z]{3,}"), ("[A-Z]", "[a-z]", r"\d")
_FEWEST_BETWEEN, _FEWEST_OF_A_KIND = 8, 2  # signs for a separator; letters of each kind
# The most letters of a kind in a row, on average, and the fewest signs for each that may be of a
# word.
_LONGEST_RUN, _FEWEST_OF_WORDS = 3, 4
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONGEST_SPOKEN = 254  # characters: of an e-mail address (RFC 5321); no host is longer
_SCHEME = re.compile(r"(?<![a-z0-9])(?:[a-z][a-z0-9+.-]*://|www\.)", re.IGNORECASE)
_SCHEME_FIRST = re.compile(r"^https?://(?:www\.)?")
# not the slash between two words: "17,50 € / all three 21 €"
_UNREAD = re.compile(rf"{_SCHEME_FIRST.pattern}|(?<=[^/\s])/$")
AROUND = f"{OPENERS}{CLOSERS}{STOPS}<>"  # marks that may stand around an address
# A mark after an address, also the beginning of a Korean particle.
_AFTER = re.compile(rf"[{re.escape(CLOSERS + STOPS)}>\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]$")
_PAIRS = {")": "(", "]": "[", "}": "{"}


def find_host_or_mail(piece: str) -> str | None:
    """Return the host of the URL that ``piece`` is, with its user that of a repository, or the
    e-mail address; None if it is neither."""
    bare = piece.rstrip(".")
    if mail := _MAIL.fullmatch(bare) or _REPOSITORY.fullmatch(bare):
        return mail[1]
    link = _LINK.match(piece)
    host = link[1] if link else re.split(r"[/?#:]", bare, maxsplit=1)[0]
    if link or (_HOST.fullmatch(host) and host.rpartition(".")[2].lower() in _TOP_LEVELS):
        return host.rstrip(".")
    return None


def begins_address(piece: str) -> bool:
    """Return whether a web address with its scheme, or with "www.", begins with ``piece``."""
    return _SCHEME.match(piece) is not None


def shorten_to_host(piece: str) -> str:
    """Return ``piece`` with its host in place of a web address, and the marks around it;
    any other piece as it is.
    """
    begun = _SCHEME.search(piece)
    start = begun.start() if begun else len(piece) - len(piece.lstrip(f"{OPENERS}<"))
    end = len(piece)
    while _AFTER.search(piece, start, end) and not _is_within(
        piece[start : end - 1], piece[end - 1]
    ):
        end -= 1
    host = find_host_or_mail(piece[start:end])
    return piece if host is None else piece[:start] + host + piece[end:]


def replace_addresses(text: str, mark: str) -> str:
    """Return ``text`` with ``mark`` in place of each web address and e-mail address."""
    pieces = [
        mark if find_host_or_mail(piece.strip(AROUND)) is not None else piece
        for piece in text.split(" ")
    ]
    return " ".join(pieces)


def drop_scheme(piece: str, goes_on: bool = False) -> str:
    """Return an address as it is shown to be read: without its scheme, "www." and last slash.

    ``goes_on``: whether ``piece`` is only its beginning, whose slash stays.
    """
    return (_SCHEME_FIRST if goes_on else _UNREAD).sub("", piece) or piece


def _is_within(address: str, closer: str) -> bool:
    """Return whether a bracket that closes one of ``address`` belongs
    to it: ``/wiki/Tide_(sea)``.
    """
    opener = _PAIRS.get(closer)
    return opener is not None and address.count(opener) > address.count(closer)


def is_hash(piece: str) -> bool:
    """Return whether ``piece`` is a string in hexadecimal such as that of a commit, or a key or the
    like in base64, which nobody reads aloud."""
    bare = piece.strip(f"{AROUND}`")
    return _HASH.fullmatch(bare) is not None or _is_key(bare)


def _is_key(piece: str) -> bool:
    """Return whether capitals, small letters and digits change as often as in base64, and more
    often than in joined words, of which a capital and the small letters after it count as one."""
    match = _KEY.fullmatch(piece)
    text = match["text"] if match else ""
    has_all = all(len(re.findall(kind, text)) >= _FEWEST_OF_A_KIND for kind in _KINDS)
    if not has_all or len(_SEPARATORS.findall(text)) * _FEWEST_BETWEEN > len(text):
        return False
    in_words = sum(map(len, _WORDS.findall(text)))
    return len(_RUNS.findall(text)) * _LONGEST_RUN >= len(text) >= in_words * _FEWEST_OF_WORDS


def speak_address(address: str, language: str) -> str:
    """Return a host or an e-mail address as it is spoken, with "dot" and "at" in
    the language's words.
    """
    words = read_words(language, Addresses)
    plain = (
        re.sub(r"[-_+…]", " ", address[:_LONGEST_SPOKEN])
        .replace(".", f" {words.dot} ")
        .replace("@", f" {words.at} ")
    )
    said = [
        spell_cardinal(int(word), language) if word.isdecimal() and len(word) < 4 else word
        for word in plain.split()
    ]
    return " ".join(said) or address


def is_code(piece: str) -> bool:
    """Return whether ``piece`` looks like code rather than like a word."""
    return bool(_CODE.search(piece)) and any(character.isalnum() for character in piece)


def speak_code(piece: str, language: str) -> str:
    """Return the words of code: identifiers apart, "dot" between names, no brackets."""
    dot = read_words(language, Addresses).dot
    named = re.sub(r"(?<=\w)\.(?=\w)", f" {dot} ", piece.replace("==", " = "))
    words = _CAMEL.sub(
        " ",
        re.sub(r"[^\w\s=+%&@'’.,:;!?-]|(?<!\w)[-@.:]+|_|:(?=\w)", " ", named.replace("=", " = ")),
    ).split()
    return " ".join(
        spell_cardinal(int(word), language) if word.isdecimal() and len(word) < 5 else word
        for word in words
    )
