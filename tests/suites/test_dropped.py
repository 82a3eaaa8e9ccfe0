"""What people want left out is left out of the next build, and counted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.dropped import DROPPED, check_dropped, name_of_texts, read_dropped
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.recipe import Recipe


def name_of(example: Example) -> str:
    return name_of_texts(example.query, example.satisfying.text, example.violating.text)


def write_drop(file: Path, examples: Sequence[Example]) -> Path:
    lines = [json.dumps({"id": one.id, "texts": name_of(one), "verdict": "drop"}) for one in examples]
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def build_without(suite: Path, drop: Sequence[Path], out: Path) -> Artifact:
    """The suite once more, from its own stages, as far as they do not depend on what is dropped."""
    shutil.copytree(suite, out)
    settings = Artifact.open(suite, "suite").manifest.settings
    candidates = {name: value for name, value in settings["candidates"].items() if name != "index"}
    recipe = Recipe.model_validate({**settings, "candidates": candidates, "drop": tuple(drop)})
    built = build_suite(recipe, out, reporter=Silent(), replace=True)
    assert built.suite is not None
    return built.suite


@pytest.fixture(scope="module")
def couple(small_suite: Path) -> list[Example]:
    """Two examples that are one couple, and unedited."""
    examples = read_examples(small_suite)
    first = next(one for one in examples if one.couple and not one.is_edited)
    return [one for one in examples if one.couple == first.couple and not one.is_edited]


def test_a_dropped_example_goes_with_its_other_half_and_is_counted(
    small_suite: Path, couple: list[Example], tmp_path: Path
) -> None:
    drop = write_drop(tmp_path / "drop.jsonl", couple[:1])
    suite = build_without(small_suite, [drop], tmp_path / "suite")
    left = {name_of(example) for example in read_examples(suite.path)}
    assert left
    assert not left & {name_of(example) for example in couple}
    assert suite.manifest.rejects[f"kept: {DROPPED}"] == 1
    before = Artifact.open(small_suite, "suite").manifest.rejects.get("kept: couple_broken", 0)
    assert suite.manifest.rejects["kept: couple_broken"] == before + len(couple) - 1
    assert suite.manifest.inputs["drop"] == sha256_text(sha256_of(drop))


def test_without_anything_to_drop_the_suite_has_the_same_content(small_suite: Path, tmp_path: Path) -> None:
    suite = build_without(small_suite, [write_drop(tmp_path / "drop.jsonl", [])], tmp_path / "suite")
    assert sha256_of(suite.path / "examples.jsonl") == sha256_of(small_suite / "examples.jsonl")


def test_a_file_of_another_suite_is_refused(small_suite: Path, tmp_path: Path) -> None:
    file = tmp_path / "drop.jsonl"
    file.write_text(json.dumps({"id": "exclude_explicit_sample_000001", "texts": "0" * 32}) + "\n")
    with pytest.raises(UserError, match="batch of another suite"):
        build_without(small_suite, [file], tmp_path / "suite")


def test_several_files_are_one(couple: list[Example], tmp_path: Path) -> None:
    files = [write_drop(tmp_path / f"{number}.jsonl", [one]) for number, one in enumerate(couple)]
    assert read_dropped(files) == {name_of(one) for one in couple}


@pytest.mark.parametrize(
    ("line", "told"), [('{"id": "a"}', r":1: texts: Field required"), ("{", r":1: .*JSON"), ("[]", r":1: ")]
)
def test_a_line_that_names_nothing_is_told_with_its_place(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "drop.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(UserError, match=told):
        check_dropped([file])


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file of examples to drop"):
        check_dropped([tmp_path / "none.jsonl"])
