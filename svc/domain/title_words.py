"""The words of titles, by which productions are found: an index that follows the productions within seconds."""

import re
import unicodedata

from svc.base import clock, ids
from svc.store import database, meta
from svc.store.sql import LAST_CHARACTER

MANY = 5000  # titles with a word, from which on the newest productions are read instead
MOST_WORDS = 16  # of a title, each once
LONGEST_WORD = 20  # characters; what is longer is cut, in titles as in searches
_BATCH = 200  # productions in one transaction
_MOST_BATCHES = 25  # of one call, after an upgrade or a restore
_OVERLAP = clock.MINUTE  # a production may be committed after one with a later id
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]|[^\W_\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+")

_NEW = """
    SELECT id, partner_id, title FROM productions p WHERE id > :after
      AND NOT EXISTS (SELECT 1 FROM title_words w WHERE w.production_id = p.id) ORDER BY id LIMIT :most
"""
_ADD = "INSERT INTO title_words (partner_id, word, production_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_LATEST = """
    SELECT id, title FROM productions WHERE id > :after AND (:partner IS NULL OR partner_id = :partner)
    ORDER BY id DESC LIMIT :most
"""
_COUNT = f"""
    SELECT count(*) FROM (
        SELECT 1 FROM partners o
        CROSS JOIN title_words w ON w.partner_id = o.id AND w.word >= :w AND w.word < :w || '{LAST_CHARACTER}'
        WHERE {{whose}} LIMIT :most
    ) AS few
"""


def words(text: str) -> list[str]:
    """Return the words of a text without case and accents, each once. An ideograph or a Korean syllable is a word."""
    letters = (each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    plain = unicodedata.normalize("NFC", "".join(letters)).casefold()
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in _WORD.findall(plain)))[:MOST_WORDS]


def index(now: int) -> int:
    """Add the words of titles that are new, and return how many titles those were. A crash leaves out none of them."""
    added = 0
    for _ in range(_MOST_BATCHES):
        number = _index_batch(now)
        added += number
        if number < _BATCH:
            break
    return added


def _index_batch(now: int) -> int:
    if not database.rows(_NEW, {"after": _begin(now), "most": 1}):
        return 0
    with database.write(durable=False):
        new = database.rows(_NEW, {"after": _begin(now), "most": _BATCH})
        for row in new:
            for word in words(row["title"]) or [""]:
                database.execute(_ADD, (row["partner_id"], word, row["id"]))
        if new and new[-1]["id"] > _newest():
            meta.put("titles_indexed", new[-1]["id"])
    return len(new)


def renew(production_id: str) -> None:
    """Follow a change of a production's title, if it is in the index already. Inside write()."""
    sql = "SELECT partner_id, title FROM productions WHERE id = ?"
    partner_id, title = database.one(sql, (production_id,))
    if database.execute("DELETE FROM title_words WHERE production_id = ?", (production_id,)):
        for word in words(title) or [""]:
            database.execute(_ADD, (partner_id, word, production_id))


def _newest() -> str:
    return meta.text("titles_indexed") or ids.NIL


def _begin(now: int) -> str:
    """Return the id after which titles may be missing in the index, also where the clock was set back."""
    newest = int(_newest()[:8] + _newest()[9:13], 16)
    return ids.earliest(max(0, min(newest, now) - _OVERLAP))


def latest(partner_id: str | None, looked_for: list[str]) -> list[str]:
    """Return the productions that match and are not in the index yet, of the newest few. None: of all partners."""
    new = database.rows(_LATEST, {"after": _newest(), "partner": partner_id, "most": _BATCH})
    return [row["id"] for row in new if _matches(words(row["title"]), looked_for)]


def _matches(title: list[str], looked_for: list[str]) -> bool:
    return all(any(word.startswith(each) for word in title) for each in looked_for)


def is_common(partner_id: str | None, word: str) -> bool:
    """Return whether more than :data:`MANY` titles have a word that begins so."""
    whose = "o.id = :partner" if partner_id else "TRUE"
    row = database.one(_COUNT.format(whose=whose), {"partner": partner_id, "w": word, "most": MANY + 1})
    return int(row[0]) > MANY
