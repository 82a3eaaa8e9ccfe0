"""What a form says: numbers of any length, and places among one's own events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.app.web.forms import NEVER, first_value, place_of, read_number, read_place, read_whole
from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.records import AnnotationEvent

OWN = [AnnotationEvent(number, "answer", "anna", "x", "q", "a", 0, "", "", None) for number in (4, 9, 30)]


@given(st.text() | st.integers().map(str))
def test_any_text_is_a_number_or_none(text: str) -> None:
    assert read_number(text) in (NEVER, int(text) if text.isascii() and text.isdigit() else NEVER)


@pytest.mark.parametrize("text", ["", "0", "11", "1" * 5_000, "²", "-1", "1.0"])
def test_what_is_no_number_in_the_range_is_told(text: str) -> None:
    with pytest.raises(UserError, match=r"Size: .* is not an integer from 1 to 10"):
        read_whole(text, "Size", 1, 10)


def test_a_number_may_stand_between_spaces() -> None:
    assert read_whole(" 7 ", "Size", 1, 10) == 7


@pytest.mark.parametrize(("number", "place"), [(0, 0), (4, 1), (30, 3), (NEVER, NEVER)])
def test_a_place_comes_back_as_the_number(number: int, place: int) -> None:
    assert place_of(number, OWN) == place
    assert read_place(str(place), OWN) == number


@pytest.mark.parametrize("text", ["", "4", "x", "9" * 30])
def test_a_place_that_is_not_there_was_never_known(text: str) -> None:
    assert read_place(text, OWN) == NEVER


def test_the_first_value_of_a_field_counts() -> None:
    assert [first_value({"a": ("1", "2")}, name) for name in ("a", "b")] == ["1", ""]
