"""Where two texts differ, and what that may cost."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.suites.importers.base import find_changes
from constraintsuite.text import overlap

FEW_WORDS = st.lists(st.sampled_from("abc"), max_size=30)
AGAIN = "the ferry runs " * 5_000  # 75 million pairs of the same word


def changed(original: str, edited: str) -> tuple[list[str], list[str]]:
    here, there = find_changes(original, edited)
    return [original[a:b] for a, b in here], [edited[a:b] for a, b in there]


@given(FEW_WORDS, FEW_WORDS)
def test_texts_of_common_length_are_compared_in_full(first: list[str], second: list[str]) -> None:
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    assert changed(" ".join(first), " ".join(second)) == (
        [" ".join(first[a:b]) for kind, a, b, _, _ in codes if kind in ("replace", "delete")],
        [" ".join(second[c:d]) for kind, _, _, c, d in codes if kind in ("replace", "insert")],
    )


def test_of_a_doubled_word_the_one_before_the_longer_match_is_new() -> None:
    assert find_changes("no nuts", "no no nuts") == ((), ((0, 2),))


@pytest.mark.parametrize(
    ("original", "edited", "changes"),
    [
        (f"{AGAIN} does not run {AGAIN}", f"{AGAIN} sails {AGAIN}", (["does not run"], ["sails"])),
        (f"red {AGAIN}", f"blue {AGAIN}", (["red"], ["blue"])),
        (f"{AGAIN} red", f"{AGAIN}", (["red"], [])),
        (AGAIN, AGAIN, ([], [])),
        (f"red {AGAIN} big", f"blue {AGAIN} small", ([f"red {AGAIN} big"], [f"blue {AGAIN} small"])),
    ],
    ids=["middle", "beginning", "end", "nowhere", "both ends"],
)
def test_long_texts_of_the_same_words_are_compared_from_their_ends(
    original: str, edited: str, changes: tuple[list[str], list[str]]
) -> None:
    assert changed(original, edited) == changes


@given(FEW_WORDS, FEW_WORDS, st.integers(0, 300))
def test_what_is_left_out_of_the_changes_is_the_same_however_few_steps_there_are(
    first: list[str], second: list[str], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "MOST_STEPS", most)
        here, there = find_changes(" ".join(first), " ".join(second))
    assert kept(" ".join(first), here) == kept(" ".join(second), there)


def kept(text: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    return text.split()
