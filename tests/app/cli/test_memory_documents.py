"""What `ingest` and `add` say of documents that may not be as they were meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.memory_commands import as_json, printed, write_documents


@pytest.mark.parametrize("text", ["", " \n\n", "# Only a heading\n"])
def test_a_document_without_any_unit_is_told(tmp_path: Path, text: str) -> None:
    docs = write_documents(tmp_path)
    (docs / "bare.md").write_text(text)
    note = "note: the document 'bare' holds no unit: nothing in it can be found."
    assert note in printed("ingest", docs, "--out", tmp_path / "all").splitlines()
    printed("ingest", docs / "lease.md", "--out", tmp_path / "graph")
    assert note in printed("add", tmp_path / "graph", docs / "bare.md").splitlines()


def test_documents_with_units_need_no_note(tmp_path: Path) -> None:
    docs = write_documents(tmp_path)
    assert as_json("ingest", docs / "lease.md", "--out", tmp_path / "graph")["notes"] == []
    assert as_json("add", tmp_path / "graph", docs / "teams.md")["notes"] == []
