"""An analysis that is driven from a machine on which its model cannot run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.explain.request import AnalysisScope
from mechanism.analyses import attribute, patch
from mechanism.planted import make_planted
from mechanism.uneven import named
from models.elsewhere import starting_elsewhere

SCOPE = AnalysisScope(sites=("mlp",))
MODEL = "cross:model,threads=1"


def test_workers_are_asked_what_the_model_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine seems to have a graphics card, on which nothing could run; the worker begins in another folder."""
    make_planted(tmp_path / "model", noise=0.05)
    monkeypatch.chdir(tmp_path)
    source, guide = Path("contrasts.jsonl"), Path("guide")
    write_jsonl(source, named(12))
    attribute(source, MODEL, guide, SCOPE, Silent())
    alone = patch(source, MODEL, tmp_path / "alone", SCOPE, Silent(), guide=guide)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    (tmp_path / "elsewhere").mkdir()
    with starting_elsewhere(tmp_path / "elsewhere") as engine:
        without = replace(engine, lacks=tmp_path / "model")
        with pytest.raises(UserError, match=rf"^On .*: No model '{tmp_path}/model': there is no such folder"):
            patch(source, MODEL, tmp_path / "spread", SCOPE, Silent(), guide=guide, engine=without)
        spread = patch(source, MODEL, tmp_path / "spread", SCOPE, Silent(), guide=guide, engine=engine)
    assert spread.manifest == alone.manifest
    assert json.loads((spread.path / "subject.json").read_text())["name"] == MODEL
