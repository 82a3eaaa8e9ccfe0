"""What the options of memory commands name: encoders, caches, modes, cases, and the file of a state."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from constraintsuite.memory.cases.files import Grounded
    from constraintsuite.models.base import Workbench
    from constraintsuite.models.dense import DenseScorer

_BETWEEN_MODES = re.compile(r",(?![a-z_][a-z0-9_]*=)")


def load_encoder(model: str | None) -> DenseScorer | None:
    """Load the encoder that `--encoder` names, if it was given."""
    from constraintsuite.models import dense

    return dense.load_encoder(model) if model else None


def vector_cache() -> Path:
    """Where vectors of texts are kept between runs."""
    from constraintsuite.core.store.download import cache_folder

    return cache_folder() / "vectors"


def score_bench() -> Workbench:
    """Where models that rerank work: what they scored is kept between runs."""
    from constraintsuite.core.store.download import cache_folder
    from constraintsuite.models.base import Workbench

    return Workbench(cache=cache_folder() / "scores")


def named_modes(given: Sequence[str], *, encoder: bool) -> list[str]:
    """The modes that `--modes` names. A comma separates two modes, unless an option of a mode follows it."""
    from constraintsuite.memory.runs.modes import choose_modes

    names = [name.strip() for text in given for name in _BETWEEN_MODES.split(text) if name.strip()]
    return choose_modes(names, encoder=encoder)


def state_place(graph: Path, given: Path | None) -> Path:
    """The file of a memory's state: beside its folder, which holds documents alone, or here if that has a URL."""
    from constraintsuite.core.store.mirror import mirror_of

    beside = graph.parent if mirror_of(graph) is None else Path()
    return given or beside / f"{graph.resolve().name}.state.jsonl"


def open_datasets(names: Sequence[str], *, lenient: bool = False) -> list[Grounded]:
    """Bundled datasets by name, others by file; without any, all that are bundled."""
    from constraintsuite.memory.cases.files import FIXTURES, fixture_path, ground, read_cases

    chosen = names or FIXTURES
    paths = [
        Path(name) if "." in name or "/" in name or Path(name).is_file() else fixture_path(name) for name in chosen
    ]
    return [ground(read_cases(path, lenient=lenient)) for path in dict.fromkeys(paths)]
