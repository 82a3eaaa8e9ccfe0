"""Examples that people want left out, from the `drop.jsonl` of `csuite gold export`.

They are recognised by their texts: with another size or seed, the same id means another example.
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
    """The fields of a line that a build needs; the others are for people."""

    id: str
    texts: str


def name_of_texts(query: str, satisfying: str, violating: str) -> str:
    """The name by which an example is recognised: a hash of its query and its two texts."""
    return sha256_text(query, satisfying, violating)[:32]


def read_dropped(paths: Iterable[Path]) -> frozenset[str]:
    """The names of all examples to leave out."""
    return frozenset(line.record.texts for path in paths for line in read_lines(path, Dropped) if line.record)


def check_dropped(paths: Sequence[Path]) -> None:
    """Refuse files that are missing or have broken lines; the message names every fault."""
    faults = []
    for path in paths:
        if not path.is_file():
            raise UserError(f"{path}: there is no such file of examples to drop. `csuite gold export` writes one.")
        faults += [f"{path}:{line.number}: {line.fault}" for line in read_lines(path, Dropped) if line.record is None]
    refuse_faults(faults, "Export it again with `csuite gold export`.")
