"""p-MRR, worked out by hand and by a straightforward second implementation, and the ranking of given candidates."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.app.cli.retrieve import retrieve_eval
from constraintsuite.app.views.display import ShowOptions
from constraintsuite.app.views.rankings import show_ranking
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.tables import Table
from constraintsuite.core.records.text import Candidates, Document, InstructionChange, Qrel, Query
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.ranking.collection import JudgedQuery
from constraintsuite.experiments.ranking.measures import P_MRR, measure_rankings, parse_measures, rankings_of
from constraintsuite.experiments.ranking.run import RankingPlan, evaluate_retrieval, load_ranking, measure_trec_run
from constraintsuite.experiments.ranking.summary import summarise


def topic(name: str, *regraded: str) -> list[JudgedQuery]:
    grades = dict.fromkeys(regraded, 1)
    return [
        JudgedQuery(f"{name}-og", "", grades),
        JudgedQuery(f"{name}-changed", "", {}, original=f"{name}-og", regraded=frozenset(regraded)),
    ]


def values(queries: Sequence[JudgedQuery], found: Mapping[str, Sequence[str]]) -> list[float]:
    (measure,) = parse_measures([P_MRR])
    return [float(value) for value in measure_rankings([measure], rankings_of(queries, found))[measure]]


@pytest.mark.parametrize(
    ("original", "changed", "expected"),
    [
        ("abcd", "abcd", 0.0),
        ("abcd", "bcda", 1 - 1 / 4),  # a fell from rank 1 to rank 4
        ("bcda", "abcd", 1 / 4 - 1),  # a rose from rank 4 to rank 1
        ("abcd", "bacd", 1 - 1 / 2),
        ("abcd", "bcd", 1 - 1 / 4),  # not found: the rank after the last
        ("bcd", "abcd", 1 / 4 - 1),
    ],
)
def test_one_document_that_is_not_wanted_any_more(original: str, changed: str, expected: float) -> None:
    queries = topic("q", "a")
    first, second = values(queries, {"q-og": list(original), "q-changed": list(changed)})
    assert math.isnan(first)
    assert second == pytest.approx(expected)


def test_documents_are_averaged_within_a_query_and_queries_then_count_alike() -> None:
    queries = [*topic("q", "a"), *topic("r", "a", "b", "c")]
    found = {"q-og": "abcd", "q-changed": "bcda", "r-og": "abcd", "r-changed": "abcd"}
    (measure,) = parse_measures([P_MRR])
    figure = summarise("s", "bm25", rankings_of(queries, found), [measure], seed=0).summary.measures[P_MRR]
    assert figure.n == 2
    assert figure.value == pytest.approx((3 / 4 + 0) / 2)
    assert (figure.low, figure.high) == (-1, 1)  # of two queries that differ, cut at the ends of the scale


@pytest.mark.parametrize("found", [{"q-og": "ab"}, {"q-changed": "ab"}, {}])
def test_without_both_rankings_there_is_no_value(found: Mapping[str, str]) -> None:
    assert all(map(math.isnan, values(topic("q", "a"), found)))


def from_the_definition(original: Sequence[str], changed: Sequence[str], regraded: Sequence[str]) -> float:
    """As the paper writes it, with reciprocal ranks."""
    scores = []
    for document in regraded:
        rank_og = list(original).index(document) + 1
        rank_new = list(changed).index(document) + 1
        mrr_og, mrr_new = 1 / rank_og, 1 / rank_new
        scores.append(mrr_og / mrr_new - 1 if rank_og > rank_new else 1 - mrr_new / mrr_og)
    return sum(scores) / len(scores)


@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"), st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_the_value_is_that_of_the_definition(original: list[str], changed: list[str], regraded: set[str]) -> None:
    expected = from_the_definition(original, changed, sorted(regraded))
    found = values(topic("q", *regraded), {"q-og": original, "q-changed": changed})[1]
    assert found == pytest.approx(expected)
    assert -1 < found < 1


TEXTS = {"a": "coal power station", "b": "wind power", "c": "coal mine", "d": "oven", "x": "wind power and coal power"}
OG, CHANGED = (
    Query("1-og", "power coal", {"instruction": "original"}),
    Query("1-changed", "power wind", {"instruction": "changed"}),
)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A collection whose two queries may rank all documents but x."""
    folder = tmp_path / "suite"
    folder.mkdir()
    parts: dict[str, Sequence[object]] = {
        "documents": [Document(name, text) for name, text in TEXTS.items()],
        "queries": [OG, CHANGED],
        "qrels": [Qrel("1-og", "a", 1), Qrel("1-og", "b", 1), Qrel("1-changed", "a", 0), Qrel("1-changed", "b", 1)],
        "candidates": [Candidates(query.id, ("d", "c", "b", "a")) for query in (OG, CHANGED)],
        "changes": [InstructionChange("1-og", "1-changed", ("a",))],
    }
    counts = {name: write_jsonl(folder / f"{name}.jsonl", records) for name, records in parts.items()}
    finish(folder, ArtifactOrigin("suite", "tiny", {}, {"source_split": "test"}, 0, Revision(1)), counts, {}, 0.0)
    return folder


def ranked(folder: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (folder / "run.trec").read_text().splitlines():
        query, _, document, *_ = line.split()
        found.setdefault(query, []).append(document)
    return found


def test_only_the_candidates_are_ranked_and_all_of_them(suite: Path, tmp_path: Path) -> None:
    folder = evaluate_retrieval(suite, RankingPlan("bm25"), tmp_path / "run", Silent()).path
    assert ranked(folder) == {"1-og": ["a", "b", "c", "d"], "1-changed": ["b", "a", "c", "d"]}
    summary = load_ranking(folder)
    assert summary.measures[P_MRR].value == pytest.approx(1 - 1 / 2)  # a fell from rank 1 to rank 2
    assert summary.by["instruction"]["changed"][P_MRR].n == 1
    assert summary.by["instruction"]["original"]["nDCG@10"].n == 1


def test_a_reranker_orders_the_candidates(suite: Path, tmp_path: Path) -> None:
    folder = evaluate_retrieval(suite, RankingPlan("bm25", rerank="tfidf"), tmp_path / "run", Silent()).path
    assert [sorted(found) for found in ranked(folder).values()] == [["a", "b", "c", "d"]] * 2


def test_a_run_of_another_system_has_the_same_p_mrr(suite: Path, tmp_path: Path) -> None:
    folder = evaluate_retrieval(suite, RankingPlan("bm25"), tmp_path / "run", Silent()).path
    assert measure_trec_run(folder / "run.trec", (), suite=suite).measures == load_ranking(folder).measures


def test_p_mrr_needs_every_candidate(suite: Path, tmp_path: Path) -> None:
    folder = evaluate_retrieval(suite, RankingPlan("bm25", depth=3), tmp_path / "run", Silent()).path
    assert P_MRR not in json.loads((folder / "measures.json").read_text())["measures"]
    with pytest.raises(UserError, match=r"p-MRR: rankings go to depth 3 only"):
        evaluate_retrieval(suite, RankingPlan("bm25", depth=3, measures=[P_MRR]), tmp_path / "other", Silent())


def test_distractors_are_refused_where_the_candidates_are_given(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": "y", "text": "more coal"}\n')
    plan = RankingPlan("bm25", corpus=str(tmp_path / "docs.jsonl"))
    with pytest.raises(UserError, match=r"--corpus: .* says which documents to rank"):
        evaluate_retrieval(suite, plan, tmp_path / "run", Silent())


def test_the_command_prints_measures_by_group(suite: Path, tmp_path: Path) -> None:
    arguments = [str(suite), "--retriever", "bm25", "--by", "instruction", "--out", str(tmp_path / "runs")]
    printed = CliRunner().invoke(retrieve_eval, arguments, catch_exceptions=False).stdout
    rows = printed.partition("Measures by instruction")[2].splitlines()
    assert any(row.startswith("changed ") and "0.5" in row for row in rows)
    with pytest.raises(UserError, match=r"No grouping named 'instructions'.* Did you mean 'instruction'"):
        CliRunner().invoke(retrieve_eval, [*arguments[:4], "instructions", *arguments[5:]], catch_exceptions=False)


def test_the_page_of_a_ranking_has_a_table_for_each_grouping(suite: Path, tmp_path: Path) -> None:
    folder = evaluate_retrieval(suite, RankingPlan("bm25"), tmp_path / "run", Silent()).path
    shown = show_ranking([folder], ShowOptions())
    (groups,) = (section for section in shown.sections if section.id == "groups")
    (table,) = groups.blocks
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["changed", "original"]
