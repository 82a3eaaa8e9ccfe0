"""Options that several commands share, and what they name."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.places import FOLDER, OUT

if TYPE_CHECKING:
    from constraintsuite.models.base import Workbench
    from constraintsuite.models.dense import DenseScorer

_BETWEEN_MODES = re.compile(r",(?![a-z_][a-z0-9_]*=)")
file_type = click.Path(path_type=Path, dir_okay=False)
graph_argument = click.argument("graph", type=FOLDER)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
encoder_option = click.option(
    "--encoder", metavar="MODEL", help="For modes with vectors, such as dense:all-MiniLM-L6-v2."
)
modes_option = click.option(
    "--modes",
    multiple=True,
    default=("all",),
    show_default=True,
    help="Parted by commas; `csuite memory modes` lists them.",
)
budget_option = click.option(
    "--budget",
    "budgets",
    multiple=True,
    type=click.IntRange(min=1),
    default=(10,),
    show_default=True,
    help="Units that every mode may return; repeatable.",
)
repeats_option = click.option(
    "--repeats",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="How often a search is made again for warm times; with 0 a gate has no times to judge.",
)
report_option = click.option("--report", type=OUT, help="Also write a page with tables to this folder.")
state_option = click.option(
    "--state", "state_file", type=file_type, help="File of the state.  [default: GRAPH.state.jsonl]"
)


def load_encoder(model: str) -> DenseScorer:
    """The encoder that a model string names; only now is anything of it imported."""
    from constraintsuite.models import encoders

    return encoders.load_encoder(model)


def vector_cache() -> Path:
    """Where vectors of texts are kept between runs."""
    from constraintsuite.store.download import cache_folder

    return cache_folder() / "vectors"


def score_bench() -> Workbench:
    """Where models that rerank work: what they scored is kept between runs."""
    from constraintsuite.models.base import Workbench
    from constraintsuite.store.download import cache_folder

    return Workbench(cache=cache_folder() / "scores")


def named_modes(given: Sequence[str], *, encoder: bool) -> list[str]:
    """The modes that `--modes` names; a comma parts two of them, unless an option of a mode stands behind it."""
    from constraintsuite.memory.runs.selection import choose_modes

    names = [name.strip() for text in given for name in _BETWEEN_MODES.split(text) if name.strip()]
    return choose_modes(names, encoder=encoder)


def state_place(graph: Path, given: Path | None) -> Path:
    """The file of a memory's state: beside its folder, which holds documents alone, or here if that has a URL."""
    from constraintsuite.store.mirror import mirror_of

    beside = graph.parent if mirror_of(graph) is None else Path()
    return given or beside / f"{graph.resolve().name}.state.jsonl"
