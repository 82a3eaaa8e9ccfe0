"""Queries that people give: what they name, and what becomes of them when that is left out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import adapter, write_jsonl
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.queries.given import parse_query
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import AnalysisSettings, DocumentSettings, QuerySettings, Recipe
from constraintsuite.suites.stages.queries import read_proposals
from suites.build_factory import knowledge


@pytest.mark.parametrize(
    ("query", "topic", "y", "link"),
    [
        ("campsites with showers", "campsites", "showers", "has"),
        ("Campsites  with a shower?", "Campsites", "a shower", "has"),
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
    found_topic, found_y, pattern, excludes = parsed
    assert (found_topic, found_y, pattern.link, excludes) == (topic, y, link, False)


@pytest.mark.parametrize(
    ("query", "topic", "y"),
    [
        ("cakes without nuts", "cakes", "nuts"),
        ("hotels that do not allow dogs", "hotels", "dogs"),
        ("Films not about war?", "Films", "war"),
    ],
)
def test_a_query_that_excludes_its_y(query: str, topic: str, y: str) -> None:
    parsed = parse_query(query, knowledge())
    assert parsed is not None
    assert (parsed.topic, parsed.y, parsed.excludes) == (topic, y, True)


@pytest.mark.parametrize(
    "query",
    [
        "campsites",
        "cakes other than those with nuts",  # it excludes something, in words that no pattern knows
        "with nuts",
        "how deep is the sea",
        "phones with a very long battery life and more",  # more than four words
        "",
    ],
)
def test_a_query_that_names_none(query: str) -> None:
    assert parse_query(query, knowledge()) is None


CAMPSITES = {
    "oak": "Quiet Oak is a campsite by the river. It has hot showers and a small shop for the guests.",
    "barn": "Red Barn is a campsite on the hill. There are no showers, but the meadow is wide and quiet.",
    "mill": "Old Mill is a campsite in the woods. It has showers behind the barn and a place for fires.",
    "fen": "Fen Side is a campsite near the lake. The warden sells eggs and bread at the gate every morning.",
}


NEGATED = {
    "campsites with showers": "campsites without showers",
    "campsites that have showers": "campsites that do not have showers",
    "campsites containing showers": "campsites containing no showers",
    "campsites featuring showers": "campsites not featuring showers",
    "campsites containing a shower": "campsites containing no shower",
}
AS_GIVEN = "Campsites  without showers?"
REFUSED = {
    "campsites with saunas": "given:does_not_split_documents",
    "campsites with campsites": "given:y_in_topic",
    "quiet places": "given:no_y_named",
}
JUDGED = "campsites that offer showers"


class Given(NamedTuple):
    """What became of all queries above over four campsites; for one of them the documents were judged."""

    proposals: dict[str, Proposal]
    rejects: dict[str, int]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    folder = tmp_path_factory.mktemp("given")
    queries = [*NEGATED, *REFUSED, JUDGED, AS_GIVEN]
    write_jsonl(folder / "docs.jsonl", [Document(name, text) for name, text in CAMPSITES.items()])
    (folder / "queries.tsv").write_text("".join(f"q{number}\t{query}\n" for number, query in enumerate(queries)))
    judged = f"q{queries.index(JUDGED)}"
    (folder / "qrels.txt").write_text(f"{judged} 0 oak 2\n{judged} 0 fen 2\n{judged} 0 mill 1\n{judged} 0 barn 0\n")
    recipe = Recipe(
        corpus=SourceSettings(
            source=str(folder / "docs.jsonl"), queries=str(folder / "queries.tsv"), qrels=str(folder / "qrels.txt")
        ),
        documents=DocumentSettings(shards=1),
        analysis=AnalysisSettings(analyser="rules"),
        queries=QuerySettings(mine=False, min_topic_documents=2),
    )
    stage = build_suite(recipe, folder / "suite", reporter=Silent(), until="queries").path / "stages" / "queries"
    found = {queries[int(proposal.query_id[1:])]: proposal for proposal in read_proposals(stage)}
    return Given(found, Artifact.open(stage).manifest.rejects)


@pytest.mark.parametrize("query", NEGATED)
def test_the_link_is_negated_in_place(given: Given, query: str) -> None:
    assert given.proposals[query].opposite == query
    assert given.proposals[query].query == NEGATED[query]
    assert given.proposals[query].status == "build"


def test_a_query_that_excludes_y_already_keeps_its_words(given: Given) -> None:
    assert given.proposals[AS_GIVEN].query == AS_GIVEN
    assert given.proposals[AS_GIVEN].opposite == "Campsites with showers?"
    assert given.proposals[AS_GIVEN].template == "WITHOUT_Y"


def test_a_given_query_is_built_even_if_the_corpus_does_not_suit(tmp_path: Path) -> None:
    """Only one document in four says what it is."""
    texts = {**CAMPSITES, **{f"note{i}": f"Some notes on the weather of day {i}, with rain." for i in range(20)}}
    write_jsonl(tmp_path / "docs.jsonl", [Document(name, text) for name, text in texts.items()])
    (tmp_path / "queries.tsv").write_text("q0\tcampsites with showers\n")
    recipe = Recipe(
        corpus=SourceSettings(source=str(tmp_path / "docs.jsonl"), queries=str(tmp_path / "queries.tsv")),
        documents=DocumentSettings(shards=1, near_duplicate=1.0),
        analysis=AnalysisSettings(analyser="rules"),
        queries=QuerySettings(min_topic_documents=2),
    )
    stage = build_suite(recipe, tmp_path / "suite", reporter=Silent(), until="queries").path / "stages" / "queries"
    coverage = adapter(CorpusCoverage).validate_json((stage / "coverage.json").read_bytes())
    assert not coverage.suits
    assert [(one.query, one.status) for one in read_proposals(stage)] == [("campsites without showers", "build")]


def test_y_is_named_without_its_article(given: Given) -> None:
    assert given.proposals["campsites containing a shower"].constraint.value == "shower"


def test_a_given_query_finds_the_documents_of_its_class_and_what_they_say(given: Given) -> None:
    proposal = given.proposals["campsites with showers"]
    assert proposal.violating == ("mill", "oak")
    assert proposal.satisfying == ("barn",)
    assert proposal.on_topic == ("barn", "fen", "mill", "oak")
    assert (proposal.relation, proposal.is_attribute) == ("travel.has", True)


def test_judgments_decide_what_is_on_topic_and_related_is_not_enough(given: Given) -> None:
    assert given.proposals[JUDGED].on_topic == ("fen", "oak")


def test_a_query_that_cannot_be_asked_is_counted_with_its_reason(given: Given) -> None:
    assert not given.proposals.keys() & REFUSED.keys()
    assert given.rejects == Counter(REFUSED.values())


def test_without_exclude_given_queries_are_counted_and_not_read(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "docs.jsonl", [Document(name, text) for name, text in CAMPSITES.items()])
    (tmp_path / "queries.tsv").write_text("q0\tcampsites with showers\nq1\tcampsites under 20 euros\n")
    recipe = Recipe(
        corpus=SourceSettings(source=str(tmp_path / "docs.jsonl"), queries=str(tmp_path / "queries.tsv")),
        documents=DocumentSettings(shards=1),
        analysis=AnalysisSettings(analyser="rules"),
        constraints=("number",),
    )
    stage = build_suite(recipe, tmp_path / "suite", reporter=Silent(), until="queries").path / "stages" / "queries"
    assert Artifact.open(stage).manifest.rejects == {"given:read_for_exclude_only": 2}


PLACES = ("river", "hill", "lake", "wood")
MINED = {
    **{
        f"with{i}": f"Oak {i} is a campsite by the {p} that is quiet at night. It has electricity."
        for i, p in enumerate(PLACES)
    },
    **{
        f"no{i}": f"Barn {i} is a campsite by the {p} that is quiet at night. It has no electricity."
        for i, p in enumerate(PLACES)
    },
}


@pytest.mark.parametrize(("mine", "mined"), [(True, 1), (False, 0)])
def test_what_was_not_to_be_mined_is_neither_proposed_nor_counted(tmp_path: Path, mine: bool, mined: int) -> None:
    write_jsonl(tmp_path / "docs.jsonl", [Document(name, text) for name, text in MINED.items()])
    (tmp_path / "queries.tsv").write_text("q0\tcampsites that offer electricity\n")
    recipe = Recipe(
        corpus=SourceSettings(source=str(tmp_path / "docs.jsonl"), queries=str(tmp_path / "queries.tsv")),
        documents=DocumentSettings(shards=1, near_duplicate=1.0),
        analysis=AnalysisSettings(analyser="rules"),
        queries=QuerySettings(mine=mine),
    )
    stage = build_suite(recipe, tmp_path / "suite", reporter=Silent(), until="queries").path / "stages" / "queries"
    proposals = read_proposals(stage)
    coverage = adapter(CorpusCoverage).validate_json((stage / "coverage.json").read_bytes())
    assert [proposal.query_id for proposal in proposals] == ["q0", *[""] * mined]
    assert (coverage.given_queries_usable, coverage.proposals) == (1, mined)
    assert coverage.expected_examples == sum(proposal.examples_expected for proposal in proposals)
