"""The JSON lines of the ConstraintSuite guide (its section 4): pairwise tests of negation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast, get_args

from pydantic import ValidationError

from constraintsuite.core.errors import UserError, refuse_faults
from constraintsuite.core.records.examples import Example, Split
from constraintsuite.core.store.jsonl import adapter, describe
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.guide import GuideExample, from_guide
from constraintsuite.suites.importers.base import WHOLE, ImportedSuite, hash_files

_ABOUT = (
    "Examples in the JSON of the ConstraintSuite guide. `query.neg` is the query and `docs.pos` its satisfying document; "
    "`query.base` is the opposite query. The guide states no preference for it, so accuracy (chance 50 %) is the "
    "measure, and paired accuracy only where a line carries the label `pairwise_preference_for_query_base`."
)


def read(source: str, split: str | None) -> ImportedSuite:
    """The examples of a file, or of all `*.jsonl` files of a folder; all get one split, since the guide has none."""
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
                faults.append(f"{where}: the id {made.id!r} occurs before.")
            else:
                known.add(made.id)
                found.append(made)
    refuse_faults(faults, most=10)
    if all(example.control is not None for example in found):
        raise UserError(f"{source}: holds no main example{', only controls' if found else ''}.")
    examples = tuple(example for example in found if example.control is None)
    controls = tuple(example for example in found if example.control is not None)
    return ImportedSuite(path.stem, _ABOUT, hash_files(*files), chosen, examples, controls)


def _read(path: Path, split: Split) -> Iterator[tuple[str, Example | str]]:
    """The place and the example of each object, or what is wrong with it."""
    for row in _rows(path):
        try:
            line = adapter(GuideExample).validate_json(json.dumps(row.values))
            yield row.where, from_guide(line, split)
        except ValidationError as error:
            yield row.where, describe(error)
        except ValueError as error:
            yield row.where, f"{error}."


def _rows(path: Path) -> Iterable[FileRecord]:
    """The objects of JSON lines, of an array, or a single one as the guide prints it."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    try:
        whole = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError:
        whole = None  # several objects, or broken JSON, whose place `read_objects` names
    return [FileRecord(f"{path}:1", whole)] if isinstance(whole, dict) else read_objects(path, WHOLE)
