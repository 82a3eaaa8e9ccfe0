"""Losses: our own compared with the formula, and every one of them goes down in training."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.tuning.curves import TrainingCurvePoint
from constraintsuite.tuning.loss_modules import DistilLoss, MarginLoss
from constraintsuite.tuning.losses import (
    LOSSES,
    TextList,
    as_columns,
    as_margins,
    as_pairs,
    as_probabilities,
    as_triples,
)
from constraintsuite.tuning.recipe import TuneRecipe
from constraintsuite.tuning.tune import tune
from tuning.models import THINGS, TOPICS, write_cross, write_encoder
from tuning.trials import Noting

LISTS = [TextList("q", ("a", "b", "c"), (0.9, 0.5, 0.1)), TextList("r", ("d", "e"), (0.8, 0.2))]
LOGITS = {("q", "a"): 1.0, ("q", "b"): 2.0, ("q", "c"): -1.0, ("r", "d"): 0.5, ("r", "e"): 0.25}


class Fixed(torch.nn.Module):  # type: ignore[misc]
    """A model that gives each pair the logit that the table has for it."""

    device = torch.device("cpu")

    def preprocess(self, pairs: list[tuple[str, str]], prompt: str | None, task: str | None) -> dict[str, torch.Tensor]:
        return {"logits": torch.tensor([LOGITS[query, text] for query, text in pairs])}

    def forward(self, features: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"scores": features["logits"][:, None]}


def softmax(numbers: list[float]) -> npt.NDArray[np.float64]:
    powers: npt.NDArray[np.float64] = np.exp(np.array(numbers))
    return np.asarray(powers / powers.sum(), dtype=np.float64)


def test_distillation_is_divergence_plus_cross_entropy_also_of_lists_of_different_lengths() -> None:
    inputs = [[one.query for one in LISTS], [list(one.texts) for one in LISTS]]
    labels = [torch.tensor(one.scores) for one in LISTS]
    found = DistilLoss(Fixed(), temperature=0.5, teacher=2.0, source=0.3)(inputs, labels)
    expected = 0.0
    for one in LISTS:
        ours = softmax([LOGITS[one.query, text] for text in one.texts])
        wanted = softmax([score / 0.5 for score in one.scores])
        expected += (2.0 * (wanted * np.log(wanted / ours)).sum() - 0.3 * np.log(ours[0])) / len(LISTS)
    assert found.item() == pytest.approx(expected, rel=1e-5)


def test_the_margin_is_what_the_better_text_lacks() -> None:
    found = MarginLoss(Fixed(), margin=1.0)([["q", "r"], ["a", "d"], ["b", "e"]])
    assert found.item() == pytest.approx((2.0 + 0.75) / 2)


def test_views_of_lists() -> None:
    triples = {"query": ["q", "q", "r"], "positive": ["a", "a", "d"], "negative": ["b", "c", "e"]}
    assert as_triples(LISTS).texts == triples
    assert as_margins(LISTS).labels == pytest.approx([0.4, 0.8, 0.6])
    assert as_pairs(LISTS).texts["text"] == ["a", "b", "c", "d", "e"]
    assert as_columns(LISTS).texts == {"query": ["q", "r"], "text_0": ["a", "d"], "text_1": ["b", "e"]}
    assert as_columns(LISTS).labels == [[0.9, 0.5], [0.8, 0.2]]


@pytest.mark.parametrize("score", [-0.1, 8.0])
def test_what_is_no_probability_is_refused(score: float) -> None:
    with pytest.raises(UserError, match=f"a text has the score {score:g}"):
        as_probabilities([*LISTS, TextList("s", ("f", "g"), (1.0, score))])


def test_texts_of_lists_that_stand_beside_shorter_ones_are_counted(place: Path, tmp_path: Path) -> None:
    rows = [
        {"query": "soup", "texts": ["nuts", "peas", "eggs"][:size], "scores": [2, 1, 0][:size]} for size in (3, 3, 2)
    ]
    (tmp_path / "lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    task = {"name": "rule", "data": {"kind": "lists", "path": tmp_path / "lists.jsonl"}, "loss": "distil", "length": 24}
    start = {"kind": "dense", "model": str(place / "dense")}
    said = Noting()
    tune(TuneRecipe.model_validate({"start": start, "threads": 1, "tasks": [task]}), tmp_path / "out", said)
    assert "seed0-01-rule-01: 2 texts are left out, because their lists are batched with shorter ones" in said.notes


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("losses")
    write_cross(folder / "cross")
    write_encoder(folder / "dense")
    rng = random.Random(0)
    rows = []
    for _ in range(60):
        topic, (other, third) = rng.choice(TOPICS), rng.sample(THINGS[1:], 2)
        texts = [f"the {topic} is rich in {thing} ." for thing in (other, f"{third} and nuts", "nuts and nuts")]
        rows.append({"query": f"{topic} without nuts", "texts": texts, "scores": [1.0, 0.4, 0.0]})
    (folder / "lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.mark.parametrize(("kind", "loss"), [(kind, name) for kind, losses in LOSSES.items() for name in losses])
def test_every_loss_goes_down(place: Path, tmp_path: Path, kind: str, loss: str) -> None:
    task = {"name": "rule", "data": {"kind": "lists", "path": place / "lists.jsonl"}, "loss": loss}
    sizes = {"epochs": 2, "batch": 10, "rate": 2e-3, "length": 24}
    start = {"kind": kind, "model": str(place / kind)}
    recipe = TuneRecipe.model_validate({"start": start, "threads": 1, "tasks": [{**task, **sizes}]})
    artifact = tune(recipe, tmp_path / "out", Silent())
    losses = [p.value for p in read_jsonl(artifact.path / "curves.jsonl", TrainingCurvePoint) if p.value is not None]
    assert losses[1] < losses[0]
