"""Recipes: what is wrong with one is said with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from constraintsuite.core.errors import UserError
from constraintsuite.tuning.losses import LOSSES
from constraintsuite.tuning.recipe import TuneRecipe
from constraintsuite.tuning.settings import MarginSettings

ROOT = Path(__file__).parents[2]
TASK = {"name": "rule", "data": {"kind": "triples", "path": "t.jsonl"}, "loss": "margin"}
GOOD = {"start": {"model": "all-MiniLM-L6-v2"}, "tasks": [TASK]}


def read(tmp_path: Path, content: object) -> TuneRecipe:
    file = tmp_path / "recipe.yaml"
    file.write_text(yaml.safe_dump(content))
    return TuneRecipe.read(file)


def test_a_plain_name_is_a_loss_with_its_defaults(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD).tasks[0].loss == MarginSettings(kind="margin", margin=1.0)


def _task(**changes: object) -> dict[str, Any]:
    return {**GOOD, "tasks": [{**TASK, **changes}]}


DEV = {"name": "dev", "suite": "s", "split": "dev"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({**GOOD, "sede": 1}, "sede: unknown key"),
        (_task(rate=-1), "tasks.0.rate: Input should be greater than 0"),
        (_task(loss="hinge"), "tasks.0.loss: no loss is called 'hinge'"),
        (_task(loss={"kind": ["hinge"]}), "tasks.0.loss: no loss is called ['hinge']"),
        (_task(loss="cosent"), "tasks.0.loss: no loss of cross-encoders is called 'cosent'"),
        (_task(loss={"kind": "margin", "margni": 2}), "tasks.0.loss.margin.margni: unknown key"),
        (_task(loss={"kind": "ranknet", "margin": 2}), "tasks.0.loss.ranknet.margin: unknown key"),
        (
            {**_task(loss={"kind": "distil", "source": 0.3}), "start": {"model": "x", "kind": "dense"}},
            "tasks.0.loss: teacher and source weigh",
        ),
        (_task(data={"kind": "web"}), "tasks.0.data"),
        (_task(data={"kind": "distil", "sources": []}), "tasks.0.data.distil.sources"),
        (_task(replay=0.5), "before the first task there is nothing to replay"),
        (_task(name="a-b"), "tasks.0.name"),
        (_task(name="start"), "cannot be called start"),
        ({**GOOD, "tasks": [TASK, TASK]}, "tasks: 'rule' occurs twice"),
        ({**GOOD, "seeds": [1, 1]}, "seeds: '1' occurs twice"),
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
        *(
            (
                {**GOOD, "evaluation": [DEV], "selection": {"evaluation": "dev", "metric": metric}},
                f"more {metric} is not",
            )
            for metric in ("tie_rate", "reversed", "flip_rate", "gap", "sensitivity", "topic_sensitivity")
        ),
        (
            {
                **GOOD,
                "evaluation": [{"name": "dev", "ranking": {"source": "x"}, "dev": True}],
                "selection": {"evaluation": "dev", "metric": "violation_rate@10"},
            },
            "more violation_rate@10 is not",
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


@pytest.mark.parametrize(("kind", "loss"), [(kind, name) for kind, losses in LOSSES.items() for name in losses])
def test_every_loss_can_be_named_and_a_recipe_is_read_back_from_its_json(kind: str, loss: str) -> None:
    recipe = TuneRecipe.model_validate({**_task(loss=loss), "start": {"model": "x", "kind": kind}})
    assert TuneRecipe.model_validate_json(recipe.model_dump_json()) == recipe
