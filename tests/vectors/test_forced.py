"""A bundle that replaces another is the one that a fresh build gives, and nothing of the old one is ever used for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store import workspace
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.workspace import Workspace
from constraintsuite.vectors import LAYOUTS, msmarco_import, subset
from constraintsuite.vectors.bundle import Bundle, open_vectors
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.msmarco_import import import_folder
from constraintsuite.vectors.neighbours import make_neighbours
from constraintsuite.vectors.relevance import make_relevance, read_relevance
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from constraintsuite.vectors.verify import verify_folder
from tiny_bundle import make_bundle, save_model, source_in


class Stopped(Exception):  # noqa: N818 - stands for a kill, not for a fault
    """The build ends here."""


def stopped(*arguments: object, **named: object) -> object:
    raise Stopped


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle of seed 42 with vectors, both truths, and vectors of another encoder that are not finished."""
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    path = make_bundle(tmp_path)
    embed_bundle(path, save_model(tmp_path / "model"), Silent())
    make_relevance(path)
    make_neighbours(path, 5, Silent())
    (path / "vectors" / "begun" / "stages").mkdir(parents=True)
    (path / "vectors" / "begun" / "stages" / "document-00000.npy").write_bytes(b"half")
    return path


def build(folder: Path, out: Path, *, seed: str = "7") -> Artifact:
    settings = SubsetSettings(size=30, namespace="tiny", seed=seed)
    return build_subset(source_in(folder / "source"), settings, out, Silent(), force=True)


def test_a_replaced_bundle_is_that_of_a_fresh_build_to_the_last_byte(tmp_path: Path, old: Path) -> None:
    replaced, fresh = build(tmp_path, old), build(tmp_path, tmp_path / "fresh")
    assert (old / "manifest.json").read_bytes() == (tmp_path / "fresh" / "manifest.json").read_bytes()
    assert Bundle(replaced).id == Bundle(fresh).id
    assert verify_folder(old) == []
    assert list(old.glob("vectors/*")) == list(old.glob("truth/*")) == []


def test_texts_that_were_changed_are_refused_and_made_again_by_force(tmp_path: Path, old: Path) -> None:
    before, file = Bundle.open(old).id, old / "corpus" / "part-00000.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    settings = SubsetSettings(size=30, namespace="tiny")
    with pytest.raises(UserError, match=r"part-00000\.parquet: changed since .* with `csuite subset --force`"):
        build_subset(source_in(tmp_path / "source"), settings, old, Silent())
    build_subset(source_in(tmp_path / "source"), settings, old, Silent(), force=True)
    assert Bundle.open(old).id == before  # with the vectors and truths of the same texts


@pytest.mark.parametrize(
    ("place", "function"), [(Workspace, "finish"), (workspace, "finish"), (subset, "remove_other_parts")]
)
def test_killed_near_the_end_the_old_vectors_are_never_those_of_the_new_texts(
    tmp_path: Path, old: Path, monkeypatch: pytest.MonkeyPatch, place: object, function: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(place, function, stopped)
        with pytest.raises(Stopped):
            build(tmp_path, old)
    again = build(tmp_path, old)
    assert Bundle(again).id == Bundle(build(tmp_path, tmp_path / "fresh")).id
    assert not list(old.glob("vectors/*/docs.npy"))
    assert verify_folder(old) == []


def test_vectors_of_other_texts_are_named_and_not_opened(
    tmp_path: Path, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subset, "remove_other_parts", stopped)
    with pytest.raises(Stopped):
        build(tmp_path, old)
    opened = Bundle.open(old)
    with pytest.raises(UserError, match="no vectors yet"):
        open_vectors(opened)
    with pytest.raises(UserError, match="no relevance truth yet"):
        read_relevance(opened)
    assert opened.id == Bundle(opened.texts).id
    assert sum("made from other texts" in fault for fault in verify_folder(old)) == 3


def test_work_on_vectors_of_the_same_texts_is_not_taken_away(
    tmp_path: Path, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(subset, "remove_other_parts", stopped)
        with pytest.raises(Stopped):
            build(tmp_path, old)
    build(tmp_path, old)
    assert (old / "vectors" / "begun" / "stages" / "document-00000.npy").is_file()


@pytest.fixture
def folders(tmp_path: Path, old: Path) -> tuple[Path, Path]:
    """Two folders of the methodology, with the texts of two seeds."""
    other = tmp_path / "other"
    build(tmp_path, other)
    embed_bundle(other, f"dense:{tmp_path / 'model'}", Silent())
    shutil.rmtree(old / "vectors" / "begun")
    for path, name in ((old, "one"), (other, "two")):
        LAYOUTS.load("msmarco-subset")(Bundle.open(path), tmp_path / name / "seven", None)
    return tmp_path / "one" / "seven", tmp_path / "two" / "seven"


@pytest.mark.parametrize(
    ("place", "function"),
    [(workspace, "finish"), (msmarco_import, "remove_other_parts"), (msmarco_import, "_write_vectors")],
)
def test_a_replaced_import_is_a_fresh_one_also_when_it_was_killed(
    tmp_path: Path, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, place: object, function: str
) -> None:
    one, two = folders
    out = tmp_path / "imported"
    import_folder(one, out, "cosine")
    with monkeypatch.context() as patch:
        patch.setattr(place, function, stopped)
        with pytest.raises(Stopped):
            import_folder(two, out, "cosine", force=True)
    again = import_folder(two, out, "cosine").texts
    assert Bundle(again).id == Bundle(import_folder(two, tmp_path / "fresh", "cosine").texts).id
    assert verify_folder(out) == []


def test_an_import_that_is_up_to_date_writes_nothing(tmp_path: Path, folders: tuple[Path, Path]) -> None:
    out = tmp_path / "imported"

    def times() -> dict[Path, int]:
        return {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file() and file.name != ".lock"}

    import_folder(folders[0], out, "cosine")
    before = times()
    import_folder(folders[0], out, "cosine")
    assert times() == before
