from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import constraintsuite as cs
from experiments.tiny_suite import write_suite


@pytest.mark.parametrize(
    ("own", "name", "expected"),
    [
        ({}, None, "SimpleNamespace"),
        ({}, "mine", "mine"),
        ({"name": "theirs"}, None, "theirs"),
        ({"name": "theirs"}, "mine", "mine"),
        ({"name": 7}, None, "SimpleNamespace"),
        ({"name_or_path": "models/ours", "name": "theirs"}, None, "models/ours"),
        ({"transformers_model": SimpleNamespace(name_or_path="owner/base")}, None, "owner/base"),
        ({"model_card_data": SimpleNamespace(model_id="owner/tuned"), "name_or_path": "out"}, None, "owner/tuned"),
        ({"model_card_data": SimpleNamespace(model_id=None, base_model="owner/base")}, None, "owner/base"),
    ],
)
def test_a_run_goes_by_the_name_it_is_given_or_by_what_the_object_calls_itself(
    tmp_path: Path, own: dict[str, object], name: str | None, expected: str
) -> None:
    model = SimpleNamespace(score=lambda pairs: [len(text) for _, text in pairs], **own)
    run = cs.evaluate(model, write_suite(tmp_path / "suite"), tmp_path, name=name, quiet=True)
    assert run.model == f"python:{expected}"
    assert json.loads((run.path / "model.json").read_text()) == {"called": "from Python", "method": "score"}
