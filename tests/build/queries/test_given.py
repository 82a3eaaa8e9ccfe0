"""Queries that people give: what they name, and what becomes of them when that is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from build_factory import knowledge, read_all

from constraintsuite.build.queries.given import parse_query, read_given
from constraintsuite.build.queries.records import Proposal
from constraintsuite.build.queries.topics import TopicTable
from constraintsuite.build.queries.view import CorpusView
from constraintsuite.records.text import Document, Qrel, Query


@pytest.mark.parametrize(
    ("query", "topic", "y", "link"),
    [
        ("campsites with showers", "campsites", "showers", "has"),
        ("Campsites  with a shower?", "campsites", "a shower", "has"),
        ("soups that contain cream", "soups", "cream", "contains"),
        ("soup made with cream", "soup", "cream", "contains"),
        ("bread containing nuts", "bread", "nuts", "contains"),
        ("hotels that allow dogs", "hotels", "dogs", "allows"),
        ("hotels with a pool that allow dogs", "hotels with a pool", "dogs", "allows"),
        ("films about war", "films", "war", "about"),
        ("apps with end-to-end encryption", "apps", "end-to-end encryption", "has"),
    ],
)
def test_a_query_that_names_its_y(query: str, topic: str, y: str, link: str) -> None:
    parsed = parse_query(query, knowledge())
    assert parsed is not None
    found_topic, found_y, pattern = parsed
    assert (found_topic, found_y, pattern.link) == (topic, y, link)


@pytest.mark.parametrize(
    "query",
    [
        "campsites",
        "cakes without nuts",
        "with nuts",
        "how deep is the sea",
        "phones with a very long battery life and more",  # more than four words
        "",
    ],
)
def test_a_query_that_names_none(query: str) -> None:
    assert parse_query(query, knowledge()) is None


TEXTS = {
    "oak": "Quiet Oak is a campsite by the river. It has hot showers and a small shop for the guests.",
    "barn": "Red Barn is a campsite on the hill. There are no showers, but the meadow is wide and quiet.",
    "mill": "Old Mill is a campsite in the woods. It has showers behind the barn and a place for fires.",
    "fen": "Fen Side is a campsite near the lake. The warden sells eggs and bread at the gate every morning.",
}


def proposals(
    queries: Sequence[str], *, relevant: Mapping[str, Sequence[str]] | None = None
) -> tuple[list[Proposal], Counter[str]]:
    """What becomes of queries over four campsites; `relevant` gives the judged documents of a query."""
    readings = read_all(TEXTS)
    view = CorpusView(
        documents={name: Document(name, text) for name, text in TEXTS.items()},
        scopes={name: reading.scopes for name, reading in readings.items()},
        facts={},
        pronouns={},
        sentences={},
        topics=TopicTable({name: reading.classes for name, reading in readings.items()}, knowledge(), 2),
    )
    asked = [Query(f"q{number}", text) for number, text in enumerate(queries)]
    grades = [Qrel(query.id, name, 1) for query in asked for name in (relevant or {}).get(query.text, ())]
    rejects: Counter[str] = Counter()
    return read_given(asked, grades, view, dict.fromkeys(TEXTS, "dev"), knowledge(), rejects), rejects


@pytest.mark.parametrize(
    ("query", "negated"),
    [
        ("campsites with showers", "campsites without showers"),
        ("campsites that have showers", "campsites that do not have showers"),
        ("campsites containing showers", "campsites containing no showers"),
        ("campsites featuring showers", "campsites not featuring showers"),
    ],
)
def test_the_link_is_negated_in_place(query: str, negated: str) -> None:
    (proposal,), _ = proposals([query])
    assert (proposal.base, proposal.neg, proposal.status) == (query, negated, "build")


def test_no_takes_the_place_of_the_article() -> None:
    (proposal,), _ = proposals(["campsites containing a shower"])
    assert (proposal.neg, proposal.y) == ("campsites containing no shower", "shower")


def test_a_given_query_finds_the_documents_of_its_class_and_what_they_say() -> None:
    (proposal,), _ = proposals(["campsites with showers"])
    assert proposal.affirming == ("mill", "oak")
    assert proposal.denying == ("barn",)
    assert proposal.on_topic == ("barn", "fen", "mill", "oak")
    assert (proposal.relation, proposal.qid, proposal.split) == ("travel.has", "q0", "dev")


def test_judged_documents_decide_what_is_on_topic() -> None:
    query = "campsites with showers"
    (proposal,), _ = proposals([query], relevant={query: ["oak", "fen"]})
    assert proposal.on_topic == ("fen", "oak")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("campsites with saunas", "given:does_not_split_documents"),
        ("campsites with campsites", "given:y_in_topic"),
        ("quiet places", "given:no_y_named"),
    ],
)
def test_a_query_that_cannot_be_asked_is_counted_with_its_reason(query: str, reason: str) -> None:
    assert proposals([query]) == ([], Counter({reason: 1}))
