"""`csuite suite` as a user meets it: counts that add up, faults that are named, exports with their controls."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.build.export import EXPORTERS
from constraintsuite.cli.suite import suite as commands
from constraintsuite.records.examples import MAIN_SLICES, Example
from constraintsuite.store.jsonl import read_jsonl


def suite(*arguments: object) -> Result:
    return CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=False)


def read(folder: Path, name: str) -> list[Example]:
    return list(read_jsonl(folder / name, Example))


def test_stats_count_main_examples_and_controls_apart(small_suite: Path) -> None:
    tables = json.loads(suite("stats", small_suite, "--json").stdout)
    main, controls = read(small_suite, "examples.jsonl"), read(small_suite, "controls.jsonl")
    assert set(tables["main"]["slice"]) <= set(MAIN_SLICES)
    assert not set(tables["controls"]["slice"]) & set(MAIN_SLICES)
    assert {name: sum(counts.values()) for name, counts in tables["main"].items()} == dict.fromkeys(
        ["slice", "split", "domain", "relation", "template", "marker", "made", "difficulty"], len(main)
    )
    assert {name: sum(counts.values()) for name, counts in tables["controls"].items()} == dict.fromkeys(
        ["slice", "split", "domain", "relation", "kind"], len(controls)
    )
    assert tables["main"]["domain"] == Counter(example.domain for example in main)
    assert tables["controls"]["kind"] == Counter(one.control.kind for one in controls if one.control)


def test_stats_in_words_have_a_heading_for_each_part(small_suite: Path) -> None:
    lines = suite("stats", small_suite).stdout.splitlines()
    main, controls = read(small_suite, "examples.jsonl"), read(small_suite, "controls.jsonl")
    assert [line for line in lines if not line.startswith(" ")] == [
        f"main: {len(main)}",
        f"controls: {len(controls)}",
    ]
    (made,) = (line for line in lines if line.endswith("  natural"))
    assert int(made.split()[0]) == sum(example.edit is None for example in main)


@pytest.mark.parametrize("kind", EXPORTERS.names())
def test_an_export_takes_the_controls_along(small_suite: Path, tmp_path: Path, kind: str) -> None:
    result = suite("export", small_suite, "--to", kind, "--out", tmp_path / kind)
    main, controls = read(small_suite, "examples.jsonl"), read(small_suite, "controls.jsonl")
    assert result.stdout == f"{len(main)} examples and {len(controls)} controls written to {tmp_path / kind}\n"
    written = "\n".join(path.read_text(encoding="utf-8") for path in (tmp_path / kind).rglob("*") if path.is_file())
    assert [one.id for one in [*main, *controls] if one.id not in written] == []


def test_verify_says_how_many_faults_it_does_not_show(small_suite: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(small_suite, tmp_path / "suite", ignore=shutil.ignore_patterns("stages")))
    (folder / "examples.jsonl").write_text("nonsense\n" * 60)
    result = suite("verify", folder)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "examples.jsonl: changed since it was written"
    assert lines[1].startswith("examples.jsonl:1: the record: Invalid JSON")
    assert (len(lines), lines[-1]) == (51, "and 11 more; --json lists all")
