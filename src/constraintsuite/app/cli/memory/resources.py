"""Loads what the options of memory commands name: encoders, caches, modes, cases, and the file of a state."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from constraintsuite.app.cli.output import count_lines, emit

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
    """Return the folder where vectors of texts are cached between runs."""
    from constraintsuite.core.store.download import cache_folder

    return cache_folder() / "vectors"


def score_bench() -> Workbench:
    """Return a workbench for models that rerank; their scores are cached between runs."""
    from constraintsuite.core.store.download import cache_folder
    from constraintsuite.models.base import Workbench

    return Workbench(cache=cache_folder() / "scores")


def named_modes(given: Sequence[str], *, encoder: bool) -> list[str]:
    """Return the modes that `--modes` names. A comma separates two modes, unless an option of a mode follows it."""
    from constraintsuite.memory.runs.modes import choose_modes

    names = [name.strip() for text in given for name in _BETWEEN_MODES.split(text) if name.strip()]
    return choose_modes(names, encoder=encoder)


def emit_forecast(record: Mapping[str, object], as_json: bool) -> None:
    """Print what a run would do: one line per number or list."""
    counts = {name: value for name, value in record.items() if isinstance(value, int)}
    lists = {name: value for name, value in record.items() if isinstance(value, list | dict)}
    lines = [f"{name}: {', '.join(map(str, value))}" for name, value in lists.items()]
    emit(record, as_json, [*count_lines(counts), *lines])


def state_place(graph: Path, given: Path | None) -> Path:
    """Return the file of a memory's state: next to its folder, or in the current folder if the memory has a URL."""
    from constraintsuite.core.store.mirror import mirror_of

    folder = graph.parent if mirror_of(graph) is None else Path()
    return given or folder / f"{graph.resolve().name}.state.jsonl"


def open_datasets(names: Sequence[str], *, lenient: bool = False) -> list[Grounded]:
    """Open bundled datasets by name and others by file; without names, all bundled ones."""
    from constraintsuite.memory.cases.files import FIXTURES, fixture_path, ground, read_cases

    chosen = names or FIXTURES
    paths = [
        Path(name) if "." in name or "/" in name or Path(name).is_file() else fixture_path(name) for name in chosen
    ]
    return [ground(read_cases(path, lenient=lenient)) for path in dict.fromkeys(paths)]
