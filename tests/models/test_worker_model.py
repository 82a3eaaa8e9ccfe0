"""Models that go to workers elsewhere: found by whole paths, and known by the fingerprint that they have there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.experiments.run import evaluate_suite
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.worker_model import WorkerSpec, make_worker_spec, with_absolute_paths
from constraintsuite.vectors.embed import embed_bundle
from experiments.tiny_suite import write_suite
from models.elsewhere import Elsewhere, starting_elsewhere
from models.onnx.tiny_transformers import save_cross, save_encoder
from tiny_bundle import make_bundle, save_model


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    with starting_elsewhere(tmp_path_factory.mktemp("elsewhere")) as engine:
        yield engine


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("dense:models/x", "dense:{here}/models/x"),
        ("dense:models/x,length=8,threads=1", "dense:{here}/models/x,length=8,threads=1"),
        ("dense:{here}/models/x", "dense:{here}/models/x"),
        ("dense:all-MiniLM-L6-v2", "dense:all-MiniLM-L6-v2"),
        ("cross:owner/name", "cross:owner/name"),  # of the hub: there is no such folder
        ("dpr:models/x|models/y", "dpr:{here}/models/x|{here}/models/y"),
        ("dpr,query=models/x,document=owner/name", "dpr,query={here}/models/x,document=owner/name"),
        ("random", "random"),
    ],
)
def test_folders_that_are_here_become_whole_paths(here: Path, name: str, whole: str) -> None:
    for model in ("x", "y"):
        (here / "models" / model).mkdir(parents=True)
    assert with_absolute_paths(name.format(here=here)) == whole.format(here=here)


def test_on_this_machine_nothing_is_asked_or_changed(here: Path) -> None:
    save_model(here / "model")
    scorer = load_scorer("dense:model", Workbench())
    assert make_worker_spec("dense:model", scorer, LocalEngine(2)) == WorkerSpec("dense:model", scorer.fingerprint)


def test_what_counts_in_the_collection_stays_here(elsewhere: Elsewhere) -> None:
    scorer = load_scorer("bm25", Workbench(["soup"]))
    asked = len(elsewhere.asked)
    assert make_worker_spec("bm25", scorer, elsewhere) == WorkerSpec("bm25", scorer.fingerprint)
    assert len(elsewhere.asked) == asked


def test_a_run_of_workers_with_another_device_and_folder_is_theirs(
    here: Path, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This machine seems to have a graphics card, and the workers have none."""
    save_cross(here / "cross")
    suite, model = write_suite(here / "suite"), "cross:cross,backend=torch,threads=1"
    alone = evaluate_suite(suite, model, here / "alone", Silent())
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert load_scorer(model, Workbench()).fingerprint != alone.manifest.settings["scorer"]
    spread = evaluate_suite(suite, model, here / "spread", Silent(), engine=elsewhere)
    assert spread.manifest == alone.manifest


def test_so_are_vectors(here: Path, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    save_encoder(here / "model")
    model = "dense:model,backend=torch,threads=1"
    bundles = [make_bundle(here / name) for name in ("one", "two")]
    alone = embed_bundle(bundles[0], model, Silent(), shard_rows=11)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    spread = embed_bundle(bundles[1], model, Silent(), shard_rows=11, engine=elsewhere)
    assert spread.manifest == alone.manifest
    assert '"device": "cpu"' in (spread.path / "encoder.json").read_text()


def test_shards_of_another_device_are_not_gone_on_with(
    here: Path, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_cross(here / "cross")
    suite, model = write_suite(here / "suite"), "cross:cross,backend=torch,threads=1"
    left = here / "run" / "stages"
    left.mkdir(parents=True)
    (here / "run" / ".working").write_text("of a graphics card")
    (left / "00000.outcome.json").write_text("{}")
    spread = evaluate_suite(suite, model, here / "run", Silent(), engine=elsewhere)
    assert spread.manifest == evaluate_suite(suite, model, here / "alone", Silent()).manifest


def test_a_node_that_lacks_the_folder_says_so(here: Path, elsewhere: Elsewhere) -> None:
    save_model(here / "model")
    scorer = load_scorer("dense:model", Workbench())
    engine = replace(elsewhere, lacks=here / "model")
    with pytest.raises(UserError, match=rf"^On .*: No model '{here}/model': there is no such folder"):
        make_worker_spec("dense:model", scorer, engine)
