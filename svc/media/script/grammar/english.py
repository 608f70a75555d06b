"""Which English words do not begin or end a phrase, because what they belong to would be missing."""

from svc.media.script.grammar.negations import is_relative

DETERMINERS = frozenset((
    "a", "an", "the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their", "each", "every",
    "all", "both", "no", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "most", "many", "some", "few",
))  # fmt: skip
_CONJUNCTIONS = ("and", "or", "but")
_PAIRS = {"between": ("and",), "both": ("and",), "either": ("or",), "neither": ("nor",)}
NEVER_FIRST = frozenset(("i.e", "e.g", "cf", "viz", "as"))
_BINDING = frozenset(("of", "than", "per", "versus", "via"))  # what goes before them is a part of what is said
_BEFORE_YEARS = frozenset(("in", "by", "since", "until", "from", "after", "before", "around", "about", "of"))
_NEVER_LAST = frozenset((
    "takes", "took", "makes", "made", "needs", "needed", "keeps", "kept", "gives", "gave", "costs", "brings", "brought",
    "contains", "includes", "means", "meant", "becomes", "became", "says", "said", "shows", "showed", "uses", "used", "holds",
    "held", "wants", "eleven", "twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "sixty", "hundred", "thousand",
    "million", "billion", "dozen", "half", "several", "begins", "began", "starts", "started", "lasts", "lasted",
))  # fmt: skip
_ORDINALS = frozenset(("first", "second", "third", "last", "next"))
REPORTS = frozenset(("said", "says", "told", "reported", "announced", "according"))  # who says it is not what is said
_MONTHS = frozenset((
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
))  # fmt: skip


def is_torn(before: list[str], words: list[str], goes_on: bool, ends_with_name: bool) -> bool:
    """Return whether ``words`` lack what ``before``, of the same clause, begins ("one of | four journeys"), or what goes on
    after them ("the cake takes | an hour"); have one half of a pair; begin with "isn't" or "i.e."; or are only a date."""
    if words[0] in NEVER_FIRST or (before and (words[0].endswith(("n't", "n’t")) or is_relative(words[0], "en"))):
        return True
    if before and (before[-1] in _BINDING or (words[0].isdecimal() and before[-1] in _BEFORE_YEARS)):
        return True
    if (before and before[-1] in _ORDINALS) or ("because" in words[1:] and (before or goes_on)):
        return True  # "the first | half of 2025", "closed | on Monday because …"
    if before and before[-1] in _CONJUNCTIONS and not _PAIRS.keys().isdisjoint(before):
        return True  # the second half of a pair: "between Zurich and | Barcelona"
    if any(is_relative(word, "en") and word != "that" for word in before):
        return True  # of a relative clause without a comma: "the day on which | you receive the goods"
    if goes_on and ((words[-2] == "to" and not ends_with_name) or words[-1] in _NEVER_LAST or "that" in words[-3:]):
        return True
    if all(word.isdecimal() or word in _MONTHS for word in words):
        return True
    return any(
        word in _PAIRS and not any(joint in _PAIRS[word] for joint in words[at + 2 : -1]) for at, word in enumerate(words)
    )
