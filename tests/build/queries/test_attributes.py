"""Attributes: what some documents of a topic have and others say they lack."""

from __future__ import annotations

from collections import Counter

import pytest
from build_factory import knowledge, read_all

from constraintsuite.build.queries.attributes import (
    NounCount,
    attribute_key,
    attribute_words,
    count_nouns,
    denied_nouns,
    propose_attributes,
    select_attributes,
)
from constraintsuite.build.queries.evidence import collect_evidence
from constraintsuite.build.queries.records import Topic
from constraintsuite.build.queries.topics import TopicTable
from constraintsuite.build.recipe import QuerySettings
from constraintsuite.records.text import Document

CAMPSITES = Topic("campsites", "campsite", "stay")
SETTINGS = QuerySettings(min_affirming=3, min_denying=2, min_denying_share=0.25)


def count(affirmed: int, denied: int, *, first: int = 0) -> NounCount:
    return NounCount(
        affirmed={f"d{i}" for i in range(first, first + affirmed)},
        denied={f"d{i}" for i in range(first + affirmed, first + affirmed + denied)},
    )


@pytest.mark.parametrize(
    ("affirmed", "denied", "selected"),
    [
        (3, 2, True),
        (2, 2, False),  # too few have it
        (3, 1, False),  # too few lack it
        (6, 2, True),
        (7, 2, False),  # those who lack it are too few among those who speak of it
    ],
)
def test_an_attribute_must_be_affirmed_and_denied_often_enough(affirmed: int, denied: int, selected: bool) -> None:
    found = select_attributes({CAMPSITES: {"shower": count(affirmed, denied)}}, SETTINGS)
    assert (CAMPSITES in found) == selected


@pytest.mark.parametrize(
    ("milk", "coconut_milk", "kept"),
    [
        (count(4, 2), count(3, 2), {"coconut milk"}),  # nearly every milk is coconut milk
        (count(9, 3), count(3, 2), {"milk", "coconut milk"}),
        (count(4, 2), count(1, 0), {"milk"}),
    ],
)
def test_of_milk_and_coconut_milk_the_one_that_is_meant_is_kept(
    milk: NounCount, coconut_milk: NounCount, kept: set[str]
) -> None:
    found = select_attributes({CAMPSITES: {"milk": milk, "coconut milk": coconut_milk}}, SETTINGS)
    assert found[CAMPSITES].keys() == kept


TEXTS = {
    "a": "Quiet Oak is a campsite by the river. It has hot showers.",
    "b": "Red Barn is a campsite on the hill. It has no showers.",
    "c": "Old Mill is a campsite in the woods. It has showers and a bar.",
    "d": "Fen Side is a campsite near the lake. It may have showers one day.",
    "e": "Green Hut is a campsite in a valley. It comes without showers.",
    "f": "Blue Tent is a campsite at the sea. It has showers.",
}


def test_nouns_are_counted_by_topic_and_verdict() -> None:
    readings = read_all(TEXTS)
    topics = TopicTable({name: reading.classes for name, reading in readings.items()}, knowledge(), 3)
    documents = {name: Document(name, text) for name, text in TEXTS.items()}
    wanted = {topic: {"shower", "hot shower"} for topic in topics.members}
    counts = count_nouns(readings.values(), documents, topics, knowledge(), wanted)
    (topic,) = counts
    shower = counts[topic]["shower"]
    assert topic.text == "campsites"
    assert (shower.affirmed, shower.denied) == ({"a", "c", "f"}, {"b", "e"})  # d is not sure
    assert (shower.plural, shower.total, shower.links["has"]) == (5, 5, 3)
    assert counts[topic]["hot shower"].affirmed == {"a"}


def test_a_proposal_is_worded_as_a_searcher_would() -> None:
    readings = read_all(TEXTS)
    topics = TopicTable({name: reading.classes for name, reading in readings.items()}, knowledge(), 3)
    documents = {name: Document(name, text) for name, text in TEXTS.items()}
    wanted = denied_nouns(readings.values(), topics, knowledge(), 2)
    assert set().union(*wanted.values()) == {"shower"}
    selected = select_attributes(count_nouns(readings.values(), documents, topics, knowledge(), wanted), SETTINGS)
    key = attribute_key("shower")
    scopes = {name: reading.scopes for name, reading in readings.items()}
    evidence = collect_evidence({key: attribute_words("shower", knowledge())}, documents.values(), scopes)
    found = propose_attributes(selected, evidence, topics, {key: "train"}, knowledge(), SETTINGS, Counter())
    (proposal,) = found
    assert (proposal.topic, proposal.y, proposal.relation) == ("campsites", "showers", "travel.has")
    assert proposal.affirming == ("a", "c", "f")
    assert proposal.denying == ("b", "e")
    assert proposal.forms == ("shower", "showers")
    assert proposal.neg.startswith("campsites ")
    assert proposal.neg.endswith(" showers")


def test_narrower_words_are_blocked_in_a_satisfier() -> None:
    nut = attribute_words("nut", knowledge())
    assert nut.forms == ("nut", "nuts")
    assert {"walnut", "walnuts", "almond", "praline"} <= set(nut.blocked)


def test_a_narrower_attribute_blocks_nothing_of_its_head() -> None:
    assert attribute_words("goat cheese", knowledge()).blocked == ()
