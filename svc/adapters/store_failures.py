"""What the failures of obstore, the library of the buckets, are due to: its texts alone say it."""

import errno
import re

# In the part of a text that is for debugging, such as ``Os { code: 24, kind: Uncategorized, …``.
_NUMBER = re.compile(r"\bOs \{\s*code: (\d+),")
# Those of this machine. With another one, an OSError would be of another class.
_OURS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS)


def find_sentence(failure: Exception) -> str:
    """Return the first line of a failure, without the store's own document,
    which may repeat parts of the credentials.
    """
    return str(failure).partition("<")[0].strip().partition("\n")[0][:300] or type(failure).__name__


def describe(url: str, failure: Exception) -> tuple[str] | tuple[int, str]:
    """Return the arguments of the OSError for a failure of the store at ``url``: with the system's
    number where this process could open no more files, or has no memory, so that its outages are
    told from those of the store.
    """
    number, sentence = _NUMBER.search(str(failure)), f"{url}: {find_sentence(failure)}"
    if number and int(number[1]) in _OURS:
        return int(number[1]), sentence
    return (sentence,)
