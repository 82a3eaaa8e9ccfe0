"""Examples that people want left out: what `csuite gold export` writes as `drop.jsonl`.

Ids number the examples of one suite; another size or seed gives them to others. So an example is known by its texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError, refuse_faults
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import read_lines

DROPPED = "dropped_by_people"


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a build needs of a line of the file; all else in it is for people."""

    id: str
    texts: str


def name_of_texts(query: str, satisfying: str, violating: str) -> str:
    """Names an example by its query and its two texts."""
    return sha256_text(query, satisfying, violating)[:32]


def read_dropped(paths: Iterable[Path]) -> frozenset[str]:
    """The names of all examples to leave out; a line without one is a UserError."""
    return frozenset(line.record.texts for path in paths for line in read_lines(path, Dropped) if line.record)


def check_dropped(paths: Sequence[Path]) -> None:
    """Refuse files that do not say what to leave out, with all their faults."""
    faults = []
    for path in paths:
        if not path.is_file():
            raise UserError(f"{path}: there is no such file of examples to drop. `csuite gold export` writes one.")
        faults += [f"{path}:{line.number}: {line.fault}" for line in read_lines(path, Dropped) if line.record is None]
    refuse_faults(faults, "Export it again with `csuite gold export`.")
