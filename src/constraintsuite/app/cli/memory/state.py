"""`csuite memory feedback`, `state`, `snapshot` and `restore`: the state that changes between searches."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.app.cli.arguments import graph_argument
from constraintsuite.app.cli.memory.resources import state_place
from constraintsuite.app.cli.options import at_option, json_option, out_file_option, state_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE
from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.memory.state import MemoryState


@click.command()
@graph_argument
@click.argument("units", nargs=-1, required=True)
@at_option(required=True)
@click.option(
    "--superseded-by",
    "newer",
    metavar="UNIT",
    help="This unit replaces UNITS, which are then found only as of earlier times.",
)
@state_option
@json_option
def feedback(
    graph: Path, units: tuple[str, ...], now: str, newer: str | None, state_file: Path | None, as_json: bool
) -> None:
    """Confirm that UNITS of GRAPH were right. Nothing else strengthens a memory."""
    from constraintsuite.memory.folder import open_memory
    from constraintsuite.memory.state import Clock, MemoryState
    from constraintsuite.memory.state_file import locked_state

    known = open_memory(graph).graph.unit_numbers
    unknown = [unit for unit in (*units, *([newer] if newer else ())) if unit not in known]
    if unknown:
        raise UserError(f"{graph}: no unit has the id {unknown[0]!r}. `csuite show {graph}` lists documents.")
    place = state_place(graph, state_file)
    with locked_state(place, MemoryState(Clock(now))) as state:
        state.clock.move_to(now)
        if newer is None:
            state.confirm(units)
        else:
            for unit in units:
                state.supersede(unit, newer)
        record = _record(place, state, units)
    emit(record, as_json, _lines(record))  # after the block, so that what is printed is on the disk


@click.command("state")
@graph_argument
@state_option
@at_option(otherwise="the time of the last feedback")
@json_option
def state(graph: Path, state_file: Path | None, now: str | None, as_json: bool) -> None:
    """Show what was confirmed, how strong it is at a time, and which units were replaced."""
    place = state_place(graph, state_file)
    found = _load(place)
    if now is not None:
        found.clock.move_to(now)
    record = _record(place, found, sorted(found.strengths()))
    emit(record, as_json, _lines(record))


@click.command()
@graph_argument
@state_option
@out_file_option()
@json_option
def snapshot(graph: Path, state_file: Path | None, out: Path, as_json: bool) -> None:
    """Save a copy of the state of GRAPH, to restore it later or to experiment with it. It never replaces a file."""
    _copy(state_place(graph, state_file), out, "snapshot", as_json, replace=False)


@click.command()
@graph_argument
@click.argument("file", type=FILE)
@state_option
@json_option
def restore(graph: Path, file: Path, state_file: Path | None, as_json: bool) -> None:
    """Restore the state of GRAPH from the copy in FILE. Whatever was confirmed since is lost."""
    _copy(file, state_place(graph, state_file), "restored", as_json, replace=True)


def _load(place: Path) -> MemoryState:
    from constraintsuite.memory.state_file import load_state

    if not place.exists():
        raise UserError(f"{place}: nothing was confirmed yet. Begin with: csuite memory feedback GRAPH UNIT --at TIME")
    return load_state(place)


def _copy(source: Path, target: Path, done: str, as_json: bool, *, replace: bool) -> None:
    from constraintsuite.core.store.files import folder_lock
    from constraintsuite.memory.state_file import save_state

    found = _load(source)  # parsed as a whole, so that a truncated file is never copied
    with folder_lock(target.with_name(f".{target.name}.lock")):
        if not replace and target.exists():
            raise UserError(f"{target}: this file already exists, and may be your only copy. Choose another --out.")
        save_state(target, found)
    events = len(found.snapshot().events)
    line = f"{done}: {target}, {events} events, as of {found.clock.now.isoformat()}"
    emit({done: target, "events": events, "now": found.clock.now.isoformat()}, as_json, line)


def _record(place: Path, state: MemoryState, units: tuple[str, ...] | list[str]) -> dict[str, Any]:
    return {
        "state": place,
        "now": state.clock.now.isoformat(),
        "events": len(state.snapshot().events),
        "units": {unit: {"strength": state.strength(unit), "lifecycle": state.lifecycle(unit)} for unit in units},
        "superseded": state.superseded(),
    }


def _lines(record: dict[str, Any]) -> Iterator[str]:
    yield f"{record['state']}: {record['events']} events, as of {record['now']}"
    for unit, found in record["units"].items():
        yield f"  {unit}: {found['lifecycle']}, strength {found['strength']:.3f}"
    for older, newer in record["superseded"].items():
        yield f"  {older} was replaced by {newer}"
