"""The eight invariants: which apply to whom, and that each refuses a model that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.families import BERT
from constraintsuite.mechanism.invariants import INVARIANTS, ModelTrial, check_invariant
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import _returns_tensors, load_model
from constraintsuite.mechanism.patching import patches as stacking
from mechanism.models import TINY, make_tiny

SubjectOf = Callable[[str], LoadedModel]
NO_TYPES = {6}
DECODERS = {4, 6}
ABSENT = {
    "bert": set(),
    "deberta": set(),
    "electra": set(),
    "t5": {3, 4, 6},
    **dict.fromkeys(("gemma", "llama", "mistral", "modernbert-mean", "qwen2", "qwen3"), DECODERS),
}


@pytest.mark.parametrize("kind", TINY)
def test_all_that_apply_hold_and_the_others_say_why(kind: str, model_of: SubjectOf) -> None:
    outcomes = model_of(kind).invariants
    assert [outcome.number for outcome in outcomes] == [1, 2, 3, 4, 5, 6, 7, 8]
    absent = {outcome.number: outcome.detail for outcome in outcomes if outcome.status == "not applicable"}
    assert set(absent) == ABSENT.get(kind, NO_TYPES)
    assert all(absent.values())
    assert all(outcome.difference is not None for outcome in outcomes if outcome.status == "passed")


def scaled_head(model: LoadedModel) -> LoadedModel:
    model.module.classifier.weight *= 1.01
    return model


def trained(model: LoadedModel) -> LoadedModel:
    model.module.train()  # dropout draws anew in each pass
    return model


def wrong_place(model: LoadedModel) -> LoadedModel:
    return replace(model, family=replace(BERT, embeddings="bert.embeddings.token_type_embeddings"))


def mean_pooled(model: LoadedModel) -> LoadedModel:
    model.module.bert.pooler.register_forward_pre_hook(lambda _, given: (given[0].mean(dim=1, keepdim=True),))
    return model


def rows_that_meet(model: LoadedModel) -> LoadedModel:
    model.module.bert.pooler.register_forward_pre_hook(
        lambda _, given: (given[0] - given[0].mean(dim=0, keepdim=True),)
    )
    return model


def one_type(model: LoadedModel) -> LoadedModel:
    model.module.bert.embeddings.token_type_embeddings.weight[1] = (
        model.module.bert.embeddings.token_type_embeddings.weight[0]
    )
    return model


def no_mask(model: LoadedModel) -> LoadedModel:
    model.module.register_forward_pre_hook(
        lambda _, given, named: (given, {**named, "attention_mask": None}), with_kwargs=True
    )
    return model


@pytest.mark.parametrize(
    ("number", "broken"),
    [
        (1, scaled_head),
        (2, trained),
        (3, wrong_place),
        (4, mean_pooled),
        (5, rows_that_meet),
        (6, one_type),
        (7, no_mask),
        (8, trained),
    ],
)
def test_each_refuses_a_model_that_breaks_it(
    number: int, broken: Callable[[LoadedModel], LoadedModel], tmp_path: Path
) -> None:
    folder = make_tiny("bert", tmp_path)
    whole = load_model(f"cross:{folder},threads=1")
    (invariant,) = [one for one in INVARIANTS if one.number == number]
    with torch.no_grad():
        assert check_invariant(invariant, ModelTrial(whole, folder, trust=False)).status == "passed"
        trial = ModelTrial(broken(whole), folder, trust=False)
        with pytest.raises(UserError, match=rf"invariant {number} does not hold: {invariant.name}. .* apart"):
            check_invariant(invariant, trial)


def test_what_analyses_run_is_what_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_tiny("bert", tmp_path)
    trial = ModelTrial(load_model(f"cross:{folder},threads=1"), folder, trust=False)
    monkeypatch.setattr(stacking._Writer, "write", lambda _writer, _whole: None)
    (invariant,) = [one for one in INVARIANTS if one.number == 5]
    with torch.no_grad(), pytest.raises(UserError, match="stacked interventions give what each gives alone"):
        check_invariant(invariant, trial)


def test_a_pass_that_fails_while_loading_leaves_no_hook(tmp_path: Path) -> None:
    model = load_model(f"cross:{make_tiny('bert', tmp_path)},threads=1")
    breaks = model.module.classifier.register_forward_pre_hook(_fail)
    with pytest.raises(KeyError):
        _returns_tensors(model)
    breaks.remove()
    assert not any(module._forward_hooks for module in model.module.modules())


def _fail(_module: torch.nn.Module, _given: object) -> None:
    raise KeyError


def test_a_model_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    folder = make_tiny("bert", tmp_path)
    weights = load_file(folder / "model.safetensors")
    weights["bert.embeddings.token_type_embeddings.weight"][:] = 0.0
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match="invariant 6 does not hold: leaving the types of tokens out changes the score"):
        load_model(f"cross:{folder},threads=1")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("bm25", "only rerankers that read query and text together"),
        ("dense:{}", "only rerankers"),
        ("cross:{},precision=bf16", "with torch, in fp32"),
        ("cross:{},backend=onnx", "with torch, in fp32"),
    ],
)
def test_other_models_are_refused(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=reason):
        load_model(name.format(tmp_path))


def test_a_family_that_is_not_known_is_refused(tmp_path: Path) -> None:
    folder = make_tiny("bert", tmp_path)
    config = folder / "config.json"
    config.write_text(config.read_text().replace('"model_type": "bert"', '"model_type": "xlnet"'))
    with pytest.raises(UserError, match=r"models of type 'xlnet' keep their heads is not known here. Known: bert"):
        load_model(f"cross:{folder}")


def test_a_prompt_before_queries_is_refused(tmp_path: Path) -> None:
    folder = make_tiny("bert", tmp_path)
    (folder / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "find: "}, "default_prompt_name": "query"}'
    )
    with pytest.raises(UserError, match="prompt before each query"):
        load_model(f"cross:{folder}")


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ("bert.encoder.layer.1.output.dense.weight", "numbers at L1.mlp are"),
        ("bert.encoder.layer.2.attention.self.value.weight", "numbers at L2.H0, L2.H1, L2.H2, L2.H3 are"),
        ("classifier.bias", "after the last block"),
    ],
)
def test_where_a_number_is_none_first_is_said_at_load(tmp_path: Path, weight: str, words: str) -> None:
    folder = make_tiny("bert", tmp_path)
    weights = load_file(folder / "model.safetensors")
    weights[weight] = torch.full_like(weights[weight], torch.nan)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=words):
        load_model(f"cross:{folder},threads=1")
