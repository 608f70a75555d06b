"""Asks a language model, and once more with what is wrong with its first answer."""

from collections.abc import Callable
from typing import TypeVar

from babel import Locale

from svc.media.resources import ChatModel

Read = TypeVar("Read")

_MOST_RETURNED = 20_000  # characters of a rejected answer that are sent back to the model


def ask_model(
    chat: ChatModel,
    messages: list[dict[str, str]],
    name: str,
    schema: dict,
    read: Callable[[str], tuple[Read, str]],
    repair: str,
) -> tuple[Read, str]:
    """Return the answer as ``read`` parses it, and what is wrong with it (or empty), after at most
    one repair.

    ``repair``: asks for another answer, with ``{wrong}`` in it. Raises the errors of ``chat``.
    """
    parsed, wrong = read(answer := chat.ask(messages, name, schema))
    if wrong:
        messages = [
            *messages,
            {"role": "assistant", "content": answer[:_MOST_RETURNED]},
            {"role": "user", "content": repair.format(wrong=wrong)},
        ]
        parsed, wrong = read(chat.ask(messages, name, schema))
    return parsed, wrong


def name_language(code: str) -> str:
    """Return the name of a language for a model: ``German (de)``. ``code``: BCP 47."""
    return f"{Locale.parse(code, sep='-').get_display_name('en')} ({code})"
