"""Attributes: what some documents of a topic have and others say they lack."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from pathlib import Path

import pytest

from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.corpus.corpus import Numbering
from constraintsuite.suites.queries.attributes import AttributeMiner, attribute_key
from constraintsuite.suites.queries.evidence import collect_sides
from constraintsuite.suites.queries.left_out import attribute_words, listed_attributes
from constraintsuite.suites.queries.noun_counts import NounCount, count_nouns, frequent_names
from constraintsuite.suites.queries.records import Proposal, Topic
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.reading.records import NounsRead
from constraintsuite.suites.recipe import QuerySettings, SplitSettings
from constraintsuite.suites.splits import AskedSplits, split_documents
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
    found = AttributeMiner(knowledge(), SETTINGS).select({CAMPSITES: {"shower": count(affirmed, denied)}})
    assert (CAMPSITES in found) == selected


def test_of_a_listed_attribute_nobody_has_to_prove_that_it_is_optional() -> None:
    miner = AttributeMiner(knowledge(), SETTINGS)
    assert miner.select({CAMPSITES: {"dog": count(2, 1)}}).keys() == {CAMPSITES}


@pytest.mark.parametrize(
    ("affirmed", "denied", "reason"),
    [(9, 0, "few_denials"), (1, 3, "few_affirmations"), (20, 2, "rarely_denied")],
)
def test_a_dropped_attribute_says_why(affirmed: int, denied: int, reason: str) -> None:
    miner = AttributeMiner(knowledge(), SETTINGS)
    miner.select({CAMPSITES: {"towel": count(affirmed, denied)}})
    (one,) = miner.considered
    assert (one.topic, one.y, one.affirming, one.denying) == ("campsites", "towel", affirmed, denied)
    assert (one.outcome, one.reason) == ("dropped", reason)


def test_a_dropped_attribute_says_what_would_help() -> None:
    miner = AttributeMiner(knowledge(), SETTINGS)
    miner.select({CAMPSITES: {"towel": count(9, 0)}})
    assert (
        miner.considered[0]
        .in_words()
        .startswith("campsites, towel: 9 texts affirm, 0 deny; 2 denials are needed. Silence is no denial")
    )


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
    found = AttributeMiner(knowledge(), SETTINGS).select({CAMPSITES: {"milk": milk, "coconut milk": coconut_milk}})
    assert found[CAMPSITES].keys() == kept


SHOWERS = {
    "a": "Quiet Oak is a campsite by the river. It has hot showers.",
    "b": "Red Barn is a campsite on the hill. It has no showers.",
    "c": "Old Mill is a campsite in the woods. It has showers and a bar.",
    "d": "Fen Side is a campsite near the lake. It may have showers one day.",
    "e": "Green Hut is a campsite in a valley. It comes without showers.",
    "f": "Blue Tent is a campsite at the sea. It has showers.",
}
DOGS = {name: text.replace("showers", "dogs").replace("has", "allows") for name, text in SHOWERS.items()}


def topics(texts: Mapping[str, str]) -> TopicTable:
    return make_topics([reading.classes for reading in read_all(texts).values()], 3)


def counted(texts: Mapping[str, str]) -> list[tuple[int, Document, NounsRead]]:
    readings = read_all(texts)
    return [
        (number, Document(name, texts[name]), NounsRead(name, readings[name].scopes, readings[name].nouns))
        for number, name in enumerate(texts)
    ]


def propose(texts: Mapping[str, str], noun: str, folder: Path) -> Proposal:
    """The proposal for one attribute of these texts."""
    table, documents = topics(texts), counted(texts)
    wanted = frequent_names(documents, table, knowledge(), 3)
    miner = AttributeMiner(knowledge(), SETTINGS)
    selected = miner.select(count_nouns(documents, table, knowledge(), wanted))
    key = attribute_key(noun)
    evidence = collect_sides({key: attribute_words(noun, knowledge())}, documents)
    write_jsonl(folder / "part-00000.jsonl", [Document(name, text) for name, text in texts.items()])
    numbering = Numbering(folder)
    asked = AskedSplits(split_documents(numbering.ids, [], [], [], SplitSettings(), 0), {})  # so few are all test
    (proposal,) = miner.propose(selected, evidence, table, numbering, asked)
    return proposal


def test_nouns_are_counted_by_topic_and_verdict() -> None:
    table = topics(SHOWERS)
    wanted = {topic: {"shower", "hot shower"} for topic in table.sizes}
    counts = count_nouns(counted(SHOWERS), table, knowledge(), wanted)
    (topic,) = counts
    shower = counts[topic]["shower"]
    assert topic.text == "campsites"
    assert (list(shower.affirmed), list(shower.denied)) == ([0, 2, 5], [1, 4])  # d is not sure
    assert (shower.plural, shower.total, shower.links["has"]) == (5, 5, 4)
    assert list(counts[topic]["hot shower"].affirmed) == [0]


def test_a_listed_attribute_is_asked_for_with_the_verb_of_the_corpus(tmp_path: Path) -> None:
    proposal = propose(DOGS, "dog", tmp_path)
    asked = proposal.constraint
    assert (proposal.topic, asked.type, asked.value) == ("campsites", "exclude", "dogs")
    assert (proposal.relation, proposal.status) == ("travel.allows", "build")
    assert proposal.violating == ("a", "c", "f")
    assert proposal.satisfying == ("b", "e")
    assert "allow" in proposal.query
    assert asked.cue in proposal.query


def test_an_attribute_that_no_list_has_waits_for_a_person(tmp_path: Path) -> None:
    proposal = propose(SHOWERS, "shower", tmp_path)
    assert proposal.status == "doubtful"
    assert "no domain file lists it" in proposal.reason


def test_an_unlisted_attribute_is_asked_for_if_texts_call_themselves_free_of_it(tmp_path: Path) -> None:
    texts = SHOWERS | {
        "b": "Red Barn is a shower-free campsite on the hill.",
        "e": "Green Hut is a shower-free campsite.",
    }
    assert propose(texts, "shower", tmp_path).status == "build"


def test_other_words_for_an_attribute_are_forms_of_it() -> None:
    assert {"Wi-Fi", "wifi"} <= set(attribute_words("Wi-Fi", knowledge()).forms)


def test_narrower_words_are_blocked_in_a_satisfying_document() -> None:
    nut = attribute_words("nut", knowledge())
    assert nut.forms == ("nut", "nuts")
    assert {"walnut", "walnuts", "almond", "praline"} <= set(nut.blocked)


def test_a_narrower_attribute_blocks_nothing_of_its_head() -> None:
    assert attribute_words("goat cheese", knowledge()).blocked == ()


def test_a_list_says_how_people_write_an_attribute() -> None:
    listed = listed_attributes(Topic("places to stay", "place to stay", "lodging"), knowledge())
    pool, pet = listed.by_noun["swimming pool"], listed.by_noun["pet"]
    assert (pool.text, pool.countable, pool.links) == ("swimming pool", True, ("has",))
    assert (pet.text, pet.countable, pet.links) == ("pets", False, ("allows",))


@pytest.mark.parametrize(("name", "covered"), [("pet", True), ("small pet", True), ("towel", False)])
def test_a_listed_attribute_is_not_counted_again_as_a_noun(name: str, covered: bool) -> None:
    listed = listed_attributes(Topic("places to stay", "place to stay", "lodging"), knowledge())
    assert listed.covers(name) == covered
