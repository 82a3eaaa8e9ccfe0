"""A contrast that breaks the model is left out, named and counted, and the others are asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.contrasts.records import Marked, MarkedContrast
from constraintsuite.mechanism.explain import analysis
from constraintsuite.mechanism.explain.folder import load_explained
from constraintsuite.mechanism.explain.request import AnalysisScope
from constraintsuite.mechanism.explain.verify import verify
from mechanism.analyses import ablate, attribute, patch
from mechanism.planted import make_planted
from mechanism.uneven import named
from models.odd_words import add_word

SCOPE = AnalysisScope(sites=("mlp",))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One that has no numbers for the word zebra."""
    folder = make_planted(tmp_path_factory.mktemp("model") / "model", noise=0.05)
    add_word(folder, "zebra", None)
    return f"cross:{folder},threads=1"


@pytest.fixture
def contrasts(tmp_path: Path) -> Path:
    """Twelve, of which the fifth is about a zebra."""
    some = named(12)
    some[4] = _with_zebra(some[4])
    write_jsonl(tmp_path / "contrasts.jsonl", some)
    return tmp_path / "contrasts.jsonl"


def _with_zebra(one: MarkedContrast) -> MarkedContrast:
    better, corrupt = (
        replace(pair, text=Marked(f"{pair.text.text} zebra")) for pair in (one.better, one.better_corrupt)
    )
    return replace(one, better=better, better_corrupt=corrupt)


@pytest.mark.parametrize("analyse", [attribute, patch])
def test_it_is_left_out_named_and_counted(
    analyse: Callable[..., Artifact], model: str, contrasts: Path, tmp_path: Path
) -> None:
    made = analyse(contrasts, model, tmp_path / "out", SCOPE, Silent())
    assert made.manifest.rejects == {"unworkable": 1}
    assert made.manifest.counts["contrasts"] == 11
    explained = load_explained(made.path)
    assert "planted-4" not in {one.id for one in explained.contrasts}
    assert {one.clean_margin.n for one in explained.summary.baselines} == {11}
    (event,) = json.loads((made.path / "environment.json").read_text())["events"]
    assert event.startswith("left out planted-4: IndexError (")
    assert verify(made.path) == []


def test_a_shard_of_nothing_else_has_no_rows(
    model: str, contrasts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = patch(contrasts, model, tmp_path / "together", SCOPE, Silent())
    monkeypatch.setattr(analysis, "_PASSES", 1)  # a shard for each contrast
    single = patch(contrasts, model, tmp_path / "single", SCOPE, Silent())
    assert len(list((single.path / "effects").iterdir())) == 12
    assert (single.manifest.counts, single.manifest.rejects) == (together.manifest.counts, together.manifest.rejects)


def test_an_ablation_leaves_it_out_where_nothing_is_taken_from_it(model: str, contrasts: Path, tmp_path: Path) -> None:
    made = ablate(contrasts, model, tmp_path / "zero", SCOPE, Silent(), kinds=["zero"])
    assert made.manifest.rejects == {"unworkable": 1}


def test_means_over_it_there_are_none(model: str, contrasts: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"breaks at one of the contrasts over which means are taken \(IndexError"):
        ablate(contrasts, model, tmp_path / "mean", SCOPE, Silent(), kinds=["mean"])


def test_where_many_break_it_nothing_is_held_against_them(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "contrasts.jsonl"
    write_jsonl(source, named(6))
    monkeypatch.setattr(analysis, "_PASSES", 1)

    def fail(*_: object) -> Sequence[object]:
        raise RuntimeError("CUDA error: unspecified launch failure")

    with monkeypatch.context() as broken:
        broken.setattr("constraintsuite.mechanism.explain.analysis.patch_contrasts", fail)
        with pytest.raises(UserError, match=r"breaks at 6 of 6 contrasts, among them 'planted-0' \(RuntimeError"):
            patch(source, model, tmp_path / "out", SCOPE, Silent())
    made = patch(source, model, tmp_path / "out", SCOPE, Silent())
    assert (made.manifest.counts["contrasts"], made.manifest.rejects) == (6, {})
