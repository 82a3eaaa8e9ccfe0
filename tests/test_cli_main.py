"""Exit codes and messages of the command line: what scripts rely on."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import csuite
from constraintsuite.app.cli.main import in_words


def csuite_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "constraintsuite", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_help_is_no_error() -> None:
    assert csuite_process("--help").returncode == 0


def test_an_unknown_command_is_the_users_error() -> None:
    assert csuite_process("bild").returncode == 2


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("cli") / "suite"
    result = csuite(
        "build", "--corpus", "sample", "--limit", "90", "--out", str(out), "--analyser", "rules", "--size", "60"
    )
    assert result.returncode == 0, result.stderr
    return out


def test_verify_exits_with_one_when_a_byte_has_changed(suite: Path) -> None:
    assert csuite("verify", str(suite)).returncode == 0
    gold = suite / "gold.jsonl"
    before = gold.read_bytes()
    gold.write_bytes(before + b"\n")
    try:
        result = csuite("verify", str(suite), "--json")
    finally:
        gold.write_bytes(before)
    assert result.returncode == 1
    assert json.loads(result.stdout)["faults"] == ["gold.jsonl: changed since it was written"]


def test_a_misspelt_stage_leaves_a_finished_suite_finished(suite: Path) -> None:
    result = csuite(
        "build", "--corpus", "sample", "--limit", "90", "--out", str(suite), "--analyser", "rules", "--from", "pears"
    )
    assert result.returncode == 2
    assert "No stage named 'pears'" in result.stderr
    assert (suite / "manifest.json").is_file()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("my notes")
    result = csuite("build", "--corpus", "sample", "--out", str(tmp_path), "--analyser", "rules")
    assert result.returncode == 2
    assert (tmp_path / "README.md").read_text() == "my notes"


def test_options_beside_a_recipe_are_refused_by_name(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("corpus: {source: sample}\n")
    result = csuite("build", str(recipe), "--out", str(tmp_path / "out"), "--size", "5")
    assert result.returncode == 2
    assert "--size" in result.stderr


def test_a_misspelt_key_of_a_recipe_is_named(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("corpus: {source: sample}\nanalysis: {analyzer: rules}\n")
    result = csuite("build", str(recipe), "--out", str(tmp_path / "out"))
    assert result.returncode == 2
    assert "analysis.analyzer: unknown key" in result.stderr


def test_judged_proposals_are_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "proposals.jsonl"
    arguments = ("propose", "--corpus", "sample", "--limit", "90", "--out", str(out), "--analyser", "rules")
    assert csuite(*arguments).returncode == 0
    out.write_text(out.read_text().replace('"status":"build"', '"status":"accepted"', 1))
    result = csuite(*arguments)
    assert result.returncode == 2
    assert '"status":"accepted"' in out.read_text()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            PermissionError(errno.EACCES, "Permission denied", "runs/x"),
            "runs/x: Permission denied. Choose another path",
        ),
        (OSError(errno.ENOSPC, "No space left on device", "a"), "a: No space left on device. The disk is full."),
        (OSError(errno.EIO, "Input/output error", "a"), "a: Input/output error. Check the path"),
        (OSError("nothing more is known"), "nothing more is known. Check the path"),
    ],
)
def test_an_error_of_the_file_system_is_told_with_what_helps(error: OSError, said: str) -> None:
    assert in_words(error).startswith(said)


def test_an_error_of_the_file_system_is_one_line_and_the_users_error(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("my notes")
    result = csuite_process("eval", str(suite), "--model", "random", "--out", str(tmp_path / "notes.txt" / "runs"))
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith(f"csuite: {tmp_path / 'notes.txt'}/")
    assert "A part of this path is a file" in result.stderr
    assert "Traceback" not in result.stderr
