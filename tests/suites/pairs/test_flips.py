"""Sentences negated and affirmed by what stands right before Y."""

from __future__ import annotations

import pytest

from constraintsuite.suites.pairs.minimal import flip_drafts, load_rules
from constraintsuite.suites.pairs.records import PairDraft
from suites.build_factory import make_matching, make_proposal

RULES = [(direction, rule.name) for direction in ("deny", "affirm") for rule in load_rules(direction)]


def flips(text: str, y: str) -> list[PairDraft]:
    """The flips of one document, whichever of the two it does to Y."""
    proposal = make_proposal(y, satisfying=["oak"], violating=["oak"])
    return list(flip_drafts([proposal], make_matching({"oak": text}, [proposal])))


@pytest.mark.parametrize(
    ("text", "y", "denied"),
    [
        ("A campsite with showers.", "showers", "A campsite without showers."),
        ("There are showers.", "showers", "There are no showers."),
        ("There is a pool.", "pool", "There is no pool."),
        ("It has an oven.", "oven", "It has no oven."),
        ("The soup contains cream.", "cream", "The soup contains no cream."),
    ],
)
def test_what_affirms_is_denied(text: str, y: str, denied: str) -> None:
    (draft,) = flips(text, y)
    assert (draft.satisfying.text, draft.violating.text) == (denied, text)
    assert draft.satisfying.edit.startswith("flip_deny:")
    assert draft.violating.edit == ""


@pytest.mark.parametrize(
    ("text", "y", "affirmed"),
    [
        ("A campsite without showers.", "showers", "A campsite with showers."),
        ("There are no showers.", "showers", "There are showers."),
        ("It has no showers.", "showers", "It has showers."),
        ("The campsite lacks showers.", "showers", "The campsite has showers."),
    ],
)
def test_what_denies_is_affirmed(text: str, y: str, affirmed: str) -> None:
    (draft,) = flips(text, y)
    assert (draft.satisfying.text, draft.violating.text) == (text, affirmed)
    assert draft.satisfying.edit == ""
    assert draft.violating.edit.startswith("flip_affirm:")


@pytest.mark.parametrize(
    ("text", "y"),
    [
        ("It has showers in summer.", "showers"),
        ("It has hot showers.", "showers"),
        ("It has showers. The showers are warm.", "showers"),
        ("Guests praise showers.", "showers"),
        ("It comes without a pool.", "pool"),
        ("It does without showers.", "showers"),
    ],
    ids=["a tail", "an adjective", "twice", "no rule", "a singular cannot simply be affirmed", "part of a verb"],
)
def test_what_cannot_be_turned_round_safely_is_left_alone(text: str, y: str) -> None:
    assert flips(text, y) == []


def test_a_flip_stands_alone_and_knows_its_place() -> None:
    (draft,) = flips("A campsite with showers.", "showers")
    assert (draft.slice, draft.couple, draft.sources) == ("minpairs", "", ("oak", "oak"))
    assert [draft.satisfying.text[start:end] for start, end in draft.satisfying.changed] == ["without "]
    assert [draft.violating.text[start:end] for start, end in draft.violating.changed] == ["with "]


def test_rule_names_are_unique() -> None:
    assert len(set(RULES)) == len(RULES)
