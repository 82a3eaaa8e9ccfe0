"""Folders of shards that are done, of work that is not."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.execution.unfinished import keep_same
from constraintsuite.store.files import temporary_for


def test_who_goes_on_removes_what_killed_processes_were_writing(tmp_path: Path) -> None:
    folder = keep_same(tmp_path / "stages", "work")
    (folder / "part-0.jsonl").touch()
    temporary_for(folder / "part-1.jsonl").touch()
    keep_same(folder, "work")
    assert sorted(file.name for file in folder.iterdir()) == [".working", "part-0.jsonl"]


def test_other_work_begins_anew(tmp_path: Path) -> None:
    folder = keep_same(tmp_path / "stages", "work")
    (folder / "part-0.jsonl").touch()
    keep_same(folder, "other work")
    assert [file.name for file in folder.iterdir()] == [".working"]
