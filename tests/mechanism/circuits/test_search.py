from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.circuits import quality
from constraintsuite.mechanism.circuits.ranking import effects_of, untrained_model
from constraintsuite.mechanism.circuits.records import CircuitReport, CircuitSettings
from constraintsuite.mechanism.circuits.runner import CircuitRunner, studied_sites
from constraintsuite.mechanism.circuits.search import search_circuit
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import tokenise
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.capacity import plan_memory
from mechanism import models
from mechanism.planted import PLANTED, make_planted, planted_contrasts

FEW = CircuitSettings(chance=20, band=0, parts=5, random_models=0)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """The planted model with noise and 6 layers: of 24 heads, one can be told from chance."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(models.SHAPE, "num_hidden_layers", 6)
        folder: Path = make_planted(tmp_path_factory.mktemp("noisy"), noise=0.05)
    return load_model(f"cross:{folder},threads=1")


def search(model: LoadedModel, contrasts: Sequence[MarkedContrast], settings: CircuitSettings = FEW) -> CircuitReport:
    asked = tokenise(contrasts, model.classifier.tokenization).contrasts
    sites = studied_sites(model)
    budget = plan_memory(model, sites, None, max(one.longest for one in asked))
    main = [one for one in asked if not one.contrast.control]
    effects = effects_of(model, main, sites, settings.direction, "exact", budget)
    runner = CircuitRunner(model, sites, asked, settings.ablation, budget, settings.seed)
    return search_circuit(runner, effects, settings)


def test_the_planted_head_is_found_and_chance_is_rejected(noisy: LoadedModel) -> None:
    report = search(noisy, planted_contrasts(48), FEW.model_copy(update={"chance": 100}))
    assert report.circuit == (PLANTED,)
    assert report.faithfulness.value == pytest.approx(1, abs=0.05)
    assert report.ranking.sites[0].p < 0.05
    assert report.ranking.sites[0].p_check < 0.05
    layer, kind = report.chance
    assert (layer.below, layer.circuits) == (1, 4)  # all others of the layer
    assert (kind.below, kind.circuits) == (1, 23)
    assert kind.p == pytest.approx(1 / 24)  # below .05
    assert report.completeness.random.value == pytest.approx(0, abs=0.05)
    assert [(member.site, member.needed) for member in report.members] == [(PLANTED, True)]
    assert report.verdict.found


def test_of_few_other_circuits_nothing_can_be_said(planted: LoadedModel) -> None:
    report = search(planted, planted_contrasts(24))
    assert report.circuit == (PLANTED,)
    assert max(one.possible for one in report.chance) == 11  # the other heads of three layers
    assert (report.verdict.chance, report.verdict.found) == (None, False)
    assert (report.verdict.behaviour, report.verdict.total, report.verdict.reached, report.verdict.sites) == (True,) * 4


def test_in_models_that_learnt_nothing_nothing_is_found(noisy: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    contrasts = planted_contrasts(24)
    monkeypatch.setattr(quality, "GREEDY", 0)  # completeness is no part of the verdict
    quick = FEW.model_copy(update={"parts": 1})
    assert search(noisy, contrasts, quick).verdict.found
    found = [search(untrained_model(noisy, seed), contrasts, quick).verdict.found for seed in range(10)]
    assert sum(found) <= 1  # of 10 at 5 %, two or more would be rare


def test_a_circuit_that_misses_the_threshold_is_not_found(noisy: LoadedModel) -> None:
    said = search(
        noisy, planted_contrasts(24), FEW.model_copy(update={"size": 1, "threshold": 1, "ablation": "zero"})
    ).verdict
    assert (said.behaviour, said.sites, said.chance) == (True, True, True)
    assert (said.reached, said.found) == (False, False)


def test_the_planted_model_stands_out_from_untrained_ones(planted: LoadedModel) -> None:
    settings = FEW.model_copy(update={"random_models": 20, "random_contrasts": 12})
    found = search(planted, planted_contrasts(40), settings)
    assert found.random_models is not None
    assert found.random_models.behaviour_p == found.random_models.strongest_p == pytest.approx(1 / 21)
    assert found.verdict.random_models


def test_entities_that_are_exchanged_are_not_carried_by_the_planted_head(planted: LoadedModel) -> None:
    main = planted_contrasts(24)
    swapped = [as_entity(one) for one in main]
    report = search(planted, [*main, *swapped])
    studied, entity = report.controls
    assert (studied.control, entity.control) == ("", "entity")
    assert studied.size.value is not None
    assert studied.size.value > 1
    assert entity.size.value == pytest.approx(0, abs=1e-4)
    assert entity.difference.low is not None
    assert entity.difference.low > 1
    assert entity.paired_clusters == entity.clusters


def as_entity(contrast: MarkedContrast) -> MarkedContrast:
    """The opposite query about this thing and about another: nothing in it is negated."""
    here, there = contrast.better_corrupt.query, contrast.worse.text
    words = here.text.split()
    other = "eggs" if words[-1] != "eggs" else "nuts"
    query = replace(here, text=" ".join([*words[:-1], other]), marks=here.marks[:1])
    return replace(
        contrast,
        id=f"{contrast.id}/entity",
        control="entity",
        better=replace(contrast.better, query=here, text=there),
        worse=replace(contrast.worse, query=here, text=contrast.better.text),
        better_corrupt=replace(contrast.better, query=query, text=there),
        worse_corrupt=replace(contrast.worse, query=query, text=contrast.better.text),
        aside=None,
        aside_corrupt=None,
    )


def test_the_same_twice_is_the_same(planted: LoadedModel) -> None:
    one, other = (search(planted, planted_contrasts(16)) for _ in range(2))
    assert one == other


def test_a_size_asked_for(planted: LoadedModel) -> None:
    report = search(planted, planted_contrasts(16), FEW.model_copy(update={"size": 4}))
    assert len(report.circuit) == 4
    assert [member.needed for member in report.members] == [True, False, False, False]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 15}, "fewer sites than the model, which has 15"),
        ({"side": "document"}, "No contrast of the side 'document' in the half 'find'"),
        ({"ablation": "resample"}, "under the ablation 'resample'"),
    ],
)
def test_what_cannot_be_looked_for_is_said(planted: LoadedModel, change: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        search(planted, planted_contrasts(8), FEW.model_copy(update=change))
