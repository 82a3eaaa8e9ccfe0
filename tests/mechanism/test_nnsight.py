"""An independent library that also works on the untouched model, nnsight, agrees; skipped where it is not installed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from constraintsuite.mechanism.hooks import Edit, capturing, replacing
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.sites import Site
from mechanism.models import PAIRS

nnsight = pytest.importorskip("nnsight", reason="nnsight is not installed")


@pytest.mark.filterwarnings("ignore")  # its own affairs
@pytest.mark.parametrize("layer", [0, 1, 2])
@pytest.mark.parametrize("head", [0, 3])
def test_a_head_put_to_zero_gives_the_same_scores(
    layer: int, head: int, model_of: Callable[[str], LoadedModel]
) -> None:
    model, site = model_of("distilbert"), Site(layer, "head", head)
    inputs = model.inputs(PAIRS)
    with torch.no_grad():
        with capturing(model, [site]) as seen:
            usual = model.scores(inputs)
        where = torch.ones(seen[site].shape[:2], dtype=torch.bool)
        with replacing(model, [Edit(site, torch.arange(len(PAIRS)), torch.zeros_like(seen[site]), where)]):
            ours = model.scores(inputs)
        watched = nnsight.NNsight(model.module)
        with watched.trace(**inputs):
            projection = watched.distilbert.transformer.layer[layer].attention.out_lin
            projection.input[:, :, head * 4 : (head + 1) * 4] = 0
            theirs = watched.classifier.output.save()
    assert not torch.allclose(ours, usual, atol=1e-3)
    torch.testing.assert_close(ours, theirs[:, 0], rtol=0, atol=1e-6)
