"""The requests of a step's child process for scenes that other machines rendered.

It asks its parent for those that this machine lacks, and tells it of new ones.
"""

import threading
from collections.abc import Callable
from typing import Any

# How many seconds an answer is waited for. Without one, nothing more is asked for: the child
# renders faster than that.
_SECONDS = 5.0


class SceneRequests:
    """Implements svc.media.cache.Sharing.

    The parent answers a question with a line that repeats the name.
    """

    def __init__(self, tell: Callable[[dict[str, Any]], None]):
        self._tell, self._turn = tell, threading.Lock()
        self._waiting: dict[str, threading.Event] = {}
        self._unanswered = False

    def fetch(self, name: str) -> None:
        if self._unanswered:
            return
        with self._turn:
            answered = self._waiting.setdefault(name, threading.Event())
        self._tell({"lacks": name})
        self._unanswered = not answered.wait(_SECONDS) or self._unanswered

    def note_added(self, name: str) -> None:
        self._tell({"kept": name})

    def answer(self, name: str) -> None:
        """Take a line of the parent."""
        with self._turn:
            answered = self._waiting.pop(name, None)
        if answered is not None:
            answered.set()
