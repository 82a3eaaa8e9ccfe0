"""What was made beside a thing."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.app.web.artifact_index import ArtifactIndex
from constraintsuite.app.web.new_folders import list_siblings
from experiments.tiny_suite import write_suite


def test_a_folder_that_lies_elsewhere_was_not_made_here(tmp_path: Path) -> None:
    served = tmp_path / "served"
    write_suite(served / "suite")
    (tmp_path / "outside").mkdir()
    (served / "suite.export").mkdir()
    (served / "suite.export-2").symlink_to(tmp_path / "outside", target_is_directory=True)
    (served / "suite.export-3").symlink_to(served / "suite.export-3")
    shelf = ArtifactIndex(served)
    assert [path.name for path in list_siblings(shelf, shelf.get("suite", "suite"), "export")] == ["suite.export"]
