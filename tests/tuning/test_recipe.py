"""Recipes: what is wrong with one is said with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from constraintsuite.errors import UserError
from constraintsuite.tuning.recipe import TuneRecipe

ROOT = Path(__file__).parents[2]
TASK = {"name": "rule", "data": {"kind": "triples", "path": "t.jsonl"}, "loss": "margin"}
GOOD = {"start": {"model": "all-MiniLM-L6-v2"}, "tasks": [TASK]}


def read(tmp_path: Path, content: object) -> TuneRecipe:
    file = tmp_path / "recipe.yaml"
    file.write_text(yaml.safe_dump(content))
    return TuneRecipe.read(file)


def test_a_plain_name_is_a_loss_with_its_defaults(tmp_path: Path) -> None:
    loss = read(tmp_path, GOOD).tasks[0].loss
    assert (loss.kind, loss.margin) == ("margin", 1.0)


def _task(**changes: object) -> dict[str, Any]:
    return {**GOOD, "tasks": [{**TASK, **changes}]}


DEV = {"name": "dev", "suite": "s", "split": "dev"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({**GOOD, "sede": 1}, "sede: unknown key"),
        (_task(rate=-1), "tasks.0.rate: Input should be greater than 0"),
        (_task(loss="hinge"), "tasks.0.loss: no loss of cross-encoders is called 'hinge'"),
        (_task(loss={"kind": "margin", "margni": 2}), "tasks.0.loss.margni: unknown key"),
        (_task(data={"kind": "web"}), "tasks.0.data"),
        (_task(data={"kind": "distil", "sources": []}), "tasks.0.data.distil.sources"),
        (_task(replay=0.5), "before the first task there is nothing to replay"),
        (_task(name="a-b"), "tasks.0.name"),
        (_task(name="start"), "cannot be called start"),
        ({**GOOD, "tasks": [TASK, TASK]}, "tasks: 'rule' stands there twice"),
        ({**GOOD, "seeds": [1, 1]}, "seeds: '1' stands there twice"),
        ({**GOOD, "selection": {"evaluation": "dev"}}, "no evaluation is called 'dev'; there are: none"),
        (
            {**GOOD, "evaluation": [{**DEV, "split": "test"}], "selection": {"evaluation": "dev"}},
            "is not of the split dev",
        ),
        (
            {
                **GOOD,
                "evaluation": [{"name": "dev", "ranking": {"source": "x"}}],
                "selection": {"evaluation": "dev", "metric": "nDCG@10"},
            },
            "say `dev: true`",
        ),
        ({**GOOD, "start": {"model": "x", "shrink": {"vocabulary": 500}}}, "belong together"),
        ({**GOOD, "start": {"model": "x", "kind": "dense", "shrink": {"layers": 1}}}, "only a cross-encoder"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, content: object, words: str) -> None:
    with pytest.raises(UserError) as error:
        read(tmp_path, content)
    assert words in str(error.value)
    assert "recipe.yaml" in str(error.value)


@pytest.mark.parametrize("file", sorted(ROOT.glob("recipes/tune-*.yaml")), ids=lambda file: file.name)
def test_the_recipes_that_ship_can_be_read(file: Path) -> None:
    assert TuneRecipe.read(file).tasks
