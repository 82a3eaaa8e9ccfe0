"""Each filter gives a reason or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from constraintsuite.core.records.examples import Spans
from constraintsuite.suites.constraints.exclude_builder import BUILDER
from constraintsuite.suites.filters import FILTERS, find_reasons
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text.choice import get_analyser
from suites.build_factory import knowledge, make_draft, make_proposal

SATISFIES = "A campsite by the river without showers."
VIOLATES = "A campsite on the hill with hot showers."


def pair(
    satisfying: str = SATISFIES,
    violating: str = VIOLATES,
    *,
    slice: str = "explicit",
    titles: tuple[str, str] = ("Quiet Oak", "Red Barn"),
    topic: str = "campsites",
    kinds: tuple[str, ...] = (),
    edit: str = "",
    changed: Spans = (),
) -> CheckedPair:
    """A pair that should satisfy and violate "without showers", judged by what its texts say."""
    proposal = make_proposal("showers", topic=topic, kinds=kinds)
    first, second = (
        CheckedDocument(title, read, BUILDER.read(proposal.constraint, role, read, title, knowledge()))
        for role, title, read in zip(
            ("satisfying", "violating"), titles, get_analyser("rules").analyse([satisfying, violating]), strict=True
        )
    )
    return CheckedPair(
        make_draft(1, slice=slice, satisfying=satisfying, violating=violating, edit=edit, changed=(changed, ())),
        proposal,
        first,
        second,
        FilterSettings(),
        PairSettings(),
    )


def test_a_good_pair_passes_all_filters() -> None:
    assert list(find_reasons(pair())) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (dict(satisfying="A campsite by the river."), "satisfying_omits_y"),
        (dict(satisfying="A campsite by the river with showers."), "satisfying_affirms_y"),
        (dict(satisfying="A campsite without showers. The showers are shut."), "satisfying_mixed_y"),
        (dict(satisfying="A campsite that may have showers."), "satisfying_uncertain_y"),
        (dict(slice="omission"), "satisfying_negates_y"),
        (dict(satisfying="A campsite by the river.", slice="omission"), None),
        (dict(violating="A campsite on the hill."), "violating_omits_y"),
        (dict(violating="A campsite without showers."), "violating_negates_y"),
        (dict(violating="A campsite with showers but no warm showers."), "violating_mixed_y"),
        (dict(violating="A campsite that may have showers."), "violating_uncertain_y"),
        (dict(satisfying=SATISFIES[:-1] + " but with baths.", kinds=("bath", "baths")), "satisfying_shows_y_otherwise"),
        (dict(titles=("The Bath", ""), kinds=("bath",)), "satisfying_shows_y_otherwise"),
        (dict(titles=("Shower Hill", "Red Barn")), "y_in_title_of_satisfying"),
        (dict(titles=("Quiet Oak", "Shower Hill")), None),
    ],
)
def test_verdicts(changes: dict[str, Any], reason: str | None) -> None:
    assert FILTERS["constraint"](pair(**changes)) == reason


@pytest.mark.parametrize(
    ("satisfying", "slice", "reason"),
    [
        ("A campsite without showers.", "explicit", None),
        ("A campsite without showers. Nobody has seen a shower.", "explicit", "unequal_y"),
        ("A campsite without showers. Nobody has seen a shower.", "minpairs", "unequal_y"),
        ("A campsite by the river.", "omission", None),
    ],
)
def test_both_texts_mention_y_equally_often(satisfying: str, slice: str, reason: str | None) -> None:
    assert FILTERS["constraint"](pair(satisfying, slice=slice)) == reason


@pytest.mark.parametrize(
    ("words", "reason"), [(5, None), (8, None), (9, "length_ratio")], ids=["equal", "at the limit", "above it"]
)
def test_length(words: int, reason: str | None) -> None:
    checked = pair("one two three four five", " ".join(["word"] * words))
    assert FILTERS["length"](checked) == reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        (dict(topic="quiet campsites"), None),  # half of the terms is enough, and the title counts
        (dict(satisfying="A meadow.", topic="campsites"), "satisfying_off_topic"),
        (dict(violating="A meadow with showers.", topic="campsites"), "violating_off_topic"),
        (dict(satisfying="A meadow.", titles=("Oak Campsite", "")), None),
        (dict(topic="the of and"), "topic_without_terms"),
    ],
)
def test_topic(changes: dict[str, Any], reason: str | None) -> None:
    assert FILTERS["topic"](pair(**changes)) == reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        (dict(violating=SATISFIES), "equal_texts"),
        (dict(violating=SATISFIES, slice="minpairs"), "equal_texts"),
        (dict(violating=SATISFIES.upper()), "too_similar"),
        (dict(violating=SATISFIES.replace("without", "with"), slice="minpairs"), None),
    ],
)
def test_similarity(changes: dict[str, Any], reason: str | None) -> None:
    assert FILTERS["similarity"](pair(**changes)) == reason


def edited(text: str, stretch: str) -> CheckedPair:
    """A pair whose satisfying text was edited at `stretch`."""
    start = text.index(stretch)
    return pair(text, edit="insert", changed=((start, start + len(stretch)),))


@pytest.mark.parametrize(
    ("text", "stretch", "reason"),
    [
        ("A campsite, not a hotel, by the river.", ", not a hotel,", None),
        ("A campsite , not a hotel by the river.", ", not a hotel", "edit_not_clean"),
        ("A campsite, not a hotel,, by the river.", ", not a hotel,", "edit_not_clean"),
        ("A campsite by Bob Stone Jr.. It is quiet.", "Bob Stone Jr.", "edit_not_clean"),
        ("A campsite with a oven by the river.", "oven", "edit_not_clean"),
        ("A campsite with an pool by the river.", "pool", "edit_not_clean"),
        ("A campsite  , far away, with a pool.", "pool", None),  # the fault was there before, elsewhere
    ],
)
def test_wording(text: str, stretch: str, reason: str | None) -> None:
    assert FILTERS["wording"](edited(text, stretch)) == reason


def test_the_wording_of_natural_text_is_not_judged() -> None:
    assert FILTERS["wording"](pair("A campsite  , with a oven.")) is None
