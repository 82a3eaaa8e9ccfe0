"""`make fast` runs the tests of what was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from changed import find_tests


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("core/store/test_jsonl.py", "core/store/test_files.py", "memory/test_graph.py"):
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ("src/constraintsuite/core/store/jsonl.py", ["tests/core/store/test_jsonl.py"]),
        (
            "src/constraintsuite/core/store/mirror.py",
            ["tests/core/store/test_files.py", "tests/core/store/test_jsonl.py"],
        ),
        ("src/constraintsuite/memory/ingest/roles.py", ["tests/memory/test_graph.py"]),
        ("tests/memory/test_graph.py", ["tests/memory/test_graph.py"]),
        ("tests/memory/test_gone.py", []),
        ("src/constraintsuite/__init__.py", []),
        ("docs/memory.md", []),
    ],
)
def test_a_changed_file_leads_to_its_tests(project: Path, changed: str, found: list[str]) -> None:
    assert list(map(str, find_tests(Path(changed), project))) == found
