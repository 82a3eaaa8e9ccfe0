from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source

datasets = pytest.importorskip("datasets", reason="needs the [hub] extra")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A real dataset with two splits."""
    root = tmp_path / "named"
    root.mkdir()
    (root / "train.jsonl").write_text(
        '{"id": 1, "text": "one", "vector": [0.5], "metadata": {"page": 3}}\n'
        '{"id": 2, "text": "two", "vector": [], "metadata": {"page": 4}}\n'
    )
    (root / "test.jsonl").write_text('{"id": 3, "text": "three", "vector": [], "metadata": {"page": 5}}\n')
    (root / "README.md").write_text("---\nlicense: cc-by-4.0\n---\n")
    return root


def test_a_split_is_streamed(folder: Path) -> None:
    source = open_source(SourceSettings(source=f"hf:{folder}", split="train"))
    assert list(source.documents(BadRows())) == [
        Document("1", "one", "", {"page": "3"}),
        Document("2", "two", "", {"page": "4"}),
    ]


def test_the_only_split_need_not_be_named(folder: Path) -> None:
    (folder / "test.jsonl").unlink()
    documents = open_source(SourceSettings(source=f"hf:{folder}")).documents(BadRows())
    assert [document.id for document in documents] == ["1", "2"]


@pytest.mark.parametrize(("split", "message"), [(None, "choose one with --split"), ("dev", "there is no split 'dev'")])
def test_the_splits_are_told(folder: Path, split: str | None, message: str) -> None:
    with pytest.raises(UserError, match=rf"{message}\. The splits are: train, test"):
        list(open_source(SourceSettings(source=f"hf:{folder}", split=split)).documents(BadRows()))


def test_a_config_can_be_named(folder: Path) -> None:
    configs = (
        "configs:\n- config_name: small\n  data_files: test.jsonl\n- config_name: large\n  data_files: train.jsonl\n"
    )
    (folder / "README.md").write_text(f"---\n{configs}---\n")
    documents = open_source(SourceSettings(source=f"hf:{folder}:small")).documents(BadRows())
    assert [document.id for document in documents] == ["3"]


def test_an_unknown_config_is_told(folder: Path) -> None:
    with pytest.raises(UserError, match="Hugging Face datasets could not read it: BuilderConfig 'nope' not found"):
        list(open_source(SourceSettings(source=f"hf:{folder}:nope")).documents(BadRows()))


def test_the_licence_stands_on_the_card(folder: Path) -> None:
    assert open_source(SourceSettings(source=f"hf:{folder}")).licence == "cc-by-4.0"


def test_without_a_card_the_licence_is_not_known(folder: Path) -> None:
    (folder / "README.md").unlink()
    assert open_source(SourceSettings(source=f"hf:{folder}")).licence == ""


def test_the_fingerprint_follows_files_and_split(folder: Path) -> None:
    train = open_source(SourceSettings(source=f"hf:{folder}", split="train")).fingerprint()
    assert train == open_source(SourceSettings(source=f"hf:{folder}", split="train")).fingerprint()
    assert train != open_source(SourceSettings(source=f"hf:{folder}", split="test")).fingerprint()
    (folder / "train.jsonl").write_text('{"id": 1, "text": "other"}\n')
    assert train != open_source(SourceSettings(source=f"hf:{folder}", split="train")).fingerprint()


def test_rows_that_the_library_cannot_parse_are_the_users_to_mend(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"id": 1, "text": "one"}\nnot json\n')
    with pytest.raises(UserError, match="Hugging Face datasets could not read it: JSON parse error"):
        list(open_source(SourceSettings(source=f"hf:{tmp_path}")).documents(BadRows()))


def test_a_hub_that_cannot_be_reached_is_told_once_with_a_way_out(tmp_path: Path) -> None:
    # Nobody listens on port 9: the library's own retries run, only without the waiting between them.
    code = "import time; time.sleep = lambda seconds: None; from constraintsuite.app.cli.main import main; main()"
    caches = {"HF_HOME": str(tmp_path), "HF_DATASETS_CACHE": str(tmp_path), "HF_ENDPOINT": "http://127.0.0.1:9"}
    result = subprocess.run(
        [sys.executable, "-c", code, "corpus", "hf:nobody/nothing"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **caches},
    )
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("csuite: hf:nobody/nothing: the hub could not be reached (http://127.0.0.1:9 was asked")
    assert "give its folder: hf:FOLDER" in line


def test_in_offline_mode_the_same_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    with pytest.raises(UserError, match="hf:nobody/nothing: the hub could not be reached"):
        list(open_source(SourceSettings(source="hf:nobody/nothing")).documents(BadRows()))


def test_the_libraries_are_as_loud_as_before_once_the_source_is_read(folder: Path) -> None:
    loggers = [logging.getLogger(name) for name in ("huggingface_hub", "datasets")]
    before = [logger.level for logger in loggers]
    list(open_source(SourceSettings(source=f"hf:{folder}", split="train")).documents(BadRows()))
    assert [logger.level for logger in loggers] == before
