"""The pages of analyses, circuits and drifts, as their owner meets them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.web.site import open_site
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.circuits.records import CircuitSettings
from constraintsuite.mechanism.circuits.search import find_circuit
from constraintsuite.mechanism.drift.checkpoints import name_checkpoints
from constraintsuite.mechanism.drift.drift import DriftSettings, measure_drift
from constraintsuite.mechanism.explain.request import AnalysisScope
from mechanism.analyses import attribute
from mechanism.drift.moving import make_checkpoints, make_soup_suite
from mechanism.planted import make_planted, planted_contrasts

FEW = CircuitSettings(size=1, chance=20, band=0, parts=1, random_models=0)


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analysed")
    write_jsonl(folder / "contrasts.jsonl", planted_contrasts(12))
    model = f"cross:{make_planted(folder / 'model', noise=0.05)},threads=1"
    attribute(folder / "contrasts.jsonl", model, folder / "first", AnalysisScope(sites=("head", "mlp")), Silent())
    return folder


def headings(page: str) -> list[str]:
    return re.findall(r'<h2 id="([\w-]+)">', page)


def test_an_analysis_and_a_circuit_that_is_found_later(analysed: Path) -> None:
    owner = open_site(analysed).visit()
    page = owner.page("/explain/first")
    assert headings(page) == ["first", "attribution"]
    assert "<figcaption>Heads, denoising (attribution)</figcaption><svg" in page
    found = find_circuit(analysed / "first", FEW, name="one")
    assert headings(owner.page("/explain/first")) == ["first", "attribution", "circuit-one"]
    alone = owner.page("/circuit/first/circuit/one")
    assert headings(alone) == ["circuit-one"]
    assert ' / <a href="/explain/first">' in alone
    assert f"1 of {found.sites} sites ({found.circuit[0]})" in alone


def test_a_drift_has_its_curves(tmp_path: Path) -> None:
    checkpoints = name_checkpoints([str(model) for model in make_checkpoints(tmp_path)], "threads=1,backend=torch")
    suite = make_soup_suite(tmp_path / "suite", 8)
    measure_drift(checkpoints, [suite], tmp_path / "moved", DriftSettings(top=3, limit=8), Silent())
    page = open_site(tmp_path).visit().page("/drift/moved")
    assert headings(page) == ["checkpoints", "behaviour", "sites", "inside", "weights", "crossing"]
    assert "<figcaption>suite: paired accuracy</figcaption><svg" in page
