"""From a topic and a Y to two queries, or a reason not to ask them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.suites.domain import TemplateFamily
from constraintsuite.suites.queries.wording import (
    QueryWording,
    family_for,
    find_fault,
    singular_of,
    with_article,
    word_query,
)
from suites.build_factory import knowledge

FAMILIES = {
    **{f"relation {key}": (key, relation.families) for key, relation in knowledge().relations.items()},
    **{f"link {key}": (f"attribute.{key}", link.families) for key, link in knowledge().links.items()},
}


def dealt(families: Sequence[TemplateFamily], key: str, split: Split) -> set[str]:
    return {family_for(families, key, split, f"choice {number}").name for number in range(60)}


@pytest.mark.parametrize("name", FAMILIES)
def test_no_template_family_is_dealt_to_two_splits(name: str) -> None:
    key, families = FAMILIES[name]
    hands = [dealt(families, key, split) for split in SPLITS]
    assert all(hands)
    assert sum(len(hand) for hand in hands) == len(set.union(*hands)) == len(families)


def test_the_choice_of_a_family_is_the_same_each_time() -> None:
    key, families = FAMILIES["link has"]
    assert family_for(families, key, "dev", "campsites|pool") == family_for(families, key, "dev", "campsites|pool")


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
