"""Each filter gives a reason or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from build_factory import make_draft, make_proposal

from constraintsuite.records.examples import Edit, Slice
from constraintsuite.suites.filters import FILTERS
from constraintsuite.suites.filters.base import CheckedPair
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.suites.stages.kept import reasons
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_mentions

OBEYS = "A campsite by the river without showers."
BREAKS = "A campsite on the hill with hot showers."


def pair(
    pos: str = OBEYS,
    neg: str = BREAKS,
    *,
    slice: Slice = "negation_explicit",
    titles: tuple[str, str] = ("Quiet Oak", "Red Barn"),
    topic: str = "campsites",
    blocked: tuple[str, ...] = (),
    edit: Edit | None = None,
) -> CheckedPair:
    """A pair that should obey and break "without showers", judged by what its texts say."""
    proposal = make_proposal("showers", topic=topic, blocked=blocked)
    pos_read, neg_read = get_analyser("rules").analyse([pos, neg])
    return CheckedPair(
        draft=make_draft(1, slice=slice, pos=pos, neg=neg, edit=edit),
        proposal=proposal,
        pos_title=titles[0],
        neg_title=titles[1],
        pos=pos_read,
        neg=neg_read,
        pos_mentions=judge_mentions(find_forms(pos, proposal.forms), pos_read.scopes),
        neg_mentions=judge_mentions(find_forms(neg, proposal.forms), neg_read.scopes),
        filters=FilterSettings(),
        pairs=PairSettings(),
    )


def test_a_good_pair_passes_all_filters() -> None:
    assert list(reasons(pair())) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (dict(pos="A campsite by the river."), "satisfier_omits_y"),
        (dict(pos="A campsite by the river with showers."), "satisfier_affirms_y"),
        (dict(pos="A campsite without showers. The showers are shut."), "satisfier_mixed_y"),
        (dict(pos="A campsite that may have showers."), "satisfier_uncertain_y"),
        (dict(slice="negation_omission"), "satisfier_negates_y"),
        (dict(pos="A campsite by the river.", slice="negation_omission"), None),
        (dict(neg="A campsite on the hill."), "violator_omits_y"),
        (dict(neg="A campsite without showers."), "violator_negates_y"),
        (dict(neg="A campsite with showers but no warm showers."), "violator_mixed_y"),
        (dict(neg="A campsite that may have showers."), "violator_uncertain_y"),
        (dict(pos=OBEYS[:-1] + " but with baths.", blocked=("bath", "baths")), "satisfier_shows_y_otherwise"),
        (dict(titles=("The Bath", ""), blocked=("bath",)), "satisfier_shows_y_otherwise"),
        (dict(titles=("Shower Hill", "Red Barn")), "y_in_title_of_satisfier"),
        (dict(titles=("Quiet Oak", "Shower Hill")), None),
    ],
)
def test_verdicts(changes: dict[str, Any], reason: str | None) -> None:
    assert FILTERS.load("verdicts")(pair(**changes)) == reason


@pytest.mark.parametrize(
    ("words", "reason"), [(5, None), (8, None), (9, "length_ratio")], ids=["equal", "at the limit", "above it"]
)
def test_length(words: int, reason: str | None) -> None:
    checked = pair(pos="one two three four five", neg=" ".join(["word"] * words))
    assert FILTERS.load("length")(checked) == reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        (dict(topic="quiet campsites"), None),  # half of the terms is enough, and the title counts
        (dict(pos="A meadow.", topic="campsites"), "satisfier_off_topic"),
        (dict(neg="A meadow with showers.", topic="campsites"), "violator_off_topic"),
        (dict(pos="A meadow.", titles=("Oak Campsite", "")), None),
        (dict(topic="the of and"), "topic_without_terms"),
    ],
)
def test_topic(changes: dict[str, Any], reason: str | None) -> None:
    assert FILTERS.load("topic")(pair(**changes)) == reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        (dict(neg=OBEYS), "equal_texts"),
        (dict(neg=OBEYS, slice="negation_minpairs"), "equal_texts"),
        (dict(neg=OBEYS.upper()), "too_similar"),
        (dict(neg=OBEYS.replace("without", "with"), slice="negation_minpairs"), None),
    ],
)
def test_similarity(changes: dict[str, Any], reason: str | None) -> None:
    assert FILTERS.load("similarity")(pair(**changes)) == reason


def edited(text: str, stretch: str) -> CheckedPair:
    """A pair whose satisfier was edited at `stretch`."""
    start = text.index(stretch)
    return pair(pos=text, edit=Edit("insert", "pos", ((start, start + len(stretch)),), (), token_count_preserved=False))


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
    assert FILTERS.load("wording")(edited(text, stretch)) == reason


def test_the_wording_of_natural_text_is_not_judged() -> None:
    assert FILTERS.load("wording")(pair(pos="A campsite  , with a oven.")) is None
