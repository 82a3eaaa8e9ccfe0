"""Where heads look: shares of attention add up, and the planted head looks at the cue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.attention import AttentionShare, measure_attention
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, tokenise
from constraintsuite.mechanism.loaded_model import LoadedModel
from mechanism.planted import PLANTED, planted_contrasts


def contrasts_of(model: LoadedModel) -> tuple[TokenContrast, ...]:
    return tokenise(planted_contrasts(6), model.classifier.tokenization).contrasts


def value(looks: list[AttentionShare], site: str, of: str, to: str) -> float:
    (share,) = [one.share.value for one in looks if (one.site, one.of, one.to) == (site, of, to)]
    assert share is not None
    return share


@pytest.mark.parametrize("kind", ["bert", "modernbert", "qwen3"])
def test_all_attention_of_a_role_goes_somewhere(model_of: Callable[[str], LoadedModel], kind: str) -> None:
    model = model_of(kind)
    sums: dict[tuple[str, str], float] = defaultdict(float)
    for one in measure_attention(model, contrasts_of(model)):
        assert one.share.value is not None
        sums[one.site, one.of] += one.share.value
    assert len(sums) >= 2 * model.layers * model.heads
    assert list(sums.values()) == pytest.approx([1.0] * len(sums), abs=1e-5)


def test_shares_are_those_of_the_librarys_own_attentions(model_of: Callable[[str], LoadedModel]) -> None:
    model = model_of("bert")
    contrasts = contrasts_of(model)[:1]
    contrast = contrasts[0].contrast
    pairs = [(pair.query.text, pair.text.text) for pair in (contrast.better, contrast.worse)]
    before = model.module.config._attn_implementation
    model.module.set_attn_implementation("eager")
    with torch.no_grad():
        given = model.module(**model.inputs(pairs), output_attentions=True).attentions
    model.module.set_attn_implementation(before)
    cue = 2  # [CLS] topic cue thing [SEP] ...
    expected = given[1][:, 3, 0, cue].mean().item()
    assert value(measure_attention(model, contrasts), "L1.H3", "cls", "q_cue") == pytest.approx(expected, abs=1e-6)


def test_the_planted_head_looks_from_the_first_token_at_the_cue(planted: LoadedModel) -> None:
    looks = measure_attention(planted, contrasts_of(planted))
    # In the row of the better text, which lacks the thing; in the other one it looks at the thing itself.
    assert value(looks, PLANTED, "cls", "q_cue") == pytest.approx(0.5, abs=0.01)
    assert value(looks, PLANTED, "cls", "d_y") == pytest.approx(0.5, abs=0.01)
    assert value(looks, "L0.H0", "cls", "q_cue") < 0.2


def test_a_family_without_weights_in_reach_is_refused(model_of: Callable[[str], LoadedModel]) -> None:
    model = model_of("t5")
    with pytest.raises(UserError, match="cannot be reached"):
        measure_attention(model, contrasts_of(model))


def test_bounds_of_shares_are_shares(model_of: Callable[[str], LoadedModel]) -> None:
    model = model_of("bert")  # six contrasts are few, so that bounds are Student's
    bounds = [(one.share.low, one.share.high) for one in measure_attention(model, contrasts_of(model))]
    assert all(low is not None and high is not None and 0 <= low <= high <= 1 for low, high in bounds)


def test_no_contrast_at_all_is_refused(planted: LoadedModel) -> None:
    with pytest.raises(UserError, match="and there are none"):
        measure_attention(planted, [])
