from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from app.pages.conftest import Reported, evaluate
from constraintsuite.app.cli.main import cli
from constraintsuite.app.cli.report import report
from constraintsuite.app.pages.sections.reproduction import how_to_reproduce
from constraintsuite.app.pages.view import ReportView, TokenMatch, make_view
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.formats import EXPORTED
from constraintsuite.core.records.sections import VerbatimText
from constraintsuite.core.statistics.ties import TieRule
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments.load import load_run, load_suite
from experiments.tiny_suite import EXAMPLES, write_suite


def run(*arguments: object) -> str:
    return CliRunner().invoke(report, [str(argument) for argument in arguments], catch_exceptions=False).stdout


def refusal(*arguments: object) -> str:
    with pytest.raises(UserError) as caught:
        run(*arguments)
    return str(caught.value)


def test_report_finds_the_suite_by_itself(reported: Reported, tmp_path: Path) -> None:
    out = tmp_path / "report"
    assert Path(run(*reported.runs, "--out", out).strip()) == out / "index.html"
    again = run(*reported.runs, "--out", out, "--suite", reported.suite, "--json")
    assert json.loads(again) == {"page": str(out / "index.html")}


def test_a_page_that_was_deleted_is_written_again(reported: Reported, tmp_path: Path) -> None:
    page = Path(run(*reported.runs, "--out", tmp_path / "report").strip())
    page.unlink()
    run(*reported.runs, "--out", tmp_path / "report")
    assert page.read_bytes() == reported.page.read_bytes()


def test_the_printed_commands_give_the_same_report(
    reported: Reported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--ties", "half", "--tie-eps", "0.25")
    out = Path(run(*reported.runs, "--out", tmp_path / "first", *options).strip()).parent
    shutil.copytree(reported.suite, tmp_path / "SUITE")
    monkeypatch.chdir(tmp_path)
    view = make_view(load_suite(reported.suite), [load_run(r) for r in reported.runs], TieRule("half", 0.25))
    (source,) = [block for block in how_to_reproduce(view).blocks if isinstance(block, VerbatimText)]
    for line in source.text.splitlines()[1:]:
        words = [part for word in shlex.split(line)[1:] for part in sorted(map(str, Path().glob(word))) or [word]]
        assert CliRunner().invoke(cli, words, catch_exceptions=False).exit_code == 0
    assert Artifact.open(Path("REPORT")).manifest.content == Artifact.open(out).manifest.content


def test_models_and_examples_that_were_asked_for_are_in_the_printed_command(view: ReportView) -> None:
    match = TokenMatch("colbert:x", "dogless", "", "satisfying", (), (), np.empty((0, 0)))
    asked = replace(view, likenesses={"dense:my model": np.empty(0)}, matches=(match, match))
    (source,) = [block for block in how_to_reproduce(asked).blocks if isinstance(block, VerbatimText)]
    last = source.text.splitlines()[-1]
    assert last.endswith(" --vectors 'dense:my model' --maxsim colbert:x --example dogless")


@pytest.mark.parametrize("form", EXPORTED)
def test_the_leaderboard_is_printed_as_it_is_written_to_files(reported: Reported, form: str) -> None:
    file = reported.report / "tables" / f"leaderboard.{EXPORTED[form]}"
    assert run(*reported.runs, "--format", form) == file.read_text()


def test_the_leaderboard_can_count_ties_otherwise(reported: Reported) -> None:
    rows = json.loads(run(*reported.runs, "--format", "json", "--ties", "half"))["rows"]
    assert {row["system"]: row["headline"]["value"] for row in rows}["bm25:nostop"] == 0.375


def test_page_and_leaderboard_at_once_keep_stdout_for_data(reported: Reported, tmp_path: Path) -> None:
    printed = run(*reported.runs, "--out", tmp_path / "report", "--format", "csv")
    assert printed.startswith("system,headline,")
    assert (tmp_path / "report" / "index.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--out FOLDER"),
        (("--format", "csv", "--vectors", "dense:x"), "need a page"),
        (("--json",), "--out FOLDER"),
    ],
)
def test_report_says_what_is_missing(reported: Reported, arguments: tuple[str, ...], words: str) -> None:
    assert words in refusal(*reported.runs, *arguments)


def test_report_refuses_runs_of_different_suites(reported: Reported, tmp_path: Path) -> None:
    other = evaluate(write_suite(tmp_path / "other", EXAMPLES[:2], (), name="other"), "tfidf")
    assert "another suite (other)" in refusal(reported.runs[0], *other, "--out", tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_report_names_every_folder_that_is_not_a_run_and_says_what_to_give(reported: Reported, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    told = refusal(tmp_path / "empty", tmp_path / "none", "--out", tmp_path / "report").splitlines()
    assert told[0].startswith(f"{tmp_path / 'empty'}: no manifest.json, so it is not a finished artifact.")
    assert told[1] == f"{tmp_path / 'none'}: there is no such folder."
    assert not (tmp_path / "report").exists()


def test_a_suite_has_a_page_of_its_own_and_not_beside_its_runs(reported: Reported, tmp_path: Path) -> None:
    arguments = [str(reported.suite), "--out", str(tmp_path / "page")]
    assert CliRunner().invoke(report, arguments, catch_exceptions=False).exit_code == 0
    assert "Mean lengths of main examples" in (tmp_path / "page" / "index.html").read_text()
    run = reported.runs[0]
    assert "need a report of their own" in refusal(reported.suite, run, "--out", tmp_path / "both")


def test_report_leaves_out_what_a_model_that_failed_has_left(reported: Reported, tmp_path: Path) -> None:
    evaluate(write_suite(tmp_path / "suite"), "random")
    (tmp_path / "fails.py").write_text("def score(pairs):\n    raise ValueError\n")
    command = [sys.executable, "-m", "constraintsuite", "eval", "suite", "--model", "python:fails:score"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=60).returncode == 2
    runs = sorted((tmp_path / "runs" / "suite").iterdir())
    result = CliRunner().invoke(report, [*map(str, runs), "--out", str(tmp_path / "page")], catch_exceptions=False)
    assert [run.name for run in runs] == ["python-fails-score", "random"]
    assert result.stderr.startswith(f"{runs[0]}: left out, because it is not finished.")
    assert Artifact.open(tmp_path / "page", "report").manifest.counts["runs"] == 1
    assert "None of these runs is finished" in refusal(runs[0], "--out", tmp_path / "other")


def test_report_on_a_folder_of_runs_is_answered_with_the_runs(reported: Reported, tmp_path: Path) -> None:
    runs = reported.runs[0].parent
    told = refusal(runs, "--out", tmp_path / "report")
    assert (
        told
        == f"{runs}: this is not a run, but a folder of runs. Give these: {' '.join(map(str, sorted(reported.runs)))}"
    )


@pytest.mark.parametrize(
    ("manifest", "words"),
    [('{"format": 1, "kind": "run"}', "written in format 1 by an earlier version"), ("{", "Was it edited")],
)
def test_report_says_why_a_run_cannot_be_read(reported: Reported, tmp_path: Path, manifest: str, words: str) -> None:
    run = Path(shutil.copytree(reported.runs[0], tmp_path / "run"))
    (run / "manifest.json").write_text(manifest)
    told = refusal(run, "--out", tmp_path / "report")
    assert words in told
    assert "a folder of runs" not in told


def test_the_help_of_report_loads_nothing_that_draws() -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules));"
        "from constraintsuite.app.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "report", "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    loaded = set(result.stdout.rpartition("LOADED")[2].split())
    assert "constraintsuite.app.cli.report" in loaded
    assert not loaded & {"pydantic", "jinja2", "constraintsuite.app.pages.run_report"}
