"""On a GPU every family gives what it gives on the processor."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from models.torch.test_families import PAIRS
from models.torch.tiny_folders import MAKERS

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


@pytest.mark.parametrize("family", MAKERS)
def test_a_gpu_gives_what_the_processor_gives(family: str, tmp_path: Path) -> None:
    model = MAKERS[family](tmp_path, 0)
    there, here = (load_scorer(f"{model},device={device}", Workbench()).score(PAIRS) for device in ("cuda", "cpu"))
    assert there.tolist() == pytest.approx(here.tolist(), abs=1e-4)
