from __future__ import annotations

import numpy as np
import torch

from constraintsuite.core.statistics.significance import max_t
from constraintsuite.mechanism.circuits.ranking import untrained_model, without_rounding
from constraintsuite.mechanism.loaded_model import LoadedModel


def test_rounding_is_no_effect() -> None:
    effects = np.column_stack([np.full(20, 1e-7), np.full(20, 0.5)])
    found = max_t(without_rounding(effects, 1e-5), np.arange(20), rng=np.random.default_rng(0))
    assert found.t[0] == 0
    assert found.p[0] == 1
    assert found.p[1] < 0.001


def test_a_untrained_model_has_the_shape_and_nothing_of_the_weights(planted: LoadedModel) -> None:
    before = {name: weight.clone() for name, weight in planted.module.named_parameters()}
    state = torch.random.get_rng_state()
    untrained = untrained_model(planted, 3)
    assert {name: weight.shape for name, weight in untrained.module.named_parameters()} == {
        name: weight.shape for name, weight in before.items()
    }
    inputs = planted.inputs([("soup without leeks", "a bowl of soup")])
    assert not torch.allclose(untrained.scores(inputs), planted.scores(inputs))
    assert torch.equal(untrained.scores(inputs), untrained_model(planted, 3).scores(inputs))
    assert not torch.equal(untrained.scores(inputs), untrained_model(planted, 4).scores(inputs))
    assert all(torch.equal(weight, before[name]) for name, weight in planted.module.named_parameters())
    assert torch.equal(state, torch.random.get_rng_state())
    assert not any(weight.requires_grad for weight in untrained.module.parameters())
    assert untrained.fingerprint != planted.fingerprint
