from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.gate import gate
from experiments.paired_runs import RIGHT, WRONG, make_run, make_suite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    suite = make_suite(tmp_path / "suite")
    make_run(suite, tmp_path / "old", "old", [RIGHT] * 40)
    make_run(suite, tmp_path / "new", "new", [WRONG] + [RIGHT] * 39)  # one lost of 40: beyond the limit, but chance
    return tmp_path


def check(folder: Path, *arguments: object, **environment: str) -> Result:
    given = [folder / "new", "--baseline", folder / "old", *arguments]
    return CliRunner(env={"GITHUB_ACTIONS": "", **environment}).invoke(
        gate, [str(a) for a in given], catch_exceptions=False
    )


def test_the_text_names_what_broke_and_says_what_to_do(folder: Path) -> None:
    result = check(folder)
    assert result.exit_code == 1
    assert result.stdout.startswith("INCONCLUSIVE  paired_accuracy: max_drop 0.02 [headline]: a drop of 2.5 points")
    assert "    e000  1 → 0\n      slice: minpairs\n      query: 0 without cream\n" in result.stdout
    assert "      violating: soup 0 with cream\n" in result.stdout
    assert "The result is inconclusive".lower() in result.stdout
    assert "Measure on more examples: `csuite gate --dry-run --suite SUITE`" in result.stdout


def test_junit_has_a_failed_case_with_the_texts(folder: Path) -> None:
    result = check(folder, "--junit", folder / "gate.xml")
    assert result.exit_code == 1
    root = ElementTree.parse(folder / "gate.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("1", "1")
    (case,) = root.iter("testcase")
    (failure,) = case.iter("failure")
    assert (case.get("classname"), failure.get("type")) == ("tiny.new", "inconclusive")
    assert "query: 0 without cream" in (failure.text or "")


def test_junit_passes_where_the_policy_allows_doubt(folder: Path) -> None:
    policy = folder / "gate.yaml"
    policy.write_text("allow_inconclusive: true\nrules: [{metric: accuracy, max_drop: 0.01}]\n")
    assert check(folder, "--policy", policy, "--junit", folder / "gate.xml").exit_code == 0
    assert ElementTree.parse(folder / "gate.xml").getroot().get("failures") == "0"


def test_markdown_is_a_table_with_the_texts_folded(folder: Path) -> None:
    printed = check(folder, "--markdown").stdout
    assert printed.startswith("## Gate: INCONCLUSIVE\n")
    assert "| paired_accuracy: max_drop 0.02 [headline] | INCONCLUSIVE | a drop of 2.5 points" in printed
    assert "<details><summary>1 broken by `paired_accuracy: max_drop 0.02`</summary>" in printed


def test_annotations_name_the_rule_and_what_broke(folder: Path) -> None:
    lines = check(folder, "--annotations").stderr.splitlines()
    assert lines[0].startswith(
        "::error title=tiny%3A paired_accuracy%3A max_drop 0.02 [headline]::a drop of 2.5 points"
    )
    assert lines[1].startswith("::notice title=paired_accuracy%3A e000  1 → 0::")
    assert "%0A  query: 0 without cream%0A" in lines[1]


def test_annotations_come_by_themselves_on_github(folder: Path) -> None:
    assert check(folder).stderr == ""
    assert "::error" in check(folder, GITHUB_ACTIONS="true").stderr
    assert check(folder, "--no-annotations", GITHUB_ACTIONS="true").stderr == ""


def test_a_text_cannot_break_out_of_its_format(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    make_run(suite, tmp_path / "old", "old", [RIGHT] * 40)
    make_run(suite, tmp_path / "new", "a|b <x> ``` \x01", [WRONG] * 40)
    result = check(tmp_path, "--markdown", "--junit", tmp_path / "gate.xml")
    assert result.exit_code == 1
    (case,) = ElementTree.parse(tmp_path / "gate.xml").getroot().iter("testcase")
    assert case.get("classname") == "tiny.a|b <x> ``` "


def test_a_dry_run_says_what_the_suite_can_detect(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", count=200, passages=100)
    result = CliRunner().invoke(gate, ["--dry-run", "--suite", str(tmp_path / "suite")], catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout.startswith("paired_accuracy: max_drop 0.02: 200 items in 100 clusters (headline)\n")
    assert "The limit is 2.0 points: a change between the two will often come out inconclusive." in result.stdout
