from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from constraintsuite.models.torch.firsttoken import ARCHITECTURES, read_first_token_only

if TYPE_CHECKING:
    from torch.nn import Module

torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
transformers = pytest.importorskip("transformers", reason="the extra [torch] is not installed")

IDS = torch.tensor([[2, 7, 3, 9, 8, 3], [2, 5, 3, 6, 0, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]])
KINDS = {
    "bert": "Bert",
    "electra": "Electra",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "camembert": "Camembert",
}


def make(kind: str) -> Module:
    torch.manual_seed(3)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=12,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        pad_token_id=0,
        num_labels=1,
        initializer_range=0.5,
    )
    return getattr(transformers, f"{kind}ForSequenceClassification")(config).eval()


def scores(model: Module) -> list[float]:
    with torch.inference_mode():
        found: list[float] = model(input_ids=IDS, attention_mask=MASK).logits[:, 0].tolist()
        return found


def test_each_architecture_is_tried_here() -> None:
    assert set(KINDS) == ARCHITECTURES


@pytest.mark.parametrize("kind", KINDS.values())
def test_the_first_token_alone_gives_the_same_scores(kind: str) -> None:
    model = make(kind)
    whole = scores(model)
    assert read_first_token_only(model)
    assert scores(model) == pytest.approx(whole, abs=1e-5)


def test_the_last_layer_computes_one_token() -> None:
    model = make("Bert")
    read_first_token_only(model)
    shapes: list[tuple[int, ...]] = []
    model.bert.encoder.layer[-1].register_forward_hook(lambda _module, _inputs, output: shapes.append(output.shape))
    scores(model)
    assert shapes == [(2, 1, 16)]


def test_a_model_that_reads_all_tokens_is_left_as_it_is() -> None:
    model = make("Bert")
    # The pooler takes the mean where it would take the first token.
    model.bert.pooler.register_forward_pre_hook(lambda _module, inputs: (inputs[0].mean(dim=1, keepdim=True),))
    whole = scores(model)
    assert not read_first_token_only(model)
    assert scores(model) == whole


def test_other_architectures_are_left_as_they_are() -> None:
    model = transformers.DistilBertForSequenceClassification(
        transformers.DistilBertConfig(vocab_size=12, dim=16, n_layers=1, n_heads=2, hidden_dim=32, num_labels=1)
    )
    assert not read_first_token_only(model)
