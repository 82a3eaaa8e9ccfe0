"""Statements that hold for a part only, and affirmations that their own clause takes back."""

from __future__ import annotations

import pytest

from constraintsuite.suites.queries.partial import is_denied_in_part, is_taken_back
from constraintsuite.text.mentions import find_forms


@pytest.mark.parametrize(
    ("text", "in_part"),
    [
        ("There is no Wi-Fi in the rooms, although it works by the fire.", True),
        ("Until last summer we had no Wi-Fi.", True),
        ("We are unable to offer Wi-Fi on the free plan.", True),
        ("There is no Wi-Fi.", False),
        ("There is no Wi-Fi anywhere on the site.", False),
        ("The rooms have no Wi-Fi, but a view.", False),  # all of them
    ],
)
def test_a_denial_for_a_part_is_told_from_a_denial(text: str, in_part: bool) -> None:
    assert is_denied_in_part(text, find_forms(text, ["Wi-Fi"])[0]) == in_part


@pytest.mark.parametrize(
    ("text", "taken_back"),
    [
        ("Pets cannot be accommodated.", True),
        ("Pets haven't been seen here.", True),
        ("Pets are welcome in the barn only.", True),
        ("Pets are welcome.", False),
        ("It takes pets but not children.", False),
        ("Pets are welcome, but smoking is not.", False),  # another clause
    ],
)
def test_an_affirmation_that_its_clause_takes_back_is_seen(text: str, taken_back: bool) -> None:
    assert is_taken_back(text, find_forms(text, ["pets"])[0]) == taken_back
