"""One page of folders of any kind."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from constraintsuite.app.views.display import ShowOptions, write_shown_report
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, finish
from constraintsuite.core.store.revisions import Revision
from constraintsuite.memory.folder import write_memory
from memory.runs.made_outcomes import made_run, outcomes
from memory.tiny_parts import part


def memory(path: Path, text: str = "late rent") -> Path:
    return write_memory(path, [part("lease", [text, "see the notice"])], name=path.name).path


def run(path: Path, marks: str = "10") -> Path:
    made_run(path, [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", marks * 10)])
    return path


def write(folders: list[Path], out: Path) -> str:
    return write_shown_report(folders, out, ShowOptions()).read_text(encoding="utf-8")


def headings(page: str) -> list[str]:
    return re.findall(r'<h2 id="([\w-]+)">', page)


def test_one_folder_is_shown_without_marks(tmp_path: Path) -> None:
    page = write([memory(tmp_path / "papers")], tmp_path / "page")
    assert headings(page)[0] == "documents"
    assert "1 documents, 2 units" in page
    assert (tmp_path / "page" / "tables" / "documents.csv").is_file()
    assert Artifact.open(tmp_path / "page", "report").manifest.name == "papers"


def test_folders_of_one_kind_are_marked_with_their_names(tmp_path: Path) -> None:
    page = write([memory(tmp_path / "papers"), memory(tmp_path / "letters")], tmp_path / "page")
    assert {"1-documents", "2-documents"} <= set(headings(page))
    assert "Documents: letters" in page
    assert "papers, letters" in page
    assert {file.name for file in (tmp_path / "page" / "tables").glob("*documents.csv")} == {
        "1-documents.csv",
        "2-documents.csv",
    }


def test_kinds_follow_as_they_are_named_and_share_no_id(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a"), memory(tmp_path / "papers"), run(tmp_path / "b", "11")]
    page = write(folders, tmp_path / "page")
    found = headings(page)
    assert [name.split("-")[0] for name in dict.fromkeys(name.split("-")[0] for name in found)] == [
        "memory_run",
        "graph",
    ]
    assert [name for name, count in Counter(re.findall(r' id="([^"]+)"', page)).items() if count > 1] == []
    assert "Documents: papers" in page
    assert (tmp_path / "page" / "plots").is_dir()


def test_what_is_there_is_kept_until_a_folder_shows_something_else(tmp_path: Path) -> None:
    folder = run(tmp_path / "a")
    write([folder], tmp_path / "page")
    index = tmp_path / "page" / "index.html"
    first = index.stat().st_mtime_ns
    write([folder], tmp_path / "page")
    assert index.stat().st_mtime_ns == first
    (tmp_path / "a").rename(tmp_path / "old")
    write([run(tmp_path / "a", "11")], tmp_path / "page")
    assert index.stat().st_mtime_ns != first


def test_a_kind_without_a_page_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    finish(tmp_path / "odd", ArtifactOrigin("batch", "odd", {}, {}, 0, Revision(1)), {}, {}, 1.0)
    with pytest.raises(UserError, match=r"odd: there is no page for a batch\. There are pages for: suite, explain, "):
        write([memory(tmp_path / "papers"), tmp_path / "odd"], tmp_path / "page")
    assert not (tmp_path / "page").exists()
