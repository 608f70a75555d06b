"""The words of titles, by which productions are found: an index that follows the
productions within seconds.
"""

import json
import re
import unicodedata
from typing import Any

from svc.base import clock, ids
from svc.store import meta
from svc.store.database import MOMENT, Busy, Row, db
from svc.store.expressions import JOIN, LAST_CHARACTER, SQL, elements, fn
from svc.store.models.partners import Partner
from svc.store.models.productions import Production, TitleWord
from svc.store.queries import Prepared, slot, slots

MANY = 5000  # titles with a word, from which on the newest productions are read instead
MOST_WORDS = 16  # of a title, each once
MOST_SIGNS = 64  # of them that are one ideograph or syllable: a title in Japanese has some thirty
LONGEST_WORD = 20  # characters; what is longer is cut, in titles as in searches
_BATCH = 200  # productions in one transaction
_MOST_BATCHES = 25  # of one call, after an upgrade or a restore
_OVERLAP = clock.MINUTE  # a production may be committed after one with a later id
_SIGNS = r"\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_SIGN = re.compile(f"[{_SIGNS}]")
_WORD = re.compile(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+")

_NEW = Prepared(
    Production.select(Production.id, Production.partner_id, Production.title)
    .where(
        Production.id > slot("after"),
        ~fn.EXISTS(
            TitleWord.select(TitleWord.word).where(TitleWord.production_id == Production.id)
        ),
    )
    .order_by(Production.id)
    .limit(slot("most"))
)
_ADD = Prepared(
    TitleWord.insert(slots("partner_id", "word", "production_id")).on_conflict("nothing")
)
_REMOVE = Prepared(TitleWord.delete().where(TitleWord.production_id == slot("production_id")))
_TITLES = Prepared(
    Production.select(Production.id, Production.title).where(
        Production.id.in_(elements(slot("ids")))
    )
)
_TITLE = Prepared(
    Production.select(Production.partner_id, Production.title).where(Production.id == slot("id"))
)
_LATEST = Prepared(
    Production.select(Production.id, Production.title)
    .where(
        Production.id > slot("after"),
        slot("partner_id").cast("text").is_null() | (Production.partner_id == slot("partner_id")),
    )
    .order_by(Production.id.desc())
    .limit(slot("most"))
)
_WITH_WORD = (
    Partner.select(SQL("1"))
    .join(TitleWord, JOIN.CROSS)
    .where(
        TitleWord.partner_id == Partner.id,
        TitleWord.word >= slot("word"),
        TitleWord.word < slot("word_end"),
    )
    .limit(MANY + 1)
)


def _count_query(titles: Any) -> Prepared[Row]:
    few = titles.alias("few")
    return Prepared(Partner.select(fn.count(SQL("1"))).from_(few))


_COUNT = _count_query(_WITH_WORD)
_COUNT_OF_PARTNER = _count_query(_WITH_WORD.where(Partner.id == slot("partner_id")))


def split_words(text: str) -> list[str]:
    """Return the words of a text without case and accents, each once.

    An ideograph or a Korean syllable is a word.
    """
    letters = (
        each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each)
    )
    plain = unicodedata.normalize("NFC", "".join(letters)).casefold()
    left = {False: MOST_WORDS, True: MOST_SIGNS}
    words = []
    for word in dict.fromkeys(word[:LONGEST_WORD] for word in _WORD.findall(plain)):
        is_sign = _SIGN.fullmatch(word) is not None
        if left[is_sign]:
            left[is_sign] -= 1
            words.append(word)
    return words


def index_titles(now: int) -> int:
    """Add the words of titles that are new, and return how many titles those were.

    A crash leaves out none of them. Those of a partner whose transactions are held up are left for
    later.
    """
    added = 0
    for _ in range(_MOST_BATCHES):
        number = _index_batch(now)
        added += number
        if number < _BATCH:
            break
    return added


def _index_batch(now: int) -> int:
    new = _NEW.rows(after=_find_index_begin(now), most=_BATCH)
    left: list[str] = []
    for partner_id in dict.fromkeys(row["partner_id"] for row in new):
        production_ids = [row["id"] for row in new if row["partner_id"] == partner_id]
        try:
            _index_titles_of(partner_id, production_ids)
        except Busy:
            left += production_ids
    # up to the first that is left, which the next call has to find
    done = [row["id"] for row in new if not left or row["id"] < min(left)]
    if done and done[-1] > _read_newest_indexed():
        with db.transaction(durable=False, in_turn=False):
            meta.put("titles_indexed", done[-1])
    return len(new) - len(left)


def _index_titles_of(partner_id: str, production_ids: list[str]) -> None:
    """Add the words of a partner's titles. Busy: its transactions are held up."""
    with db.transaction(durable=False, partner=partner_id, moment=MOMENT):
        # The titles are read as they are now, without those that were removed meanwhile.
        for row in _TITLES.rows(ids=json.dumps(production_ids)):
            for word in split_words(row["title"]) or [""]:
                _ADD.execute(partner_id=partner_id, word=word, production_id=row["id"])


def reindex_title(production_id: str) -> None:
    """Follow a change of a production's title, if it is in the index already.

    Call it inside a transaction.
    """
    partner_id, title = _TITLE.one(id=production_id)
    if _REMOVE.execute(production_id=production_id):
        for word in split_words(title) or [""]:
            _ADD.execute(partner_id=partner_id, word=word, production_id=production_id)


def _read_newest_indexed() -> str:
    return meta.read_text("titles_indexed") or ids.NIL


def _find_index_begin(now: int) -> str:
    """Return the id after which titles may be missing in the index,
    also where the clock was set back.
    """
    newest = int(_read_newest_indexed()[:8] + _read_newest_indexed()[9:13], 16)
    return ids.make_lowest_id(max(0, min(newest, now) - _OVERLAP))


def find_unindexed(partner_id: str | None, looked_for: list[str]) -> list[str]:
    """Return the productions that match and are not in the index yet, of the newest few.

    None: of all partners.
    """
    new = _LATEST.rows(after=_read_newest_indexed(), partner_id=partner_id, most=_BATCH)
    return [row["id"] for row in new if _has_all_words(split_words(row["title"]), looked_for)]


def _has_all_words(title: list[str], looked_for: list[str]) -> bool:
    return all(any(word.startswith(each) for word in title) for each in looked_for)


def is_common(partner_id: str | None, word: str) -> bool:
    """Return whether more than :data:`MANY` titles have a word that begins so."""
    beginning = {"word": word, "word_end": word + LAST_CHARACTER}
    number = (
        _COUNT_OF_PARTNER.value(**beginning, partner_id=partner_id)
        if partner_id
        else _COUNT.value(**beginning)
    )
    return int(number) > MANY
