from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.text.mentions import MentionFinder, find_forms, fold


@pytest.mark.parametrize(
    ("text", "forms", "found"),
    [
        ("Nuts and doughnuts, nut-free.", ["nut", "nuts"], ["Nuts", "nut"]),
        ("Sugarless gum, sugar-free tea.", ["sugar"], ["Sugar", "sugar"]),
        ("The swimming pool and the pool.", ["pool", "swimming pool"], ["swimming pool", "pool"]),
        ("Wi‑Fi or wi-fi", ["Wi-Fi"], ["Wi‑Fi", "wi-fi"]),
        ("the chef's knife", ["chef"], ["chef"]),
    ],
)
def test_mentions(text: str, forms: list[str], found: list[str]) -> None:
    assert [span.of(text) for span in find_forms(text, forms)] == found


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=6), max_size=4))
def test_mentions_are_forms_in_order(text: str, forms: list[str]) -> None:
    spans = find_forms(text, forms)
    assert all(fold(span.of(text)) in {fold(form) for form in forms} for span in spans)
    assert all(left.end <= right.start for left, right in pairwise(spans))


@given(st.text(max_size=60), st.text(min_size=1, max_size=5))
def test_keys_do_not_disturb_one_another(text: str, form: str) -> None:
    alone = [mention.span for mention in MentionFinder({"y": [form]}).find(text)]
    beside = MentionFinder({"y": [form], "z": [form, form + "x"]}).find(text)
    assert [mention.span for mention in beside if mention.key == "y"] == alone


@given(st.text())
def test_folding_keeps_every_place(text: str) -> None:
    assert len(fold(text)) == len(text)
