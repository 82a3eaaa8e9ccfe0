"""Run files: what is written is read in the same order by every tool, and read as trec_eval reads it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.experiments.ranking.trec import descending, name_as_judged, read_run, write_run
from constraintsuite.models.retrieval.base import Hit


def write(folder: Path, *lines: str) -> Path:
    file = folder / "run.trec"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def hits(*scored: tuple[str, float]) -> list[Hit]:
    return [Hit(document, rank, score) for rank, (document, score) in enumerate(scored, 1)]


def test_a_line_holds_query_document_rank_score_and_system(tmp_path: Path) -> None:
    count = write_run(tmp_path / "run.trec", {"q1": hits(("d7", 12.5), ("d2", -0.25)), "q2": []}, "bm25 > cross:x")
    assert (tmp_path / "run.trec").read_text() == (
        "q1 Q0 d7 1 12.5 bm25%20>%20cross:x\nq1 Q0 d2 2 -0.25 bm25%20>%20cross:x\n"
    )
    assert count == 2


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=2, unique=True))
def test_names_are_found_again_whatever_they_hold(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    file = tmp_path_factory.getbasetemp() / "names.trec"
    query, *documents = names
    write_run(file, {query: hits(*((document, 1.0) for document in documents))}, "x")
    assert name_as_judged(read_run(file), names) == {query: documents}


@pytest.mark.parametrize(
    ("line", "judged"),
    [
        ("a%20b Q0 d%20e 1 1.0 x", ["a%20b", "d%20e"]),  # the names are so
        ("q Q0 50% 1 1.0 x", ["q", "50%"]),
        ("q Q0 a%41 1 1.0 x", ["q", "a A", "aA"]),
        ("my%20query Q0 100%_sure 1 1.0 x", ["my query"]),  # not written here: a % is bare
        ("q Q0 a%20b 1 1.0 x", ["q", "c"]),  # not judged
    ],
)
def test_names_of_another_system_stay_as_they_are(tmp_path: Path, line: str, judged: list[str]) -> None:
    found = read_run(write(tmp_path, line))
    assert name_as_judged(found, judged) == found


def test_names_with_white_space_stay_one_column(tmp_path: Path) -> None:
    write_run(tmp_path / "run.trec", {"my query": hits(("50% off.md", 1.0))}, "bm25")
    assert read_run(tmp_path / "run.trec") == {"my%20query": ["50%25%20off.md"]}


def test_ties_are_written_so_that_the_order_stays(tmp_path: Path) -> None:
    order = ["a", "b", "z", "c"]
    write_run(tmp_path / "run.trec", {"q": hits(*((document, 1.0) for document in order))}, "x")
    assert read_run(tmp_path / "run.trec") == {"q": order}


@given(st.lists(st.floats(-1e30, 1e30), max_size=30))
def test_scores_fall_strictly_also_in_single_precision(scores: list[float]) -> None:
    ordered = sorted(scores, reverse=True)
    single = [float(np.float32(score)) for score in ordered]
    written = [float(np.float32(f"{score:.9g}")) for score in descending(ordered)]
    assert all(one > other for one, other in pairwise(written))
    assert len(set(single)) < len(single) or written == single  # nothing is lowered without need


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        ({"a": 1.0, "b": 2.0}, ["b", "a"]),
        ({"a": 1.0, "b": 1.0}, ["b", "a"]),  # a tie: the last id first
        ({"a": 1.0 + 1e-12, "b": 1.0}, ["b", "a"]),  # a tie in single precision
        ({"a": 1.0 + 1e-6, "b": 1.0}, ["a", "b"]),
        ({"d10": 3.0, "d9": 3.0}, ["d9", "d10"]),  # ids are texts, not numbers
    ],
)
def test_a_run_is_ordered_as_trec_eval_orders_it(tmp_path: Path, scores: dict[str, float], order: list[str]) -> None:
    run = write(tmp_path, *(f"q Q0 {document} 1 {score!r} x" for document, score in scores.items()))
    assert read_run(run) == {"q": order}
    for document in scores:
        evaluator = pytrec_eval.RelevanceEvaluator({"q": {document: 1}}, {"recip_rank"})
        assert evaluator.evaluate({"q": scores})["q"]["recip_rank"] == 1 / (1 + order.index(document))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("q Q0 d 1 1.0", ":2: expected six columns.*found 5"),
        ("q Q0 d 1 high x", ":2: the score 'high' is not a number"),
        ("q Q0 d 1 nan x", ":2: the score 'nan' is not a number"),
        ("q Q0 a 2 0.5 x", ":2: the document 'a' was there before for the query 'q'"),
    ],
)
def test_a_wrong_line_is_told_with_its_number(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        read_run(write(tmp_path, "q Q0 a 1 1.0 x", line))


def test_an_empty_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no hit"):
        read_run(write(tmp_path, ""))


@given(st.binary(max_size=200))
def test_whatever_a_file_holds_it_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.trec"
    file.write_bytes(data)
    try:
        found = read_run(file)
    except UserError as error:
        assert "any.trec" in str(error)
    else:
        assert found
        assert all(documents for documents in found.values())
