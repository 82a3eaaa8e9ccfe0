"""`csuite memory feedback`, `state`, `snapshot` and `restore`: what changes between searches."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.cli.memory.moments import moment
from constraintsuite.cli.memory.options import file_type, graph_argument, json_option, state_option, state_place
from constraintsuite.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.memory.state.state import MemoryState


@click.command()
@graph_argument
@click.argument("units", nargs=-1, required=True)
@click.option(
    "--at", "now", required=True, metavar="TIME", help="When, as in 2026-03-01T09:30; `now` asks the machine."
)
@click.option(
    "--superseded-by", "newer", metavar="UNIT", help="UNITS gave way to this one: found only as of earlier times."
)
@state_option
@json_option
def feedback(
    graph: Path, units: tuple[str, ...], now: str, newer: str | None, state_file: Path | None, as_json: bool
) -> None:
    """Confirm that UNITS of GRAPH were right: the one thing that strengthens a memory."""
    from constraintsuite.memory.folder import open_memory
    from constraintsuite.memory.state.clock import Clock
    from constraintsuite.memory.state.file import updating
    from constraintsuite.memory.state.state import MemoryState

    known = open_memory(graph).graph.unit_numbers
    unknown = [unit for unit in (*units, *([newer] if newer else ())) if unit not in known]
    if unknown:
        raise UserError(f"{graph}: no unit has the id {unknown[0]!r}. `csuite memory show {graph}` lists documents.")
    at = moment(now)
    place = state_place(graph, state_file)
    with updating(place, MemoryState(Clock(at))) as state:
        state.clock.move_to(at)
        if newer is None:
            state.confirm(units)
        else:
            for unit in units:
                state.supersede(unit, newer)
        record = _record(state, units)
    _tell(place, record, as_json)  # what is said to be confirmed is on the disk


@click.command("state")
@graph_argument
@state_option
@click.option("--at", "now", metavar="TIME", help="As of this time, or `now`.  [default: that of the last feedback]")
@json_option
def state(graph: Path, state_file: Path | None, now: str | None, as_json: bool) -> None:
    """Say what was confirmed, how strong it is at a time, and what gave way to what."""
    place = state_place(graph, state_file)
    found = _load(place)
    if now is not None:
        found.clock.move_to(moment(now))
    _tell(place, _record(found, sorted(found.strengths())), as_json)


@click.command()
@graph_argument
@state_option
@click.option("--out", type=file_type, required=True, help="File to write; one that is there is never replaced.")
@json_option
def snapshot(graph: Path, state_file: Path | None, out: Path, as_json: bool) -> None:
    """Keep a copy of the state of GRAPH, to restore it later or to try something out on it."""
    _copy(state_place(graph, state_file), out, "snapshot", as_json, replace=False)


@click.command()
@graph_argument
@click.argument("file", type=file_type)
@state_option
@json_option
def restore(graph: Path, file: Path, state_file: Path | None, as_json: bool) -> None:
    """Put the state of GRAPH back to the copy in FILE; what was confirmed since is gone."""
    _copy(file, state_place(graph, state_file), "restored", as_json, replace=True)


def _load(place: Path) -> MemoryState:
    from constraintsuite.memory.state.file import load_state

    if not place.exists():
        raise UserError(f"{place}: nothing was confirmed yet. Begin with: csuite memory feedback GRAPH UNIT --at TIME")
    return load_state(place)


def _copy(source: Path, target: Path, done: str, as_json: bool, *, replace: bool) -> None:
    from constraintsuite.memory.state.file import save_state
    from constraintsuite.store.files import folder_lock

    found = _load(source)  # read whole, so that a file that is cut short is never copied
    with folder_lock(target.with_name(f".{target.name}.lock")):
        if not replace and target.exists():
            raise UserError(f"{target}: this file is there already, and may be your only copy. Choose another --out.")
        save_state(target, found)
    events = len(found.snapshot().events)
    line = f"{done}: {target}, {events} events, as of {found.clock.now.isoformat()}"
    click.echo(
        json.dumps({done: str(target), "events": events, "now": found.clock.now.isoformat()}) if as_json else line
    )


def _record(state: MemoryState, units: tuple[str, ...] | list[str]) -> dict[str, Any]:
    return {
        "now": state.clock.now.isoformat(),
        "events": len(state.snapshot().events),
        "units": {unit: {"strength": state.strength(unit), "lifecycle": state.lifecycle(unit)} for unit in units},
        "superseded": state.superseded(),
    }


def _tell(place: Path, record: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"state": str(place), **record}, indent=2, ensure_ascii=False))
        return
    click.echo(f"{place}: {record['events']} events, as of {record['now']}")
    for unit, found in record["units"].items():
        click.echo(f"  {unit}: {found['lifecycle']}, strength {found['strength']:.3f}")
    for older, newer in record["superseded"].items():
        click.echo(f"  {older} gave way to {newer}")
