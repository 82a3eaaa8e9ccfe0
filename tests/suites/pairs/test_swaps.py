"""Sentences that affirm one attribute and deny another, with the two nouns exchanged."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.examples import Split
from constraintsuite.suites.pairs.minimal import natural_swaps
from constraintsuite.suites.pairs.records import PairDraft
from suites.build_factory import make_matching, make_proposal

SENTENCE = "Quiet Oak is a campsite. It has showers but no fireplaces."


def swaps(text: str, affirmed: str = "showers", denied: str = "fireplaces", split: Split = "train") -> list[PairDraft]:
    """The swaps of one document that affirms one attribute and denies another."""
    proposals = [make_proposal(affirmed, violating=["oak"]), make_proposal(denied, satisfying=["oak"])]
    matching = make_matching({"oak": text}, proposals, splits={"oak": split})
    return list(natural_swaps(proposals, matching))


def test_the_text_stands_against_itself_with_the_nouns_exchanged_once_in_each_role() -> None:
    exchanged = "Quiet Oak is a campsite. It has fireplaces but no showers."
    found = {draft.proposal: draft for draft in swaps(SENTENCE)}
    assert (found["p-showers"].satisfying.text, found["p-showers"].violating.text) == (exchanged, SENTENCE)
    assert (found["p-fireplaces"].satisfying.text, found["p-fireplaces"].violating.text) == (SENTENCE, exchanged)
    assert found["p-showers"].couple == found["p-fireplaces"].couple


def test_the_edit_says_which_document_was_edited_and_where() -> None:
    showers, _ = swaps(SENTENCE)
    assert (showers.edit, showers.satisfying.edit, showers.violating.edit) == ("swap", "swap", "")
    assert [showers.satisfying.text[start:end] for start, end in showers.satisfying.changed] == [
        "fireplaces",
        "showers",
    ]
    assert [showers.violating.text[start:end] for start, end in showers.violating.changed] == ["showers", "fireplaces"]
    assert len(showers.satisfying.text.split()) == len(showers.violating.text.split())


@pytest.mark.parametrize(
    "text",
    [
        "It has showers. There are no fireplaces.",
        "It has hot showers but no fireplaces.",
        "It has showers but no fireplaces. The showers are warm.",
        "It has a shower but no fireplaces.",
        "It has showers but no fireplace-side seats.",
    ],
    ids=[
        "two sentences",
        "an adjective would stay behind",
        "one stands twice",
        "unlike in number",
        "part of a compound",
    ],
)
def test_nouns_that_cannot_change_places_are_left_alone(text: str) -> None:
    assert swaps(text) == []


def test_a_document_of_another_split_is_left_alone() -> None:
    assert swaps(SENTENCE, split="test") == []


def test_articles_are_mended_and_the_words_stay_as_many() -> None:
    found = swaps("It has an oven but not a pool.", "oven", "pool")
    assert {draft.satisfying.text for draft in found} == {
        "It has a pool but not an oven.",
        "It has an oven but not a pool.",
    }
