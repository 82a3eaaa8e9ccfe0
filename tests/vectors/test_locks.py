"""Who reads a bundle gets one bundle: nobody replaces it meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.embed import embed
from constraintsuite.app.cli.main import cli
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.store.files import folder_lock
from constraintsuite.vectors import LAYOUTS
from constraintsuite.vectors.bundle import Bundle, reading
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.embedding_shard import ShardTask, embed_shard
from constraintsuite.vectors.neighbours import make_neighbours
from constraintsuite.vectors.relevance import make_relevance
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from tiny_bundle import make_bundle, save_model, write_source


def replace(folder: Path) -> None:
    settings = SubsetSettings(size=31, namespace="tiny")
    build_subset(write_source(folder / "source"), settings, folder / "bundle", Silent(), force=True)


def test_a_bundle_that_is_being_read_is_not_replaced(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    with reading(path) as opened:
        before = opened.id
        with pytest.raises(UserError, match="or for one that reads"):
            replace(tmp_path)
        assert len(list(opened.rows())) == 30
        assert Bundle.open(path).id == before
    replace(tmp_path)
    assert Bundle.open(path).documents == 31


def test_texts_are_not_replaced_while_they_are_encoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    path = make_bundle(tmp_path)
    tried = []

    def disturbed(task: ShardTask, isolation: RecordIsolation) -> object:
        with pytest.raises(UserError, match="or for one that reads"):
            replace(tmp_path)
        tried.append(task.start)
        return embed_shard(task, isolation)

    monkeypatch.setattr("constraintsuite.vectors.embed.embed_shard", disturbed)
    artifact = embed_bundle(path, save_model(tmp_path / "model"), Silent(), shard_rows=20)
    assert tried == [0, 20, 0]
    assert artifact.manifest.inputs["texts"] == Bundle.open(path).texts.manifest.content


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "{}"),
        ("verify", "{}"),
        ("bundle", "diff", "{}", "{}"),
        ("bundle", "export", "{}", "--layout", "jsonl", "--out", "{}-out"),
    ],
    ids=" ".join,
)
def test_a_bundle_that_is_being_written_is_not_read(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = make_bundle(tmp_path)
    with folder_lock(path):
        result = CliRunner().invoke(cli, [each.format(path) for each in arguments])
    assert isinstance(result.exception, UserError)
    assert "another csuite command is writing here. Wait for it." in str(result.exception)
    assert CliRunner().invoke(cli, [each.format(path) for each in arguments]).exit_code == 0


def test_neighbours_and_a_dry_run_wait_for_who_writes(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    with folder_lock(path):
        with pytest.raises(UserError, match="is writing here"):
            make_neighbours(path, 5, Silent())
        result = CliRunner().invoke(embed, [str(path), "--model", save_model(tmp_path / "model"), "--dry-run"])
    assert "is writing here" in str(result.exception)


def test_a_bundle_whose_vectors_are_taken_over_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    known, model = make_bundle(tmp_path), save_model(tmp_path / "model")
    embed_bundle(known, model, Silent())
    tried = []

    def disturbed(task: ShardTask, isolation: RecordIsolation) -> object:
        with pytest.raises(UserError, match="or for one that reads"):
            replace(tmp_path)
        tried.append(task.start)
        return embed_shard(task, isolation)

    monkeypatch.setattr("constraintsuite.vectors.embed.embed_shard", disturbed)
    embed_bundle(make_bundle(tmp_path / "b"), model, Silent(), reuse=[known])
    assert tried == [0, 0]


def test_several_may_read_at_once(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    with reading(path) as one, reading(path) as other:
        assert one.id == other.id
        LAYOUTS.load("jsonl")(one, tmp_path / "beir", None)
        make_relevance(path)
