"""Attributes: what some documents of a topic have and others say they lack."""

from __future__ import annotations

from array import array
from collections import Counter
from pathlib import Path

import pytest

from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.corpus.corpus import Numbering
from constraintsuite.suites.queries.attributes import (
    NounCount,
    attribute_key,
    attribute_words,
    count_nouns,
    denied_nouns,
    propose_attributes,
    select_attributes,
)
from constraintsuite.suites.queries.evidence import collect_sides
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.reading.records import NounsRead
from constraintsuite.suites.recipe import QuerySettings
from suites.build_factory import knowledge, make_topics, read_all

CAMPSITES = Topic("campsites", "campsite", "stay")
SETTINGS = QuerySettings(min_affirming=3, min_denying=2, min_denying_share=0.25)


def count(affirmed: int, denied: int, *, first: int = 0) -> NounCount:
    return NounCount(
        affirmed=array("I", range(first, first + affirmed)),
        denied=array("I", range(first + affirmed, first + affirmed + denied)),
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


READINGS = [NounsRead(name, reading.scopes, reading.nouns) for name, reading in read_all(TEXTS).items()]
COUNTED = [(number, TEXTS[reading.id], reading) for number, reading in enumerate(READINGS)]


def topics() -> TopicTable:
    return make_topics([reading.classes for reading in read_all(TEXTS).values()], 3)


def test_nouns_are_counted_by_topic_and_verdict() -> None:
    wanted = {topic: {"shower", "hot shower"} for topic in topics().sizes}
    counts = count_nouns(COUNTED, topics(), knowledge(), wanted)
    (topic,) = counts
    shower = counts[topic]["shower"]
    assert topic.text == "campsites"
    assert (list(shower.affirmed), list(shower.denied)) == ([0, 2, 5], [1, 4])  # d is not sure
    assert (shower.plural, shower.total, shower.links["has"]) == (5, 5, 3)
    assert list(counts[topic]["hot shower"].affirmed) == [0]


def test_a_proposal_is_worded_as_a_searcher_would(tmp_path: Path) -> None:
    wanted = denied_nouns(enumerate(READINGS), topics(), knowledge(), 2)
    assert set().union(*wanted.values()) == {"shower"}
    selected = select_attributes(count_nouns(COUNTED, topics(), knowledge(), wanted), SETTINGS)
    key = attribute_key("shower")
    documents = ((number, Document(reading.id, text), reading.scopes) for number, text, reading in COUNTED)
    evidence = collect_sides({key: attribute_words("shower", knowledge())}, documents)
    write_jsonl(tmp_path / "part-00000.jsonl", [Document(name, text) for name, text in TEXTS.items()])
    found = propose_attributes(
        selected, evidence, topics(), Numbering(tmp_path), {key: "train"}, knowledge(), SETTINGS, Counter()
    )
    (proposal,) = found
    asked = proposal.constraint
    assert (proposal.topic, asked.type, asked.value) == ("campsites", "exclude", "showers")
    assert (proposal.relation, proposal.is_attribute) == ("travel.has", True)
    assert proposal.violating == ("a", "c", "f")
    assert proposal.satisfying == ("b", "e")
    assert asked.forms == ("shower", "showers")
    assert proposal.query.startswith("campsites ")
    assert proposal.query.endswith(" showers")
    assert asked.cue in proposal.query


def test_narrower_words_are_blocked_in_a_satisfying_document() -> None:
    nut = attribute_words("nut", knowledge())
    assert nut.forms == ("nut", "nuts")
    assert {"walnut", "walnuts", "almond", "praline"} <= set(nut.blocked)


def test_a_narrower_attribute_blocks_nothing_of_its_head() -> None:
    assert attribute_words("goat cheese", knowledge()).blocked == ()
