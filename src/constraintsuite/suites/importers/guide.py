"""The ConstraintSuite guide's own JSON lines (its section 4): pairwise tests of negation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast, get_args

from constraintsuite.errors import UserError
from constraintsuite.records.examples import Example, Split
from constraintsuite.store.jsonl import read_lines
from constraintsuite.suites.guide import GuideExample, from_guide
from constraintsuite.suites.importers.base import ImportedSuite
from constraintsuite.suites.importers.rows import hash_files

_ABOUT = (
    "Examples in the JSON of the ConstraintSuite guide. `query.neg` is the query and `docs.pos` its satisfying document; "
    "`query.base` is the opposite query. The guide states no preference for it, so that accuracy (chance 50 %) is the "
    "measure, and paired accuracy only where a line carries the label `pairwise_preference_for_query_base`."
)
_SHOWN_FAULTS = 10


def read(source: str, split: str | None) -> ImportedSuite:
    """The lines of a file, or of all `*.jsonl` files of a folder; the guide has no splits, so that all are of `split`, or of test."""
    chosen = split or "test"
    if chosen not in get_args(Split):
        raise UserError(f"--split {chosen}: choose train, dev or test.")
    path = Path(source)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"{source}: holds no JSON lines file (*.jsonl).")
    found: list[Example] = []
    faults: list[str] = []
    known: set[str] = set()
    for file in files:
        for where, made in _read(file, cast(Split, chosen)):
            if isinstance(made, str):
                faults.append(f"{where}: {made}")
            elif made.id in known:
                faults.append(f"{where}: the id {made.id!r} stands there already.")
            else:
                known.add(made.id)
                found.append(made)
    if faults:
        more = [f"and {len(faults) - _SHOWN_FAULTS} more"] if len(faults) > _SHOWN_FAULTS else []
        raise UserError("\n".join([*faults[:_SHOWN_FAULTS], *more]))
    if all(example.control is not None for example in found):
        raise UserError(f"{source}: holds no main example{', only controls' if found else ''}.")
    examples = tuple(example for example in found if example.control is None)
    controls = tuple(example for example in found if example.control is not None)
    return ImportedSuite(path.stem, _ABOUT, hash_files(*files), chosen, examples, controls)


def _read(path: Path, split: Split) -> Iterator[tuple[str, Example | str]]:
    """Place and example of each line, or what is wrong with it."""
    for line in read_lines(path, GuideExample):
        where = f"{path}:{line.number}"
        if line.record is None:
            yield where, line.fault
            continue
        try:
            yield where, from_guide(line.record, split)
        except ValueError as error:
            yield where, f"{error}."
