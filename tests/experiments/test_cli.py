from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli import evaluate as commands
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import QUERY_PREFERENCE
from experiments.tiny_suite import EXAMPLES, write_suite


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


def test_eval_prints_the_groups_that_are_asked_for(suite: Path) -> None:
    printed = evaluate(suite, "--model", "bm25", "--metric", "invariance", "--by", "control")
    assert "Invariance by kind of control, with 95 % interval." in printed
    assert [line.split()[0] for line in printed.split("Invariance by kind of control")[1].splitlines()[4:]] == [
        "case",
        "idiom",
        "punctuation",
    ]


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


def test_eval_says_that_a_model_only_ties(suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "always_one.py").write_text("def score(pairs):\n    return [1.0] * len(pairs)\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    printed = evaluate(suite, "--model", "python:always_one:score", "--model", "random")
    assert "python:always_one:score ties on all 5 examples" in printed
    assert "random ties" not in printed


def test_eval_can_use_one_split(tmp_path: Path) -> None:
    dev = replace(EXAMPLES[0], split="dev", couple="")
    suite = write_suite(tmp_path / "suite", [dev, *EXAMPLES[1:]], ())
    (entry,) = json.loads(evaluate(suite, "--model", "bm25", "--split", "dev", "--allow-small-split", "--json"))
    assert Path(entry["run"]) == tmp_path / "runs" / "suite-dev" / "bm25"
    assert entry["summary"]["overall"]["metrics"]["accuracy"]["n"] == 1


def test_eval_refuses_a_small_split(suite: Path) -> None:
    with pytest.raises(UserError, match="The split test is too small"):
        evaluate(suite, "--model", "bm25", "--split", "test")


@pytest.mark.parametrize(("paired", "title"), [(True, "Paired accuracy by"), (False, "Accuracy by")])
def test_eval_shows_the_metric_of_the_headline(tmp_path: Path, paired: bool, title: str) -> None:
    single = [replace(e, opposite=None, preferences=(QUERY_PREFERENCE,)) for e in EXAMPLES]
    suite = write_suite(tmp_path / "imported", EXAMPLES if paired else single, ())
    assert evaluate(suite, "--model", "random").strip().startswith(title)
    assert evaluate(suite, "--model", "random", "--metric", "tie_rate").strip().startswith("Ties by")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--model", "bm26"], "Did you mean 'bm25'"), (["--model", "bm25", "--metric", "speed"], "No metric named")],
)
def test_eval_explains_what_is_wrong(suite: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        evaluate(suite, *arguments)
    assert not (suite.parent / "runs").exists()


def test_the_help_of_eval_loads_nothing_that_scores_or_reports() -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules));"
        "from constraintsuite.app.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "eval", "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    loaded = set(result.stdout.rpartition("LOADED")[2].split())
    assert "constraintsuite.app.cli.evaluate" in loaded
    assert not loaded & {"pydantic", "jinja2", "bm25s", "constraintsuite.experiments.run"}
