from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.text import Span
from constraintsuite.text.tokens import find_tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("peanut-free", ["peanut", "-", "free"]),
        ("I don't, it isn’t.", ["I", "do", "n't", ",", "it", "is", "n’t", "."]),
        ("You cannot.", ["You", "can", "not", "."]),
        ("Mr. O'Brien's dogs", ["Mr", ".", "O'Brien", "'s", "dogs"]),
        ("e.g. 1,000.50 kg at 9:30", ["e.g.", "1,000.50", "kg", "at", "9:30"]),
        ("No. 7, see fig. 2", ["No.", "7", ",", "see", "fig.", "2"]),
        ("Wait... what — now?", ["Wait", "...", "what", "—", "now", "?"]),
        ("see https://a.example/x?y=1.", ["see", "https://a.example/x?y=1", "."]),
        ("café cafe\u0301", ["café", "cafe\u0301"]),
        ("", []),
    ],
)
def test_tokens(text: str, words: list[str]) -> None:
    assert [span.of(text) for span in find_tokens(text)] == words


@given(st.text())
def test_tokens_hold_everything_but_white_space(text: str) -> None:
    spans = find_tokens(text)
    assert [s for span in spans for s in range(span.start, span.end)] == [
        at for at, character in enumerate(text) if not character.isspace()
    ]
    assert all(span.start < span.end for span in spans)


@given(st.text(min_size=2), st.data())
def test_part_of_a_text_keeps_its_places(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert all(start <= span.start < span.end <= end for span in find_tokens(text, Span(start, end)))
