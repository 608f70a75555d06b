"""Items made ahead in a thread."""

import threading

import pytest

from svc.media.video.ahead import prefetch


def test_items_come_in_order_and_at_most_two_are_made_ahead():
    made = []

    def items():
        for number in range(6):
            made.append((number, threading.current_thread().name))
            yield number

    coming = prefetch(items())
    assert next(coming) == 0 and len(made) <= 4
    assert list(coming) == [1, 2, 3, 4, 5]
    assert [number for number, _ in made] == [0, 1, 2, 3, 4, 5] and {name for _, name in made} == {
        "ahead_0"
    }


def test_what_goes_wrong_while_an_item_is_made_is_raised_in_its_place():
    def items():
        yield 1
        raise ValueError("no ink")

    coming = prefetch(items())
    assert next(coming) == 1
    with pytest.raises(ValueError, match="no ink"):
        next(coming)


def test_a_reader_that_leaves_early_leaves_no_thread():
    coming = prefetch(iter(range(1_000_000)))
    assert next(coming) == 0
    coming.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ahead")]
