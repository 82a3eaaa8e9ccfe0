from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.text import text
from constraintsuite.core.errors import UserError

SAUCE = "The sauce has no nuts, dairy or gluten. It may contain dairy."


def run(*arguments: str, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(text, list(arguments), input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_explain_marks_cue_scope_and_mention() -> None:
    lines = run("explain", SAUCE, "--y", "dairy", "--analyser", "rules").output.splitlines()
    assert lines[1] == "the text says different things of 'dairy': 2 mentions of dairy, dairies"
    assert lines[3:6] == [
        "1. negated: 'dairy', rule no_determiner, cue 'no'",
        "   The sauce has no nuts, dairy or gluten.",
        "                 == ~~~~~~^^^^^~~~~~~~~~~",
    ]
    assert lines[7] == "2. uncertain: 'dairy', rule doubt_modal, cue 'may'"


def test_explain_wraps_long_sentences_with_their_marks() -> None:
    long = "There is a lake with reeds and swans and a jetty, " * 4 + "and there is no pool anywhere near it."
    lines = run("explain", long, "--y", "pool", "--analyser", "rules").output.splitlines()
    place = next(number for number, line in enumerate(lines) if "no pool" in line)
    assert lines[place + 1][lines[place].index("pool")] == "^"
    assert max(map(len, lines)) <= 103


def test_explain_reads_standard_input_and_forms() -> None:
    result = run(
        "explain",
        "-",
        "--y",
        "lift",
        "--form",
        "elevator",
        "--analyser",
        "rules",
        "--json",
        stdin="No elevator, one lift.",
    )
    (found,) = json.loads(result.output)
    assert found["verdict"] == "negates"
    assert found["forms"] == ["elevator"]
    assert found["mentions"][0]["rule"] == "no_determiner"
    assert found["scopes"][0]["kind"] == "negated"


@pytest.mark.parametrize(("passage", "y"), [("  ", "pool"), ("No pool.", " ")])
def test_empty_input_is_refused(passage: str, y: str) -> None:
    with pytest.raises(UserError, match="is empty"):
        run("explain", passage, "--y", y, "--analyser", "rules")


def test_unknown_analyser_is_refused() -> None:
    result = run("explain", "No pool.", "--y", "pool", "--analyser", "oracle")
    assert result.exit_code == 2
    assert "oracle" in result.output


def test_audit_prints_a_table() -> None:
    output = run("audit", "--analyser", "rules", "--half", "dev").output
    assert "neither_nor" in output
    assert "all (micro)" in output
    assert "rules: right" in output


def test_audit_as_json() -> None:
    (report,) = json.loads(run("audit", "--analyser", "rules", "--half", "dev", "--json").output)
    assert report["half"] == "dev"
    assert 0.9 < report["micro"]["accuracy"]["value"] <= 1


@pytest.mark.parser
@pytest.mark.usefixtures("parser")
def test_both_analysers_side_by_side() -> None:
    output = run("explain", SAUCE, "--y", "dairy", "--analyser", "both").output
    assert output.startswith("rules (")
    assert "\nparser (" in output
    assert "parser: right" in run("audit", "--half", "dev").output
