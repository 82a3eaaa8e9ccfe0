"""A changed byte is found and named; so is everything that does not fit together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import make_bundle, save_model

from constraintsuite.execution.progress import Silent
from constraintsuite.store.artifact import Manifest, Origin, finish
from constraintsuite.vectors.bundle import CODES, Bundle
from constraintsuite.vectors.diff import diff_bundles
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.neighbours import make_neighbours
from constraintsuite.vectors.relevance import make_relevance
from constraintsuite.vectors.verify import verify_bundle

FILES = (
    "corpus/part-00000.parquet",
    "queries.parquet",
    "qrels.parquet",
    "coverage.json",
    "vectors/*/docs.npy",
    "vectors/*/queries.npy",
    "vectors/*/encoder.json",
    "vectors/*/truncation.json",
    "truth/relevance/judged.parquet",
    "truth/neighbours-*/knn.parquet",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CSUITE_CACHE", str(folder / "cache"))
        path = make_bundle(folder)
        embed_bundle(path, save_model(folder / "model"), Silent())
        make_relevance(path)
        make_neighbours(path, 5, Silent())
    return path


def test_what_was_just_written_has_no_fault(whole: Path) -> None:
    assert verify_bundle(Bundle.open(whole)) == []


@pytest.mark.parametrize("pattern", FILES)
@pytest.mark.parametrize("place", [0.0, 0.37, 0.999])
def test_a_flipped_bit_is_found_and_its_file_named(whole: Path, pattern: str, place: float) -> None:
    (file,) = whole.glob(pattern)
    before = file.read_bytes()
    at = int(place * len(before))
    file.write_bytes(before[:at] + bytes([before[at] ^ 1]) + before[at + 1 :])
    try:
        faults = verify_bundle(Bundle.open(whole))
    finally:
        file.write_bytes(before)
    assert faults == [f"{file.relative_to(whole).as_posix()}: changed since it was written"]


@pytest.mark.parametrize("pattern", ["manifest.json", "vectors/*/manifest.json", "truth/relevance/manifest.json"])
@pytest.mark.parametrize("key", ["inputs", "settings", "content"])
def test_a_changed_manifest_is_named(whole: Path, pattern: str, key: str) -> None:
    (file,) = whole.glob(pattern)
    before = file.read_text()
    content = json.loads(before)
    content[key] = "0" * 64 if key == "content" else {**content[key], "texts": "other"}
    file.write_text(json.dumps(content))
    try:
        faults = verify_bundle(Bundle.open(whole))
    finally:
        file.write_text(before)
    assert any(fault.startswith(file.relative_to(whole).as_posix()) for fault in faults)


def test_a_missing_and_a_foreign_file_are_named(whole: Path) -> None:
    (file,) = whole.glob("vectors/*/queries.npy")
    moved = file.rename(file.with_name("other.npy"))
    try:
        faults = verify_bundle(Bundle.open(whole))
    finally:
        moved.rename(file)
    folder = file.parent.relative_to(whole).as_posix()
    assert faults == [f"{folder}/queries.npy: missing", f"{folder}/other.npy: not in the manifest"]


def rewritten(folder: Path, manifest: Manifest) -> None:
    """As if the folder had been written with these very files."""
    origin = Origin(
        manifest.kind, manifest.name, manifest.inputs, manifest.settings, manifest.seed, CODES[manifest.kind]
    )
    finish(folder, origin, manifest.counts, {}, 0)


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
    assert verify_bundle(Bundle.open(path)) == [f"vectors/{artifact.path.name}/{fault}"]


def test_neighbours_of_other_vectors_are_named(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    artifact = embed_bundle(path, save_model(tmp_path / "model"), Silent())
    truth = make_neighbours(path, 3, Silent())
    matrix = np.load(artifact.path / "docs.npy")
    np.save(artifact.path / "docs.npy", matrix[::-1])
    rewritten(artifact.path, artifact.manifest)
    assert verify_bundle(Bundle.open(path)) == [f"truth/{truth.path.name}: made from other vectors"]


def test_a_bundle_differs_from_a_larger_one_in_what_is_missing(tmp_path: Path) -> None:
    small, large = (Bundle.open(make_bundle(tmp_path / str(size), size=size)) for size in (20, 30))
    found = diff_bundles(small, large)
    assert (found.documents.only_left, found.documents.only_right, found.documents.equal) == (0, 10, 20)
    assert (found.queries.equal, found.judgments.equal, found.identical) == (6, 18, False)
    assert diff_bundles(small, small).identical
