from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.cli import evaluate as commands
from constraintsuite.errors import UserError
from evaluate.tiny_suite import EXAMPLES, write_suite


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


def evaluate(suite: Path, *arguments: str) -> str:
    out = str(suite.parent / "runs")
    return (
        CliRunner().invoke(commands.eval_command, [str(suite), "--out", out, *arguments], catch_exceptions=False).stdout
    )


def test_eval_prints_a_row_a_model(suite: Path) -> None:
    printed = evaluate(suite, "--model", "bm25", "--model", "tfidf:nevir")
    assert "bm25" in printed
    assert "tfidf:nevir" in printed
    assert max(len(line) for line in printed.splitlines()) <= 100
    assert sorted(path.name for path in (suite.parent / "runs" / "suite").iterdir()) == ["bm25", "tfidf-nevir"]


def test_eval_prints_all_figures_as_json(suite: Path) -> None:
    (entry,) = json.loads(evaluate(suite, "--model", "bm25", "--json"))
    assert Path(entry["run"]) == suite.parent / "runs" / "suite" / "bm25"
    assert entry["summary"] == json.loads((Path(entry["run"]) / "summary.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--model", "bm26"], "Did you mean 'bm25'"), (["--model", "bm25", "--metric", "speed"], "No metric named")],
)
def test_eval_explains_what_is_wrong(suite: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        evaluate(suite, *arguments)
    assert not (suite.parent / "runs").exists()


def test_report_finds_the_suite_by_itself(suite: Path, tmp_path: Path) -> None:
    evaluate(suite, "--model", "bm25", "--model", "random")
    runs = [str(tmp_path / "runs" / "suite" / name) for name in ("bm25", "random")]
    result = CliRunner().invoke(commands.report, [*runs, "--out", str(tmp_path / "report")], catch_exceptions=False)
    assert Path(result.stdout.strip()) == tmp_path / "report" / "index.html"
    again = [*runs, "--out", str(tmp_path / "report"), "--suite", str(suite), "--json"]
    assert json.loads(CliRunner().invoke(commands.report, again, catch_exceptions=False).stdout) == {
        "page": str(tmp_path / "report" / "index.html")
    }


def test_report_refuses_runs_of_different_suites(suite: Path, tmp_path: Path) -> None:
    other = write_suite(tmp_path / "other", EXAMPLES[:2], (), name="other")
    evaluate(suite, "--model", "bm25")
    evaluate(other, "--model", "bm25")
    runs = [str(tmp_path / "runs" / name / "bm25") for name in ("suite", "other")]
    with pytest.raises(UserError, match=r"another suite \(other\)"):
        CliRunner().invoke(commands.report, [*runs, "--out", str(tmp_path / "report")], catch_exceptions=False)
    assert not (tmp_path / "report").exists()
