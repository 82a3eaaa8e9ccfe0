"""A ranking folder: what is in it, that a rerun computes nothing, and what its figures are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance, Silent
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments.ranking.collection import JudgedQuery
from constraintsuite.experiments.ranking.measures import QueryRanking, parse_measures
from constraintsuite.experiments.ranking.run import (
    RankingPlan,
    evaluate_retrieval,
    load_ranking,
    measure_trec_run,
    ranking_folder,
)
from constraintsuite.experiments.ranking.summary import summarise
from experiments.tiny_suite import write_suite


class Notes(Silent):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, text: str) -> None:
        self.heard.append(text)

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        self.heard.append(title)
        with super().track(title, total) as advance:
            yield advance


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


def search(suite: Path, plan: RankingPlan, notes: Notes | None = None) -> Artifact:
    return evaluate_retrieval(suite, plan, ranking_folder(suite.parent / "runs", suite, plan), notes or Notes())


def test_a_ranking_is_a_finished_folder_of_its_own(suite: Path, tmp_path: Path) -> None:
    artifact = search(suite, RankingPlan("bm25"))
    assert artifact.path == tmp_path / "runs" / "suite.ranking" / "bm25"
    assert artifact.manifest.kind == "ranking"
    assert sorted(artifact.manifest.files) == ["measures.json", "queries.jsonl", "run.trec", "system.json"]
    assert artifact.verify() == []
    assert artifact.manifest.counts["documents"] == 8


def test_a_rerun_searches_nothing_and_changes_no_byte(suite: Path) -> None:
    first = search(suite, RankingPlan("bm25", rerank="tfidf"))
    before = {file.name: file.read_bytes() for file in first.path.iterdir() if file.is_file()}
    notes = Notes()
    again = search(suite, RankingPlan("bm25", rerank="tfidf"), notes)
    assert notes.heard == [f"bm25 > tfidf: {again.path} is up to date"]
    assert {file.name: file.read_bytes() for file in again.path.iterdir() if file.is_file()} == before


@pytest.mark.parametrize(
    ("plan", "folder"),
    [
        (RankingPlan("bm25", depth=3), "bm25-depth-3"),
        (RankingPlan("bm25", rerank="tfidf", rerank_depth=20), "bm25-tfidf-rerank_depth-20"),
    ],
    ids=repr,
)
def test_another_depth_lies_beside_the_usual_one(suite: Path, plan: RankingPlan, folder: str) -> None:
    assert ranking_folder(suite.parent / "runs", suite, plan).name == folder


@pytest.mark.parametrize("changed", [RankingPlan("bm25", measures=("P@2",)), RankingPlan("bm25", seed=1)], ids=repr)
def test_what_decides_the_result_makes_it_anew(suite: Path, changed: RankingPlan) -> None:
    first = search(suite, RankingPlan("bm25"))
    second = search(suite, changed)
    assert second.path == first.path
    assert second.manifest.fingerprint != first.manifest.fingerprint


def test_two_folders_of_the_same_ranking_are_the_same_bytes(suite: Path, tmp_path: Path) -> None:
    contents = {
        evaluate_retrieval(
            suite, RankingPlan("rrf:bm25+bm25,stop_list=none"), tmp_path / name, Silent()
        ).manifest.content
        for name in ("one", "two")
    }
    assert len(contents) == 1


def test_the_table_by_query_says_where_the_first_of_each_kind_stands(suite: Path) -> None:
    rows = [
        json.loads(line)
        for line in (search(suite, RankingPlan("bm25")).path / "queries.jsonl").read_text().splitlines()
    ]
    row = next(row for row in rows if row["query"] == "creamless")
    # BM25 reads "soups without cream" as soup and cream: both soups hold both words once and tie, in the order of ids.
    assert (row["text"], row["relevant"], row["violating"]) == ("soups without cream", 1, 1)
    assert (row["first_relevant"], row["first_violation"]) == (1, 2)
    assert row["measures"]["right_rank@10"] == 1.0
    assert row["measures"]["violation@10"] == 0.1


def test_what_is_measured_again_from_the_run_file_is_the_same(suite: Path) -> None:
    artifact = search(suite, RankingPlan("bm25", rerank="random"))
    own = load_ranking(artifact.path)
    given = measure_trec_run(artifact.path / "run.trec", (), suite=suite)
    assert {name: own.measures[name] for name in given.measures} == given.measures


def test_the_depth_cuts_the_lists(suite: Path) -> None:
    run = (search(suite, RankingPlan("bm25", depth=2)).path / "run.trec").read_text().splitlines()
    assert max(int(line.split()[3]) for line in run) == 2


def test_all_wrong_names_are_told_before_anything_is_written(suite: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        search(suite, RankingPlan("bm26", rerank="tfidff", measures=("nDGC@10",)))
    assert [line.split(".")[0] for line in str(caught.value).splitlines()[:2]] == [
        "No retriever named 'bm26'",
        "No model named 'tfidff'",
    ]
    assert "nDGC@10" in str(caught.value)
    assert not (tmp_path / "runs").exists()


def test_a_folder_of_another_kind_is_left_alone(suite: Path) -> None:
    with pytest.raises(UserError, match="this folder already holds the suite 'tiny'"):
        evaluate_retrieval(suite, RankingPlan("bm25"), suite, Silent())


def ranked(links: Sequence[str], ranks: Sequence[int | None]) -> list[QueryRanking]:
    """Queries whose one violating document stands at a rank, or nowhere."""
    return [
        QueryRanking(
            JudgedQuery(f"q{i}", "", {"a": 1}, frozenset({"v"}), frozenset({link})),
            ["a", *(["x"] * (rank - 2)), "v"] if rank else ["a"],
        )
        for i, (link, rank) in enumerate(zip(links, ranks, strict=True))
    ]


def test_queries_that_share_documents_are_resampled_together() -> None:
    summary = summarise("s", "x", ranked("aabbcd", [2] * 6), parse_measures(["RR@10"]), seed=0).summary
    assert (summary.queries, summary.groups, summary.resampled) == (6, 4, "documents")


def test_where_most_queries_are_joined_each_stands_alone() -> None:
    summary = summarise("s", "x", ranked("aaaabc", [2] * 6), parse_measures(["RR@10"]), seed=0).summary
    assert (summary.groups, summary.resampled) == (6, "queries")


@pytest.mark.parametrize(
    ("ranks", "median", "without"), [([2, 3, 9], 3, 0), ([2, 9, None], 9, 1 / 3), ([2, None, None], None, 2 / 3)]
)
def test_the_first_violation_is_a_median_and_null_where_most_have_none(
    ranks: list[int | None], median: float | None, without: float
) -> None:
    measures = parse_measures(["first_violation", "no_violation"])
    figures = summarise("s", "x", ranked("abc", ranks), measures, seed=0).summary.measures
    assert figures["first_violation"].value == median
    assert figures["no_violation"].value == pytest.approx(without)
    assert figures["first_violation"].n == 3


def test_an_undefined_figure_is_null_with_no_queries_behind_it() -> None:
    rankings = [QueryRanking(JudgedQuery("q", "", {"a": 1}), ["a"])]
    figure = summarise("s", "x", rankings, parse_measures(["violation@10"]), seed=0).summary.measures["violation@10"]
    assert (figure.value, figure.n) == (None, 0)


def test_bounds_stay_on_the_scale() -> None:
    figures = summarise("s", "x", ranked("abc", [2, 2, 3]), parse_measures(["violation@10", "dMRR@10"]), seed=0)
    assert all(
        figure.low is not None and figure.high is not None and -1 <= figure.low <= figure.high <= 1
        for figure in figures.summary.measures.values()
    )


@pytest.mark.parametrize(("unjudged", "warned"), [(1, False), (3, True)])
def test_few_judged_documents_are_pointed_out(unjudged: int, warned: bool) -> None:
    rankings = [QueryRanking(JudgedQuery("q", "", {"a": 1}), ["a", *(f"x{i}" for i in range(unjudged))])]
    notes = summarise("s", "x", rankings, parse_measures(["Judged@10"]), seed=0).summary.notes
    assert bool(notes) is warned
    assert not warned or notes[0].startswith("Only 25.0 % of the first 10 documents are judged.")
