"""A change of the code that changes no result makes nothing anew; a new revision of a stage makes what it must."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import constraintsuite
from constraintsuite.core.execution import ray_engine
from constraintsuite.core.store.artifact import read_manifest
from constraintsuite.core.store.manifest import MADE_BY
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.suites.build import STAGES

CORPUS = Path(__file__).parent / "golden" / "corpus.jsonl"
BUILD = ("build", "--corpus", str(CORPUS), "--analyser", "rules", "--size", "10", "--out", "suite")


def csuite(package: Path, folder: Path, *arguments: str) -> str:
    """What a command of that copy of the package says; it must end well."""
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "constraintsuite", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def written(folder: Path) -> dict[str, int]:
    """When the manifest of each finished folder was written."""
    found = sorted(folder.rglob("manifest.json"))
    return {file.parent.relative_to(folder).as_posix(): file.stat().st_mtime_ns for file in found}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that a test may edit."""
    here = Path(constraintsuite.__file__).parent
    shutil.copytree(here, tmp_path / "src" / "constraintsuite", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "src"


def test_a_comment_in_a_page_leaves_a_suite_and_a_raised_stage_makes_what_reads_it(
    tmp_path: Path, package: Path
) -> None:
    csuite(package, tmp_path, *BUILD)
    before = written(tmp_path / "suite")
    for name in ("app/web/pages/home.py", "suites/stages/pairs.py"):
        with (package / "constraintsuite" / name).open("a") as file:
            file.write("\n# A remark.\n")
    assert "is up to date" in csuite(package, tmp_path, *BUILD)
    assert written(tmp_path / "suite") == before

    card = tmp_path / "suite" / "README.md"
    text = card.read_text()
    card.write_text(f"{text}\n")
    assert "README.md is not what was written" in csuite(package, tmp_path, *BUILD)
    assert card.read_text() == text
    before = written(tmp_path / "suite")

    stages = package / "constraintsuite" / "suites" / "build.py"
    text = stages.read_text()
    revision = next(stage.revision for stage in STAGES if stage.name == "pairs")
    raised = re.sub(rf"(pairs\.work,\s+revision=){revision},", rf"\g<1>{revision + 1},", text)
    assert raised != text
    stages.write_text(raised)
    (tmp_path / "suite" / "manifest.json").unlink()  # as of a build that goes on
    csuite(package, tmp_path, *BUILD)
    after = written(tmp_path / "suite")
    assert [name for name in after if after[name] != before[name]] == [".", "stages/pairs"]  # it gave the same bytes
    manifest = read_manifest(tmp_path / "suite" / "stages" / "pairs")
    assert manifest is not None
    assert manifest.revision == revision + 1


def test_workers_of_other_code_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("1\n")
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    ray_engine.package_hash.cache_clear()
    before = ray_engine.package_hash()
    (tmp_path / "one.py").write_text("1  # a remark\n")
    ray_engine.package_hash.cache_clear()
    after = ray_engine.package_hash()
    ray_engine.package_hash.cache_clear()
    assert before != after


def test_every_kind_of_artifact_declares_a_revision() -> None:
    assert set(MADE_BY) - {"stage"} <= set(REVISIONS)
