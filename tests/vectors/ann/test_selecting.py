"""Which rows and queries are measured: limits, and queries that are base vectors themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import BenchmarkVectors, hash_vectors, limit_vectors
from constraintsuite.vectors.ann.settings import DataEntry
from constraintsuite.vectors.ann.staged_data import find_overlap, load_staged, read_set, stage

BASE = np.array([[1, 0], [0, 1], [2, 2], [3, 3], [0, 0]], dtype=np.float32)
QUERIES = np.array([[5, 5], [0, 1], [1, 5], [-0.0, 0]], dtype=np.float32)  # the second and the fourth are base vectors


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "base.npy", BASE)
    np.save(tmp_path / "queries.npy", QUERIES)
    (tmp_path / "relevance.tsv").write_text("0\t2\t1\n1\t0\t1\n2\t3\t2\n")
    return tmp_path


def entry(**options: object) -> DataEntry:
    return DataEntry.model_validate({"name": "set", "format": "npy", "path": ".", "metric": "dot", **options})


def test_equal_vectors_are_found_by_their_numbers() -> None:
    assert find_overlap(QUERIES, BASE).tolist() == [False, True, False, True]


def test_queries_that_find_themselves_are_counted_and_said(folder: Path) -> None:
    data = read_set(entry(), folder)
    assert (data.overlap, len(data.queries)) == (2, 4)
    assert data.notes == ("2 of 4 queries equal a base vector and find it; `drop_overlap: true` leaves them out",)
    assert stage(entry(), folder, 2, folder / "stages").facts.overlap == 2


def test_they_can_be_left_out_and_the_others_keep_their_numbers(folder: Path) -> None:
    data = read_set(entry(drop_overlap=True), folder)
    assert data.queries.tolist() == [[5, 5], [1, 5]]
    assert data.query_rows.tolist() == [0, 2]
    assert data.relevance == {0: {2: 1}, 1: {3: 2}}
    assert (data.overlap, data.notes) == (0, ("2 of 4 queries were left out, as they equal a base vector",))
    staged, _ = load_staged(stage(entry(drop_overlap=True), folder, 2, folder / "stages"))
    assert staged.query_rows.tolist() == [0, 2]
    assert hash_vectors(data) != hash_vectors(read_set(entry(), folder))


def test_where_nothing_would_be_left_that_is_an_error(folder: Path) -> None:
    np.save(folder / "queries.npy", BASE[:3])
    with pytest.raises(UserError, match="every query equals a base vector"):
        read_set(entry(drop_overlap=True), folder)


@pytest.mark.parametrize(
    ("relevance", "note"),
    [
        ({0: {0: 1}, 1: {1: 2}}, None),  # positives first, as a bundle has them: none is lost
        ({0: {0: 1, 4: 1}, 1: {3: 0}}, "1 judgments of relevant rows are beyond the limit"),
    ],
)
def test_a_limit_says_what_judgments_it_costs(relevance: dict[int, dict[int, int]], note: str | None) -> None:
    few = limit_vectors(BenchmarkVectors("set", BASE, QUERIES, "dot", None, relevance), 3, None)
    assert len(few.base) == 3
    said = [each for each in few.notes if "judgments" in each]
    assert len(said) == (note is not None)
    assert all(each.startswith(note or "") for each in said)
