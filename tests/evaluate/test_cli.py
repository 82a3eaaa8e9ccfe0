from __future__ import annotations

import json
import subprocess
import sys
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
    assert entry["published"] is None  # not NevIR


def test_eval_can_count_ties_otherwise_and_leaves_the_run_as_it_is(suite: Path) -> None:
    strict = json.loads(evaluate(suite, "--model", "bm25:nostop", "--json"))[0]
    half = json.loads(evaluate(suite, "--model", "bm25:nostop", "--ties", "half", "--json"))[0]
    values = [entry["summary"]["overall"]["metrics"]["accuracy"]["value"] for entry in (strict, half)]
    assert values == [0.2, 0.4]
    assert json.loads((Path(half["run"]) / "summary.json").read_text()) == strict["summary"]
    assert "Ties: half, eps 0.5." in evaluate(suite, "--model", "bm25:nostop", "--ties", "half", "--tie-eps", "0.5")


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


def refusal(*arguments: object) -> str:
    with pytest.raises(UserError) as caught:
        CliRunner().invoke(commands.report, [str(argument) for argument in arguments], catch_exceptions=False)
    return str(caught.value)


def test_report_names_every_folder_that_is_not_a_run_and_says_what_to_give(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    told = refusal(suite, tmp_path / "empty", tmp_path / "none", "--out", tmp_path / "report").splitlines()
    assert told[0] == f"{suite}: this is a suite, not a run. Give a folder that `csuite eval` wrote."
    assert told[1].startswith(
        f"{tmp_path / 'empty'}: no manifest.json, so it is not a finished run. Make it with `csuite"
    )
    assert told[2] == f"{tmp_path / 'none'}: there is no such folder."
    assert not (tmp_path / "report").exists()


def test_report_on_a_folder_of_runs_is_answered_with_the_runs(suite: Path, tmp_path: Path) -> None:
    evaluate(suite, "--model", "bm25", "--model", "random")
    runs = tmp_path / "runs"
    told = refusal(runs, "--out", tmp_path / "report")
    assert told == f"{runs}: not a run, but it holds runs. Give these: {runs}/suite/bm25 {runs}/suite/random"


def test_the_help_of_eval_loads_nothing_that_scores_or_reports() -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules));"
        "from constraintsuite.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "eval", "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    loaded = set(result.stdout.rpartition("LOADED")[2].split())
    assert "constraintsuite.cli.evaluate" in loaded
    assert not loaded & {"pydantic", "jinja2", "bm25s", "constraintsuite.evaluate.run"}
