"""The search in the API reference: its operations and events, and the sections of its guide."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from svc.public.reference import Answer, Operation, Property, Reference

_MOST = 50


@dataclass(frozen=True)
class Found:
    """A result of the search.

    ``place``: its address below ``/docs``; ``method`` and ``path``: of an operation.
    """

    title: str
    place: str
    within: str  # the page that it is on
    method: str = ""
    path: str = ""


class Index:
    """The texts of the reference, in which each search looks: there are some hundred."""

    def __init__(self, reference: Reference, anchor: Callable[[str], str]):
        """``anchor``: returns the anchor of a heading."""
        self._texts = [*_index_operations(reference), *_index_guide(reference.guide, anchor)]

    def find(self, words: str) -> list[Found]:
        """Return the entries that have all words, also within longer ones.

        Those with most of them in title and address come first.
        """
        terms = words.lower().split()
        if not terms:
            return []
        matching = [
            (sum(word in head for word in terms), entry)
            for entry, head, text in self._texts
            if all(word in head or word in text for word in terms)
        ]
        return [entry for _, entry in sorted(matching, key=lambda match: -match[0])[:_MOST]]


def _index_operations(reference: Reference) -> Iterator[tuple[Found, str, str]]:
    for group in reference.groups:
        for each in group.operations:
            entry = Found(
                each.summary, f"/{group.name}#{each.id}", group.name, each.method, each.path
            )
            head = f"{each.summary} {each.method} {each.path} {each.id}"
            yield entry, head.lower(), " ".join(_list_texts(each)).lower()


def _list_texts(operation: Operation) -> Iterator[str]:
    yield operation.description
    for parameters in operation.parameters.values():
        yield from _list_property_texts(parameters)
    for answer in (operation.body, *operation.successes, *operation.refusals):
        if answer is not None:
            yield from _list_answer_texts(answer)


def _list_answer_texts(answer: Answer) -> Iterator[str]:
    yield f"{answer.status} {answer.description}"
    yield from _list_property_texts(answer.properties)
    if answer.status[:1] in ("4", "5"):
        yield from answer.examples  # have the error codes


def _list_property_texts(properties: list[Property]) -> Iterator[str]:
    for each in properties:
        yield f"{each.name} {each.description}"
        yield from _list_property_texts(each.within)


def _index_guide(guide: str, anchor: Callable[[str], str]) -> Iterator[tuple[Found, str, str]]:
    for part in re.split(r"^## ", guide, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        yield Found(heading, f"#{anchor(heading)}", "guide"), heading.lower(), text.lower()
