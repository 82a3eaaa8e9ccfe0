"""What analyses are made of: the planted model and its contrasts in a folder."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.explain.request import AnalysisScope
from mechanism.analyses import attribute
from mechanism.planted import make_planted
from mechanism.uneven import named

WIDE = AnalysisScope(sites=("head", "mlp", "residual"), roles=("all", "q_cue"))


class Given:
    """A model, contrasts, and what was made of them."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.model = f"cross:{make_planted(folder / 'model', noise=0.05)},threads=1"
        self.contrasts = folder / "contrasts.jsonl"
        write_jsonl(self.contrasts, named(count))
        self.attributed = attribute(self.contrasts, self.model, folder / "attributed", WIDE, Silent())
