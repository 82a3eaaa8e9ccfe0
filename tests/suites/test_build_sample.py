"""The main job, end to end: the bundled corpus through the command line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.main import cli
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.suites.build import STAGES
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.export import EXPORTERS

pytestmark = pytest.mark.slow

# 400 rather than the default of 2,000: the audit of the card takes most of the time and grows with the suite.
BUILD = ("build", "--corpus", "sample", "--constraints", "exclude,number", "--analyser", "rules", "--size", "400")


def csuite(arguments: Sequence[object]) -> Result:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


@dataclass(frozen=True)
class Built:
    """A suite that was first built up to its pairs, then to the end."""

    folder: Path
    stages_after_until: list[str]
    finished_after_until: bool
    examples: list[Example]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("sample") / "suite"
    csuite([*BUILD, "--out", folder, "--until", "pairs"])
    stages = [stage.name for stage in STAGES if (folder / "stages" / stage.name / "manifest.json").is_file()]
    finished = (folder / "manifest.json").exists()
    csuite([*BUILD, "--out", folder])
    return Built(folder, stages, finished, read_examples(folder))


def stage_times(folder: Path) -> dict[str, int]:
    """When each stage was finished."""
    return {stage.name: (folder / "stages" / stage.name / "manifest.json").stat().st_mtime_ns for stage in STAGES}


def test_until_stops_after_that_stage(built: Built) -> None:
    assert built.stages_after_until == ["documents", "mentions", "queries", "candidates", "pairs"]
    assert not built.finished_after_until


def test_the_suite_has_enough_examples_of_enough_domains(built: Built) -> None:
    assert len(built.examples) >= 150
    assert len({example.domain for example in built.examples}) >= 6


def test_the_suite_has_enough_explicit_mentions_in_text_as_it_was_written(built: Built) -> None:
    natural = Counter(example.slice for example in built.examples if not example.is_edited)
    assert natural["explicit"] >= 40


def test_both_slices_that_state_what_is_excluded_are_in_every_split(built: Built) -> None:
    slices = {(example.slice, example.split) for example in built.examples}
    assert slices == {(name, split) for name in ("minpairs", "explicit") for split in ("train", "dev", "test")}


def test_the_suite_folder_is_complete(built: Built) -> None:
    files = set(Artifact.open(built.folder, "suite").manifest.files)
    assert {
        "README.md",
        "audit.json",
        "controls.jsonl",
        "coverage.json",
        "considered.jsonl",
        "examples.jsonl",
        "gold.jsonl",
        "proposals.jsonl",
        "schema.json",
    } <= files


def test_the_suite_verifies(built: Built) -> None:
    result = csuite(["verify", built.folder, "--json"])
    assert json.loads(result.stdout)["faults"] == []


def test_a_second_run_changes_nothing(built: Built) -> None:
    before = stage_times(built.folder), (built.folder / "manifest.json").stat().st_mtime_ns
    result = csuite([*BUILD, "--out", built.folder])
    assert "is up to date" in result.stderr
    assert (stage_times(built.folder), (built.folder / "manifest.json").stat().st_mtime_ns) == before


def test_from_makes_later_stages_anew_with_the_same_bytes(built: Built) -> None:
    before, content = stage_times(built.folder), Artifact.open(built.folder).manifest.content
    csuite([*BUILD, "--out", built.folder, "--from", "kept"])
    after = stage_times(built.folder)
    assert [name for name in after if after[name] != before[name]] == ["kept", "tagged", "controls", "gold"]
    assert Artifact.open(built.folder).manifest.content == content


@pytest.mark.parametrize("kind", EXPORTERS.names())
def test_the_suite_is_exported(built: Built, tmp_path: Path, kind: str) -> None:
    result = csuite(["suite", "export", built.folder, "--format", kind, "--out", tmp_path / kind])
    taken = [one for one in built.examples if kind != "guide" or isinstance(one.constraint, Exclude)]
    assert result.stdout.startswith(f"{len(taken):,} examples and ")
    assert (tmp_path / kind / "README.md").is_file()
