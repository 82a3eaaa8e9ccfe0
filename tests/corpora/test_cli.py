from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.corpus import corpus, source_options, source_settings
from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import SourceSettings


def show(*arguments: str) -> str:
    result = CliRunner().invoke(corpus, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "ours.jsonl"
    path.write_text(
        '{"id": "d1", "title": "T", "text": "one\\u001b[31m two"}\noops\n{"id": "d2", "body": "x", "text": "y"}\n'
    )
    return str(path)


def test_show_prints_counts_documents_and_faults(file: str) -> None:
    lines = show(file, "-n", "1").splitlines()
    assert [line for line in lines if not line.startswith("fingerprint")] == [
        "name         ours",
        "format       jsonl",
        "licence      not known",
        "documents    2",
        "words        mean 1.5, 10th percentile 1, 90th 2",
        "queries      0",
        "qrels        0",
        "faults       invalid_json 1",
        "",
        "[d1] T",
        "  one�[31m two",
        "",
        "The first faults:",
        f"  {file}:2: invalid_json: oops",
    ]


def test_show_as_json_is_one_object(file: str) -> None:
    shown = json.loads(show(file, "--json", "-n", "1"))
    assert shown["documents"] == 2
    assert shown["words"] == {"mean": 1.5, "p10": 1, "p90": 2}
    assert shown["first"] == [{"id": "d1", "text": "one\x1b[31m two", "title": "T", "metadata": {}}]
    assert shown["faults"] == {"invalid_json": 1}
    assert shown["first_faults"] == [{"where": f"{file}:2", "reason": "invalid_json", "row": "oops"}]


def test_show_takes_the_options_of_a_source(file: str) -> None:
    assert json.loads(show(file, "--limit", "1", "--json"))["documents"] == 1


def test_show_knows_the_licence_of_the_sample() -> None:
    assert "licence      CC0-1.0\n" in show("sample", "-n", "0")


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("d1\t" + "word " * 200)
    assert show(str(tmp_path / "a.tsv")).splitlines()[-1] == "  " + ("word " * 60).strip() + "…"


def test_other_commands_get_the_same_options() -> None:
    seen: list[SourceSettings] = []

    @click.command()
    @click.option("--corpus", required=True)
    @source_options
    def build(corpus: str, options: Mapping[str, object]) -> None:
        seen.append(source_settings(corpus, options))

    given = {
        "format": "tsv",
        "id_field": "1",
        "title_field": "2",
        "text_field": "3",
        "queries": "q.tsv",
        "qrels": "qrels",
        "passage_words": "50",
        "limit": "10",
        "split": "test",
    }
    arguments = [part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", value)]
    result = CliRunner().invoke(build, ["--corpus", "c.txt", "--skip-bad-rows", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert seen == [SourceSettings.model_validate({"source": "c.txt", "skip_bad_rows": True, **given})]


def test_without_options_the_settings_are_the_defaults() -> None:
    seen: list[SourceSettings] = []

    @click.command()
    @source_options
    def build(options: Mapping[str, object]) -> None:
        seen.append(source_settings("c.txt", options))

    CliRunner().invoke(build, [], catch_exceptions=False)
    assert seen == [SourceSettings(source="c.txt")]


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("c.txt", {"passage_words": 0}, "--passage-words: input should be greater than or equal to 1, got 0."),
        ("", {}, "The source: string should have at least 1 character, got ''."),
    ],
)
def test_a_value_out_of_range_names_its_option(source: str, options: Mapping[str, object], message: str) -> None:
    with pytest.raises(UserError) as error:
        source_settings(source, options)
    assert str(error.value) == message


def test_every_option_has_a_help_text() -> None:
    command = corpus
    assert all(option.help for option in command.params if isinstance(option, click.Option))
