"""A state on disk: one file of JSON lines next to its graph, always replaced as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from constraintsuite.core.errors import UserError, prefixed_errors
from constraintsuite.core.store.files import folder_lock, sha256_text
from constraintsuite.core.store.jsonl import adapter, describe, encode, write_jsonl
from constraintsuite.memory.records import parse_time
from constraintsuite.memory.state import ForgettingCurve, MemoryState, Snapshot, StateEvent

FORMAT = 1


@dataclass(frozen=True)
class StateHeader:
    """The first line, which shows whether the other lines are complete and unchanged."""

    format: int
    now: str
    forgetting: ForgettingCurve
    events: int
    sha256: str


def save_state(path: Path, state: MemoryState) -> None:
    """Write the state; an existing file is replaced only when the new one is complete."""
    snapshot = state.snapshot()
    digest = sha256_text(*(encode(event).decode() for event in snapshot.events))
    head = StateHeader(FORMAT, snapshot.now.isoformat(), snapshot.forgetting, len(snapshot.events), digest)
    write_jsonl(path, chain([head], snapshot.events))


def load_state(path: Path) -> MemoryState:
    """Load a state, its clock included. Raises UserError if the file is truncated or changed."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    first, *rest = path.read_bytes().splitlines() or [b""]
    try:
        head = adapter(StateHeader).validate_json(first)
        events = [_events().validate_json(line) for line in rest]
    except ValidationError as error:
        raise UserError(f"{path}: not the state of a memory, or incomplete: {describe(error)}") from None
    if head.format > FORMAT:
        raise UserError(f"{path}: written in format {head.format} by a newer version of constraintsuite.")
    if len(events) != head.events or sha256_text(*(line.decode() for line in rest)) != head.sha256:
        raise UserError(
            f"{path}: the file has {len(events)} events, expected {head.events}, or its content was changed. Restore a backup."
        )
    with prefixed_errors(str(path)):
        return MemoryState.of(Snapshot(parse_time(head.now), head.forgetting, tuple(events)))


@contextmanager
def locked_state(path: Path, start: MemoryState) -> Iterator[MemoryState]:
    """Give the state at `path` (or `start`, if there is none) to a block, and save it if the block succeeds.

    One process at a time can do this.
    """
    with folder_lock(path.with_name(f".{path.name}.lock")):
        state = load_state(path) if path.exists() else start
        yield state
        save_state(path, state)


@cache
def _events() -> TypeAdapter[StateEvent]:
    return TypeAdapter(Annotated[StateEvent, Field(discriminator="event")])
