"""`csuite memory search`: the best units within a budget, and how they were reached."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.app.cli.arguments import graph_argument
from constraintsuite.app.cli.memory.resources import state_place, vector_cache
from constraintsuite.app.cli.options import at_option, budget_option, encoder_option, json_option, state_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE
from constraintsuite.core.errors import UserError, first_of

if TYPE_CHECKING:
    from constraintsuite.memory.graph import MemoryGraph
    from constraintsuite.memory.memory import Memory
    from constraintsuite.memory.results import SearchAnswer
    from constraintsuite.memory.state import MemoryState

_WIDTH = 100
_SHOWN = 12


@click.command()
@graph_argument
@click.argument("query")
@click.option("--mode", default="ppr", show_default=True, help="How to search; `csuite memory modes` lists the modes.")
@budget_option
@encoder_option
@state_option
@at_option()
@click.option("--explain", is_flag=True, help="Also print paths, the trace, and the parts of each score.")
@click.option("--html", type=FILE, help="Draw the graph around the answer into this file.")
@json_option
def search(  # noqa: PLR0913, PLR0917 - one parameter per option
    graph: Path,
    query: str,
    mode: str,
    budget: int,
    encoder: str | None,
    state_file: Path | None,
    now: str | None,
    explain: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Search GRAPH for the units that answer QUERY.

    With a state (--state, or --at for the one next to the graph), only units that are valid at that time are found. In the
    dynamic modes, confirmed units count more. A search confirms nothing; `csuite memory feedback` does. With --encoder, the
    first search embeds every unit, which can take minutes. The vectors are cached for the next search.
    """
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.core.store.download import cache_folder
    from constraintsuite.memory.folder import open_memory
    from constraintsuite.memory.modes.base import load_mode
    from constraintsuite.models.base import Workbench
    from constraintsuite.models.dense import load_encoder

    reporter = Terminal()
    state = _state(graph, state_file, now)
    model = load_encoder(encoder, Workbench(reporter=reporter)) if encoder else None
    memory = open_memory(graph, model, cache=vector_cache() if encoder else None)
    bench = Workbench(cache=cache_folder() / "scores", reporter=reporter)
    chosen = load_mode(mode, memory, state=state, bench=bench)
    answer = chosen.search(query, budget)
    if html is not None:
        _draw(html, memory, answer, budget)
    lines = chain(
        _ranking(memory.graph, answer),
        _explanation(answer) if explain and answer.ranking else (),
        [f"Picture: {html}"] if html is not None else (),
    )
    emit(_record(memory.graph, answer, budget), as_json, lines)


def _state(graph: Path, given: Path | None, now: str | None) -> MemoryState | None:
    from constraintsuite.memory.state import Clock, MemoryState
    from constraintsuite.memory.state_file import load_state

    if given is None and now is None:
        return None
    place = state_place(graph, given)
    if given is None and now is not None and not place.exists():
        return MemoryState(Clock(now))
    state = load_state(place)
    if now is not None:
        state.clock.move_to(now)
    return state


def _draw(file: Path, memory: Memory, answer: SearchAnswer, budget: int) -> None:
    from constraintsuite.app.pages.walks.page import render_walk
    from constraintsuite.app.views.memory.picture import AROUND, picture_of
    from constraintsuite.core.store.files import write_text

    if file.suffix not in (".html", ".htm"):
        raise UserError(f"{file}: the picture is an HTML page. End the name in .html.")
    write_text(file, render_walk(picture_of(memory, answer, budget, AROUND)))


def _record(graph: MemoryGraph, answer: SearchAnswer, budget: int) -> dict[str, Any]:
    from constraintsuite.core.store.jsonl import adapter
    from constraintsuite.memory.results import SearchAnswer

    found = adapter(SearchAnswer).dump_python(answer, mode="json")
    texts = {unit.id: unit.text for unit in graph.units}
    for entry in found["ranking"]:
        entry["text"] = texts[entry["unit"]]
    return {"budget": budget, **found}


def _ranking(graph: MemoryGraph, answer: SearchAnswer) -> Iterator[str]:
    from constraintsuite.app.views.memory.picture import nothing_found

    if not answer.ranking:
        yield nothing_found(graph)
        return
    for found in answer.ranking:
        unit = graph.units[graph.number(found.unit)]
        above = f"  {' › '.join(unit.headings)}" if unit.headings else ""
        yield f"{found.rank:>3}. {found.unit}  {found.score:.4g}{above}"
        text = textwrap.shorten(" ".join(unit.text.split()), 3 * _WIDTH, placeholder=" …")
        yield textwrap.fill(text, _WIDTH, initial_indent="     ", subsequent_indent="     ")


def _explanation(answer: SearchAnswer) -> Iterator[str]:
    yield from _paths(answer)
    yield from _trace(answer)
    if answer.parts:
        yield "\nParts of each score"
        for unit, parts in answer.parts.items():
            yield f"  {unit}: " + ", ".join(f"{name} {value:.4g}" for name, value in parts.items())


def _paths(answer: SearchAnswer) -> Iterator[str]:
    from constraintsuite.app.views.memory.picture import path_text

    walked = [path for path in answer.paths if len(path.steps) > 1]
    if not walked:
        yield f"\nNo unit was reached through an edge: {answer.mode} found each of them directly."
        return
    yield "\nPaths, the best first (an arrow to the left was walked against its edge)"
    paths = [f"{path.score:.4g}  {path_text(path)}" for path in walked]
    yield from (f"  {line}" for line in first_of(paths, _SHOWN, "; --json lists all"))


def _trace(answer: SearchAnswer) -> Iterator[str]:
    from constraintsuite.app.views.memory.picture import trace_table

    if answer.trace:
        yield f"\n{trace_table(answer.trace[: 3 * _SHOWN])}"
    if len(answer.trace) > 3 * _SHOWN:
        yield f"and {len(answer.trace) - 3 * _SHOWN} more; --json lists all"
