"""`csuite tune` as it is used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from constraintsuite.app.cli.tune import tune
from constraintsuite.core.errors import UserError
from experiments.tiny_suite import make_example, write_suite
from tuning.models import write_cross, write_triples


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    write_cross(tmp_path / "cross")
    task = {"name": "rule", "data": {"kind": "triples", "path": str(write_triples(tmp_path / "t.jsonl", 40))}}
    sizes = {"loss": "margin", "epochs": 1, "batch": 20, "rate": 0.003, "length": 24}
    content = {"name": "trial", "start": {"model": str(tmp_path / "cross")}, "threads": 1, "tasks": [{**task, **sizes}]}
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(content))
    return tmp_path / "recipe.yaml"


def run(*arguments: object) -> str:
    return CliRunner().invoke(tune, [str(argument) for argument in arguments], catch_exceptions=False).stdout


def test_a_dry_run_says_what_would_be_trained_and_writes_nothing(recipe: Path, tmp_path: Path) -> None:
    printed = run(recipe, "--out", tmp_path / "out", "--dry-run").splitlines()
    assert printed[0] == f"trial: from cross:{tmp_path / 'cross'}, seeds: 1, checkpoints: 2"
    assert " ".join(printed[1].split()) == "rule 40 lists (triples, loss margin), epochs: 1, of 2 steps each"
    assert json.loads(run(recipe, "--out", tmp_path / "out", "--dry-run", "--json"))["tasks"][0]["steps"] == 2
    assert not (tmp_path / "out").exists()


def test_a_dry_run_reads_what_checkpoints_would_be_measured_on(recipe: Path, tmp_path: Path) -> None:
    example = make_example("e", "omission", ("soup without nuts", "soup with nuts", "soup"), ("a", "b"), y="nuts")
    write_suite(tmp_path / "suite", [example], ())  # of the split test
    content = yaml.safe_load(recipe.read_text())
    content["evaluation"] = [{"name": "dev", "suite": str(tmp_path / "suite"), "split": "dev"}]
    recipe.write_text(yaml.safe_dump(content))
    with pytest.raises(UserError, match=r"evaluation dev: .* has no example of the split dev"):
        run(recipe, "--out", tmp_path / "out", "--dry-run", "--allow-small-split")


def test_a_training_says_where_its_checkpoints_and_curves_are(recipe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(recipe, "--out", out).splitlines() == [
        f"Trained: {out}",
        f"  seed 0, rule: {out}/checkpoints/seed0-01-rule-01 (its last epoch)",
        f"Curves:  {out}/curves.jsonl, {out}/plots/*.svg",
    ]
    assert (out / "plots" / "curve-loss.svg").read_text().startswith("<svg")
    again = json.loads(run(recipe, "--out", out, "--json"))
    assert again["selected"][0]["checkpoint"] == "seed0-01-rule-01"
    assert again["counts"]["rule lists"] == 40


def test_what_is_wrong_is_told_before_anything_is_written(recipe: Path, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").unlink()
    with pytest.raises(UserError, match=r"t\.jsonl: there is no such file"):
        run(recipe, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
