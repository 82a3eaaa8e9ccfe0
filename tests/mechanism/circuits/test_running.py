from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import torch

from constraintsuite.mechanism.circuits.records import CircuitAblation
from constraintsuite.mechanism.circuits.runner import EMPTY, Circuit, CircuitRunner
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, TokenPair, tokenise
from constraintsuite.mechanism.hooks import Edit, capturing, replacing
from constraintsuite.mechanism.loaded_model import LoadedModel, Tensors
from constraintsuite.mechanism.patching.capacity import plan_memory
from constraintsuite.mechanism.sites import parse_site
from mechanism.planted import PLANTED, planted_contrasts

HEAD = parse_site(PLANTED)


def contrasts_for(model: LoadedModel, count: int) -> list[TokenContrast]:
    """As the planted ones are, with the thing named, so that others can be drawn."""
    marked = [replace(one, y=one.clusters[0].split()[1]) for one in planted_contrasts(count)]
    return list(tokenise(marked, model.classifier.tokenization).contrasts)


def bench_for(
    model: LoadedModel,
    contrasts: list[TokenContrast],
    ablation: CircuitAblation = "counterfactual",
    folder: Path | None = None,
) -> CircuitRunner:
    sites = model.sites({"head", "mlp"})
    budget = plan_memory(model, sites, None, max(one.longest for one in contrasts))
    return CircuitRunner(model, sites, contrasts, ablation, budget, 0, folder=folder)


def test_the_planted_head_alone_does_all_and_all_others_nothing(planted: LoadedModel) -> None:
    contrasts = contrasts_for(planted, 6)
    runner = bench_for(planted, contrasts)
    full, empty, kept, without = runner.margins(
        [runner.full, EMPTY, frozenset([HEAD]), runner.full - {HEAD}], contrasts
    )
    assert (full > 1).all()
    assert (empty < -1).all()
    assert kept == pytest.approx(full, abs=1e-5)
    assert without == pytest.approx(empty, abs=1e-5)


@pytest.mark.parametrize("kind", ["bert", "qwen3", "t5"])
def test_a_circuit_is_a_single_pass_with_all_others_replaced(kind: str, model_of: Callable[[str], LoadedModel]) -> None:
    model = model_of(kind)
    contrasts = contrasts_for(model, 3)
    runner = bench_for(model, contrasts)
    circuits = [EMPTY, frozenset([HEAD, parse_site("L0.mlp")]), runner.full - {HEAD}]
    expected = [[by_hand(runner, circuit, one) for one in contrasts] for circuit in circuits]
    assert runner.margins(circuits, contrasts) == pytest.approx(np.array(expected), abs=1e-4)


def by_hand(runner: CircuitRunner, circuit: Circuit, contrast: TokenContrast) -> float:
    better, worse = (score_by_hand(runner, circuit, pair) for pair in (contrast.better, contrast.worse))
    return better - worse


def score_by_hand(runner: CircuitRunner, circuit: Circuit, pair: TokenPair) -> float:
    assert pair.one_to_one
    model, others = runner.model, [site for site in runner.sites if site not in circuit]
    with torch.no_grad():
        with capturing(model, others) as seen:
            model.scores(inputs_of(model, pair.corrupt.ids, pair.corrupt.types))
        everywhere = torch.ones(1, len(pair.clean), dtype=torch.bool)
        edits = [Edit(site, torch.tensor([0]), seen[site].clone(), everywhere) for site in others]
        with replacing(model, edits):
            return float(model.scores(inputs_of(model, pair.clean.ids, pair.clean.types)))


def inputs_of(model: LoadedModel, ids: np.ndarray, types: np.ndarray) -> Tensors:
    arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    if model.classifier.takes_types:
        arrays["token_type_ids"] = types
    return {name: torch.from_numpy(array)[None] for name, array in arrays.items()}


def test_ablations_differ_in_what_is_left_of_an_empty_circuit(planted: LoadedModel) -> None:
    contrasts = contrasts_for(planted, 12)
    left = {}
    for ablation in get_args(CircuitAblation):
        runner = bench_for(planted, contrasts, ablation)
        asked = runner.usable
        full, empty = runner.run([runner.full, EMPTY], asked).margins
        assert full == pytest.approx(bench_for(planted, asked).margins([runner.full], asked)[0])
        left[ablation] = float(empty.mean())
    assert left["counterfactual"] < -1
    assert left["resample"] > 1  # another thing, but the same cue
    assert left["zero"] == pytest.approx(0, abs=1e-5)
    assert abs(left["mean"]) < 1


def test_contrasts_without_another_to_draw_from_are_not_asked(planted: LoadedModel) -> None:
    lone = tokenise(planted_contrasts(4), planted.classifier.tokenization).contrasts  # all of the same Y: none
    assert bench_for(planted, list(lone), "resample").usable == []


def test_what_was_run_is_not_run_again(planted: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contrasts = contrasts_for(planted, 4)
    runner = bench_for(planted, contrasts, folder=tmp_path)
    circuits = [runner.full, EMPTY, frozenset([HEAD])]
    first = runner.run(circuits, contrasts)
    monkeypatch.setattr(CircuitRunner, "_compute", None)
    again = runner.run(circuits, contrasts)
    assert np.array_equal(first.margins, again.margins)
    assert np.array_equal(first.unrelated, again.unrelated)
    with pytest.raises(TypeError):
        runner.run([frozenset([parse_site("L0.H0")])], contrasts)


def test_a_circuit_asked_for_twice_is_given_twice(planted: LoadedModel) -> None:
    contrasts = contrasts_for(planted, 2)
    runner = bench_for(planted, contrasts)
    one, full, other = runner.margins([EMPTY, runner.full, EMPTY], contrasts)
    assert np.array_equal(one, other)
    assert not np.allclose(one, full)
