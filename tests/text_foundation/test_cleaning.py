"""One line of composed characters, and the stray spaces of tokenised corpora mended."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.text.normalization import clean, repair_spacing


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  two\n\n lines\tand a tab ", "two lines and a tab"),
        ("cafe\N{COMBINING ACUTE ACCENT}", "café"),
        ("a\N{NO-BREAK SPACE}b\N{LINE SEPARATOR}c\N{THIN SPACE}d", "a b c d"),
        ("\N{ZERO WIDTH NO-BREAK SPACE}nul\x00 and\N{ZERO WIDTH SPACE} \x1b[0m", "nul and [0m"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}evil\N{LEFT-TO-RIGHT ISOLATE}", "evil"),
        ("İstanbul – 東京 🍰", "İstanbul – 東京 🍰"),
        ("", ""),
    ],
)
def test_clean(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Teutberga( died 875) was queen", "Teutberga (died 875) was queen"),
        ("a film ( 1966 ) by", "a film (1966) by"),
        ("Al- Qeed is a village", "Al-Qeed is a village"),
        ('his work" Filumena", which', 'his work "Filumena", which'),
        ('" Hello" is a song', '"Hello" is a song'),
        ("Hello , world .", "Hello, world."),
        ("It ended 3 - 2", "It ended 3 - 2"),
        ('one odd " mark stays', 'one odd " mark stays'),
        ('nothing (to) mend, "at" all – rock-and-roll', 'nothing (to) mend, "at" all – rock-and-roll'),
    ],
)
def test_repair_spacing(text: str, expected: str) -> None:
    assert repair_spacing(text) == expected


# No combining marks here: they are a table of their own above.
raw = st.text("abÉ1 .,\"'()-–[]_:!\n\t\x00\x1b\N{NO-BREAK SPACE}\N{ZERO WIDTH SPACE}\N{RIGHT-TO-LEFT OVERRIDE}東🍰")


@given(raw)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(raw)
def test_repairing_twice_is_repairing_once(text: str) -> None:
    repaired = repair_spacing(clean(text))
    assert repair_spacing(repaired) == repaired


@given(raw)
def test_what_was_repaired_is_still_clean(text: str) -> None:
    repaired = repair_spacing(clean(text))
    assert clean(repaired) == repaired


@given(raw)
def test_repairing_moves_nothing_but_spaces(text: str) -> None:
    assert repair_spacing(clean(text)).replace(" ", "") == clean(text).replace(" ", "")
