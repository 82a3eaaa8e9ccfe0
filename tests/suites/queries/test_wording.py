"""From a topic and a Y to two queries, or a reason not to ask them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from constraintsuite.suites.domain import TemplateFamily
from constraintsuite.suites.queries.records import Proposal, Wording
from constraintsuite.suites.queries.wording import (
    QueryWording,
    choose_wordings,
    find_fault,
    keep_sound,
    singular_of,
    with_article,
    with_definite_article,
    word_query,
)
from suites.build_factory import knowledge, make_proposal

RELATIONS = knowledge().relations


@pytest.mark.parametrize("name", RELATIONS)
def test_every_relation_has_three_wordings_one_of_them_a_question(name: str) -> None:
    queries = {family.query for family in RELATIONS[name].families}
    assert len(queries) >= 3
    assert any(query.startswith("Which ") and query.endswith("?") for query in queries)


def worded(y: str, *templates: str) -> Proposal:
    """A proposal with the wording WITHOUT_Y and these others."""
    others = (Wording(f"{name} {y}?", f"{y}?", name, f"has.{name}", "not") for name in templates)
    return replace(make_proposal(y), other_wordings=tuple(others))


def test_the_examples_of_a_proposal_take_turns_with_its_wordings() -> None:
    showers = worded("showers", "LACK_Y", "NO_Y")
    chosen = choose_wordings((f"pair {number}", [showers]) for number in range(6))
    assert Counter(wording.template for wording in chosen.values()) == {"WITHOUT_Y": 2, "LACK_Y": 2, "NO_Y": 2}


def test_both_proposals_of_a_couple_are_worded_alike() -> None:
    showers, pools = worded("showers", "LACK_Y", "NO_Y"), worded("pools", "NO_Y", "BAR_Y")
    chosen = choose_wordings((f"couple {number}", [showers, pools]) for number in range(4))
    for number in range(4):
        pair = {chosen[f"couple {number}", proposal.id].template for proposal in (showers, pools)}
        assert len(pair) == 1
        assert pair < {"WITHOUT_Y", "NO_Y"}


def test_proposals_of_a_couple_with_no_wording_in_common_keep_their_own() -> None:
    showers = make_proposal("showers")
    pools = replace(make_proposal("pools"), template="BAR_Y")
    chosen = choose_wordings([("couple", [showers, pools])])
    assert [wording.template for wording in chosen.values()] == ["WITHOUT_Y", "BAR_Y"]


def test_faulty_wordings_are_left_out_and_the_fault_counts_if_none_is_sound() -> None:
    sound = QueryWording("soups", "cream", "soups with cream", "soups without cream", "WITHOUT_Y", "w", "without")
    twice = sound._replace(query="soups that are not cream soups")
    rejects: Counter[str] = Counter()
    assert keep_sound([twice, sound], rejects) == [sound]
    assert not rejects
    assert keep_sound([twice], rejects) == []
    assert rejects == {"query:repeated_word": 1}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Shaw Brothers", "the Shaw Brothers"),
        ("University of Oslo", "the University of Oslo"),
        ("Warner Bros.", "Warner Bros."),
        ("Ann Example", "Ann Example"),
        ("bowl of soup", "bowl of soup"),
    ],
)
def test_names_of_groups_take_an_article(name: str, expected: str) -> None:
    assert with_definite_article(name) == expected


@pytest.mark.parametrize(
    ("noun", "expected"), [("pool", "a pool"), ("oven", "an oven"), ("hour", "an hour"), ("union", "a union")]
)
def test_with_article(noun: str, expected: str) -> None:
    assert with_article(noun) == expected


@pytest.mark.parametrize(
    ("template", "y", "countable", "expected"),
    [
        ("{topic} without {y}", "cream", False, "soups without cream"),
        ("{topic} without {a_y}", "oven", True, "soups without an oven"),
        ("{topic} without {a_y}", "showers", False, "soups without showers"),
        ("{topic} who are not {ys}", "goalkeeper", False, "soups who are not goalkeepers"),
    ],
)
def test_slots_are_filled(template: str, y: str, countable: bool, expected: str) -> None:
    family = TemplateFamily(name="WITHOUT_Y", query=template, opposite="{topic} with {y}", cue="without")
    assert word_query(family, "has", "soups", y, countable_singular=countable).query == expected


@pytest.mark.parametrize(
    ("topic", "y", "query", "reason"),
    [
        ("soups", "cream", "soups without cream", None),
        ("soups", "", "soups without", "empty_slot"),
        ("soups", "–", "soups without –", "empty_slot"),
        ("", "cream", "without cream", "empty_slot"),
        ("note-taking apps", "app store", "note-taking apps without an app store", "y_in_topic"),
        ("drama films", "Drama", "drama films that are not dramas", "y_in_topic"),
        ("cream soups", "creams", "cream soups without creams", "y_in_topic"),
        ("soups", "cream", "soups " + "very " * 3 + "w x y z a b c d e f g h without cream", "query_too_long"),
        ("soups", "cream", "Soups, with CREAM!", "no_difference"),
        ("soups", "cream", "soups without without cream", "repeated_word"),
        ("films", "war", "films that are not war films", "repeated_word"),
        (
            "films written by Ann Example",
            "Bob Stone",
            "films written by Ann Example not written by Bob Stone",
            "repeated_word",
        ),
        ("soups", "cream", "soups without <b>cream</b>", "odd_characters"),
        ("soups", "cream", 'soups without "cream"', "odd_characters"),
    ],
)
def test_reasons_to_refuse(topic: str, y: str, query: str, reason: str | None) -> None:
    wording = QueryWording(topic, y, "soups with cream", query, "WITHOUT_Y", "has.WITHOUT_Y", "without")
    assert find_fault(wording) == reason


@pytest.mark.parametrize(("word", "expected"), [("dogs", "dog"), ("glass", "glass"), ("gas", "gas"), ("dog", "dog")])
def test_singular_of(word: str, expected: str) -> None:
    assert singular_of(word) == expected
