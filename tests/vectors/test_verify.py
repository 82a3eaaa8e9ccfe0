"""A changed byte is found and named; so is everything that does not fit together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, Manifest, finish
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.vectors import tables
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.neighbours import make_neighbours
from constraintsuite.vectors.relevance import make_relevance
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from constraintsuite.vectors.tables import (
    DOCUMENT_COLUMNS,
    JUDGED_COLUMNS,
    NEAREST_COLUMNS,
    QREL_COLUMNS,
    QUERY_COLUMNS,
    read_parquet,
    write_parquet,
)
from constraintsuite.vectors.verify import diff_bundles, verify_bundle, verify_folder
from tiny_bundle import make_bundle, save_model, write_source

FILES = (
    "corpus/part-*.parquet",
    "queries.parquet",
    "qrels.parquet",
    "coverage.json",
    "rejects.jsonl",
    "twins.jsonl",
    "vectors/*/docs.npy",
    "vectors/*/queries.npy",
    "vectors/*/encoder.json",
    "vectors/*/truncation.json",
    "truth/relevance/judged.parquet",
    "truth/neighbours-*/knn.parquet",
)
UNHASHED = ("**/manifest.json", "**/environment.json")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CSUITE_CACHE", str(folder / "cache"))
        patch.setattr(tables, "PART_ROWS", 20)
        source = write_source(folder).model_copy(update={"skip_bad_rows": True})
        with Path(source.source).open("a") as file:
            file.write('not json\n{"id": "twin", "text": "soup"}\n{"id": "twin2", "text": "soup"}\n')
        settings = SubsetSettings(size=61, namespace="tiny", dedup="exact_text")
        path = build_subset(source, settings, folder / "bundle", Silent()).path
        embed_bundle(path, save_model(folder / "model"), Silent())
        make_relevance(path)
        make_neighbours(path, 5, Silent())
    return path


def test_what_was_just_written_has_no_fault(whole: Path) -> None:
    assert verify_folder(whole) == []


def test_the_list_of_files_is_complete(whole: Path) -> None:
    files = {file for file in whole.rglob("*") if file.is_file() and not file.name.startswith(".")}
    assert files == {file for pattern in (*FILES, *UNHASHED) for file in whole.glob(pattern)}


@contextmanager
def flipped(file: Path, at: int) -> Iterator[None]:
    """The file with one bit of one byte turned over while the block runs."""
    before = file.read_bytes()
    file.write_bytes(before[:at] + bytes([before[at] ^ 1]) + before[at + 1 :])
    try:
        yield
    finally:
        file.write_bytes(before)


@pytest.mark.parametrize("pattern", FILES)
@pytest.mark.parametrize("place", [0.0, 0.37, 1.0])
def test_a_flipped_byte_is_found_and_its_file_named(whole: Path, pattern: str, place: float) -> None:
    for file in whole.glob(pattern):
        with flipped(file, int(place * (file.stat().st_size - 1))):
            faults = verify_folder(whole)
        assert faults == [f"{file.relative_to(whole).as_posix()}: changed since it was written"]


@pytest.mark.parametrize("pattern", ["manifest.json", "vectors/*/manifest.json", "truth/*/manifest.json"])
def test_a_flipped_byte_anywhere_in_a_manifest_is_found_and_the_manifest_named(whole: Path, pattern: str) -> None:
    for file in whole.glob(pattern):
        size = file.stat().st_size
        for at in {0, size // 2, size - 1, *range(5, size, 11)}:
            with flipped(file, at):
                faults = verify_folder(whole)
            assert any(file.relative_to(whole).as_posix() in fault for fault in faults), (file, at)


@pytest.mark.parametrize("pattern", UNHASHED[1:])
@pytest.mark.parametrize("end", [0, -2], ids=["start", "end"])
def test_an_environment_that_is_no_longer_json_is_named(whole: Path, pattern: str, end: int) -> None:
    """Time, host and versions differ between equal builds: a byte inside a value is no part of the content, nor of the id."""
    for file in whole.glob(pattern):
        name = file.relative_to(whole).as_posix()
        with flipped(file, end % file.stat().st_size):
            assert verify_folder(whole) == [f"{name}: missing, or changed since it was written"]


@pytest.mark.parametrize("pattern", ["manifest.json", "vectors/*/manifest.json", "truth/relevance/manifest.json"])
@pytest.mark.parametrize("key", ["inputs", "settings", "content"])
def test_a_changed_manifest_is_named(whole: Path, pattern: str, key: str) -> None:
    (file,) = whole.glob(pattern)
    before = file.read_text()
    content = json.loads(before)
    content[key] = "0" * 64 if key == "content" else {**content[key], "texts": "other"}
    file.write_text(json.dumps(content))
    try:
        faults = verify_folder(whole)
    finally:
        file.write_text(before)
    assert any(fault.startswith(file.relative_to(whole).as_posix()) for fault in faults)


def test_a_missing_and_a_foreign_file_are_named(whole: Path) -> None:
    (file,) = whole.glob("vectors/*/queries.npy")
    moved = file.rename(file.with_name("other.npy"))
    try:
        faults = verify_bundle(Bundle.open_unverified(whole))
    finally:
        moved.rename(file)
    folder = file.parent.relative_to(whole).as_posix()
    assert faults == [f"{folder}/queries.npy: missing", f"{folder}/other.npy: not in the manifest"]


def rewritten(folder: Path, manifest: Manifest) -> None:
    """As if the folder had been written with these very files."""
    origin = ArtifactOrigin(
        manifest.kind, manifest.name, manifest.inputs, manifest.settings, manifest.seed, REVISIONS[manifest.kind]
    )
    finish(folder, origin, manifest.counts, manifest.rejects, 0)


@pytest.mark.parametrize(
    ("row", "value", "fault"),
    [
        (3, np.nan, "docs.npy: row 3 is not finite"),
        (4, 2.0, "docs.npy: row 4 is not of length 1, though the encoder normalises"),
    ],
)
def test_vectors_that_cannot_be_are_named(tmp_path: Path, row: int, value: float, fault: str) -> None:
    path = make_bundle(tmp_path)
    artifact = embed_bundle(path, save_model(tmp_path / "model"), Silent())
    matrix = np.load(artifact.path / "docs.npy")
    matrix[row] = value
    np.save(artifact.path / "docs.npy", matrix)
    rewritten(artifact.path, artifact.manifest)
    assert verify_bundle(Bundle.open_unverified(path)) == [f"vectors/{artifact.path.name}/{fault}"]


Row = list[object]


def swap(rows: list[Row]) -> None:
    rows[0], rows[1] = rows[1], rows[0]


def repeat_id(rows: list[Row]) -> None:
    rows[1][1] = rows[0][1]


def other_text(rows: list[Row]) -> None:
    rows[0][3] = "changed"


def drop(rows: list[Row]) -> None:
    rows.pop()


def other_state(rows: list[Row]) -> None:
    rows[0][3] = "none"


def other_query(rows: list[Row]) -> None:
    rows[-1][0] = "q9"


def mark_absent(rows: list[Row]) -> None:
    rows[0][1], rows[0][4] = None, False


def out_of_range(rows: list[Row]) -> None:
    rows[0][1] = [*rows[0][1][:-1], 99]  # type: ignore[index]


def twice(rows: list[Row]) -> None:
    rows[0][1] = [rows[0][1][0]] * 5  # type: ignore[index]


def unsorted(rows: list[Row]) -> None:
    rows[0][2] = rows[0][2][::-1]  # type: ignore[index]


def other_neighbours(rows: list[Row]) -> None:
    rows[0][1] = sorted({*range(30)} - {*rows[0][1]})[:5]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("file", "schema", "change", "fault"),
    [
        ("corpus/part-00000.parquet", DOCUMENT_COLUMNS, swap, "corpus: row 1 is where row 0 should be"),
        ("corpus/part-00000.parquet", DOCUMENT_COLUMNS, repeat_id, "corpus: The id '.*' occurs at documents 1 and 2$"),
        (
            "corpus/part-00000.parquet",
            DOCUMENT_COLUMNS,
            other_text,
            "corpus: the hash of document '.*' does not match its text",
        ),
        (
            "corpus/part-00000.parquet",
            DOCUMENT_COLUMNS,
            drop,
            "manifest.json: it counts 30 documents, and there are 29",
        ),
        ("queries.parquet", QUERY_COLUMNS, swap, "queries.parquet: a row or an id is repeated or out of order"),
        (
            "queries.parquet",
            QUERY_COLUMNS,
            other_state,
            "queries.parquet: query '.*' is marked 'none', but .* give 'full'",
        ),
        ("queries.parquet", QUERY_COLUMNS, drop, "manifest.json: it counts 6 queries, and there are 5"),
        ("qrels.parquet", QREL_COLUMNS, swap, "qrels.parquet: a judgment is repeated or out of order"),
        ("qrels.parquet", QREL_COLUMNS, drop, "manifest.json: it counts 18 judgments, and there are 17"),
        (
            "qrels.parquet",
            QREL_COLUMNS,
            other_query,
            "qrels.parquet: the query 'q9' is judged, but not among the queries",
        ),
        (
            "truth/relevance/judged.parquet",
            JUDGED_COLUMNS,
            mark_absent,
            "truth/relevance: it does not follow from the judgments",
        ),
        (
            "truth/relevance/judged.parquet",
            JUDGED_COLUMNS,
            drop,
            "truth/relevance: it does not follow from the judgments",
        ),
        ("truth/neighbours-*/knn.parquet", NEAREST_COLUMNS, out_of_range, "query row 0: a document is out of range"),
        ("truth/neighbours-*/knn.parquet", NEAREST_COLUMNS, twice, "query row 0: a document is repeated"),
        ("truth/neighbours-*/knn.parquet", NEAREST_COLUMNS, unsorted, "query row 0: the neighbours are not in order"),
        (
            "truth/neighbours-*/knn.parquet",
            NEAREST_COLUMNS,
            other_neighbours,
            "query row 0: computed again, .* differ",
        ),
        ("truth/neighbours-*/knn.parquet", NEAREST_COLUMNS, swap, "its rows do not match the queries"),
    ],
)
def test_tables_that_do_not_agree_are_named_although_every_hash_is_right(
    tmp_path: Path, file: str, schema: object, change: Callable[[list[Row]], None], fault: str
) -> None:
    path = make_bundle(tmp_path)
    if file.startswith("truth/"):
        embed_bundle(path, save_model(tmp_path / "model"), Silent())
        make_relevance(path)
        make_neighbours(path, 5, Silent())
    (table,) = path.glob(file)
    rows = [list(row) for row in read_parquet(table)]
    change(rows)
    write_parquet(table, schema, rows)
    folder = table.parent if file.startswith("truth/") else path
    rewritten(folder, Artifact.open_unverified(folder).manifest)
    assert any(re.search(fault, each) for each in verify_folder(path)), verify_folder(path)


@pytest.mark.parametrize("name", ["documents", "population", "positives", "positives_in_subset", "twins_left_out"])
def test_a_count_of_the_manifest_that_is_not_true_is_named(whole: Path, name: str) -> None:
    file = whole / "manifest.json"
    before = file.read_text()
    manifest = Manifest.model_validate_json(before)
    counts = {**manifest.counts, name: manifest.counts[name] + 1}
    file.write_text(manifest.model_copy(update={"counts": counts}).model_dump_json(indent=2) + "\n")
    try:
        (fault,) = verify_folder(whole)
    finally:
        file.write_text(before)
    assert fault.startswith(f"manifest.json: it counts {counts[name]} {name}, and there are {manifest.counts[name]}")


def test_a_folder_that_is_no_bundle_is_no_fault_but_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a finished bundle"):
        verify_folder(tmp_path)


def test_neighbours_of_other_vectors_are_named(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    artifact = embed_bundle(path, save_model(tmp_path / "model"), Silent())
    truth = make_neighbours(path, 3, Silent())
    matrix = np.load(artifact.path / "docs.npy")
    np.save(artifact.path / "docs.npy", matrix[::-1])
    rewritten(artifact.path, artifact.manifest)
    assert verify_bundle(Bundle.open_unverified(path)) == [f"truth/{truth.path.name}: made from other vectors"]


def test_a_bundle_differs_from_a_larger_one_in_what_is_missing(tmp_path: Path) -> None:
    small, large = (Bundle.open_unverified(make_bundle(tmp_path / str(size), size=size)) for size in (20, 30))
    found = diff_bundles(small, large)
    assert (found.documents.only_left, found.documents.only_right, found.documents.equal) == (0, 10, 20)
    assert (found.queries.equal, found.judgments.equal, found.identical) == (6, 18, False)
    assert diff_bundles(small, small).identical
