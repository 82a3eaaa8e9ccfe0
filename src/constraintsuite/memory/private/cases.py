"""The cases that a person writes in `cases.csv`, and the batch in which annotators judge them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.memory.private.inventory import INVENTORY
from constraintsuite.memory.private.versions import VERSIONS, Version, open_version, require_version
from constraintsuite.memory.records import EdgeKind, SemanticRole
from constraintsuite.suites.annotation.batch import AnnotationBatch, open_batch, write_batch
from constraintsuite.suites.annotation.records import AnnotationItem, AnnotationQuestion, ItemSet
from constraintsuite.suites.annotation.tables import RowFault, read_models, refuse, write_csv

CASES = "cases.csv"
BATCHES = "batches"
NAME = "memory"
"""The kind of a batch of cases."""
CaseFamily = Literal["direct", "multi_hop", "exception", "contradiction", "sequential"]
SHARES: Mapping[str, tuple[float, float]] = {
    "direct": (0.20, 0.25),
    "multi_hop": (0.25, 0.30),
    "exception": (0.20, 0.25),
    "contradiction": (0.10, 0.15),
    "sequential": (0.10, 0.15),
}
"""The share of the cases that each family should have: minimum and maximum."""
EDGES = tuple(kind for kind in get_args(EdgeKind) if kind != "mentions")
QUESTIONS = (
    AnnotationQuestion("evidence", "Which units must be found to answer this, and no others?", "ids"),
    AnnotationQuestion(
        "difficulty", "How hard is it to find them?", "choice", ("easy", "medium", "hard"), ordered=True
    ),
    AnnotationQuestion(
        "verdict",
        "Is this a fair case: clear, answerable from these documents, with one right answer?",
        "choice",
        ("good", "unclear", "reject"),
    ),
    AnnotationQuestion("path", "If one unit leads to the next, in which order?", "ids", optional=True, ordered=True),
    AnnotationQuestion(
        "edge_types", "By which relations do they lead to one another?", "choices", EDGES, optional=True
    ),
    AnnotationQuestion("roles", "What do the units do?", "choices", get_args(SemanticRole), optional=True),
    AnnotationQuestion("contradiction", "Which two units say opposite things?", "ids", optional=True, size=2),
)
DECOYS = 0.03
_QUOTED_WORDS = 12
_JOINT = "; "


def _split_list(cell: object) -> object:
    return tuple(part for part in re.split(r"[;,\s]+", cell) if part) if isinstance(cell, str) else cell


def _split_phrases(cell: object) -> object:
    return tuple(part.strip() for part in cell.split("|") if part.strip()) if isinstance(cell, str) else cell


Listed = Annotated[tuple[str, ...], BeforeValidator(_split_list)]
Phrased = Annotated[tuple[str, ...], BeforeValidator(_split_phrases)]


class PrivateCase(StrictModel):
    """A question about the documents. Golden cases have no column for labels: annotators provide them."""

    case: str = Field(pattern=r"^[\w.-]+$")
    documents: Listed = Field(min_length=1, description="separated by ;")
    query: str = Field(min_length=1)
    answer: str = ""
    family: CaseFamily
    tags: Listed = ()
    paraphrases: Phrased = Field((), description="separated by |")
    hard_negatives: Listed = Field((), description="ids of units that tempt and are wrong")
    set: Literal["golden", "shadow"] = "golden"
    evidence: Listed = Field((), description="of shadow cases only, which are labelled lightly")


def write_case_sheet(pilot: Path) -> Path:
    """Write an empty sheet for cases, and return its path."""
    write_csv(pilot / CASES, tuple(PrivateCase.model_fields), ())
    return pilot / CASES


def read_cases(version: Version) -> list[PrivateCase]:
    """Read the cases of a pilot; wrong cells, repeated cases, unknown documents and units are reported with their lines."""
    file = version.pilot / CASES
    rows = read_models(file, PrivateCase, "case")
    refuse(file, [RowFault(line, fault) for line, case in rows for fault in _faults(case, version)])
    if not rows:
        raise UserError(f"{file}: there are no cases in it yet. Write one row per case.")
    return [case for _, case in rows]


def _faults(case: PrivateCase, version: Version) -> Iterator[str]:
    units = {unit.id for unit in version.units}
    for document in case.documents:
        if document not in version.by_document:
            yield f"no document {document!r} in the frozen version."
    for column, ids in (("hard_negatives", case.hard_negatives), ("evidence", case.evidence)):
        yield from (f"{column}: no unit {name!r} in the frozen version." for name in ids if name not in units)
    if case.set == "golden" and case.evidence:
        yield "evidence of a golden case is what two annotators say, blind; leave the cell empty."


def _case_items(cases: Sequence[PrivateCase], version: Version) -> ItemSet:
    """The golden cases as items, in the order of the sheet, and decoys that quote a unit."""
    golden = [case for case in cases if case.set == "golden"]
    items = [
        AnnotationItem(
            case.case,
            fields={"documents": _JOINT.join(case.documents), "query": case.query, "answer": case.answer},
            ids=tuple(unit.id for document in case.documents for unit in version.by_document[document]),
            groups={"family": case.family, "document": _JOINT.join(case.documents)},
            links=case.documents,
        )
        for case in golden
    ]
    source = f"{version.pilot.resolve().name} {version.artifact.manifest.content}"
    return ItemSet(NAME, source, QUESTIONS, [*items, *_decoys(version, math.ceil(DECOYS * len(golden)))])


def _decoys(version: Version, count: int) -> Iterator[AnnotationItem]:
    """Ask which unit begins with some words: easy for everybody who reads the documents."""
    openings = {unit.id: " ".join(unit.text.split()[:_QUOTED_WORDS]) for unit in version.units}
    times = Counter(openings.values())
    unique = [
        unit for unit in version.units if times[openings[unit.id]] == 1 and len(unit.text.split()) >= _QUOTED_WORDS
    ]
    for unit in sorted(unique, key=lambda one: stable_hash("decoy", one.id))[:count]:
        shown = {"documents": unit.document, "query": f'Which unit begins "{openings[unit.id]}"?', "answer": ""}
        ids = tuple(one.id for one in version.by_document[unit.document])
        name = f"decoy-{stable_hash('decoy', unit.id):016x}"
        yield AnnotationItem(name, shown, ids=ids, expected={"evidence": (unit.id,)})


def reading_copy(version: Version, items: Iterable[AnnotationItem]) -> str:
    """The documents of some items in Markdown, each unit under its id: what annotators read."""
    lines = [f"# Documents of version {version.number}"]
    for document in sorted({name for item in items for name in item.fields["documents"].split(_JOINT)}):
        lines += ["", f"## {document}"]
        above: tuple[str, ...] = ()
        for unit in version.by_document[document]:
            if unit.headings != above:
                above = unit.headings
                lines += ["", f"### {' / '.join(above)}"] if above else []
            lines += ["", f"`{unit.id}` {unit.text}"]
    return "\n".join(lines) + "\n"


def open_labels(folder: Path, *, draw: bool = False) -> tuple[AnnotationBatch, Version | None]:
    """Open the batch in a folder and, if its items are private cases, the frozen version that these are about.

    If the folder is a pilot, this is the batch of its newest version; with `draw` it is made if it does not exist.
    """
    if not (folder / INVENTORY).is_file():
        batch, place = open_batch(folder), folder.resolve()
        is_private = batch.head.kind == NAME
        return batch, open_version(place.parents[1] / VERSIONS / place.name) if is_private else None
    version = require_version(folder)
    path = folder / BATCHES / str(version.number)
    if path.is_dir():
        batch = open_batch(path)
        judged_cases(version, batch)
        return batch, version
    if not draw:
        raise UserError(
            f"{folder}: version {version.number} has no sheets yet. Write them: "
            f"csuite gold sheet {folder} --annotator NAME --out NAME.csv"
        )
    return write_batch(path, _case_items(read_cases(version), version)), version


def judged_cases(version: Version, batch: AnnotationBatch) -> list[PrivateCase]:
    """Read the cases of a pilot. Raises UserError if golden cases differ from the ones that people judged."""
    cases = read_cases(version)
    now = {item.id: item for item in _case_items(cases, version).items if not item.expected}
    before = {item.id: item for item in batch.judged}
    changed = sorted(name for name in now.keys() | before.keys() if now.get(name) != before.get(name))
    if changed:
        raise UserError(
            f"{version.pilot / CASES}: {len(changed)} cases are not as they were when sheets were first written: "
            f"{', '.join(changed[:10])}. Undo that, or begin a new version: csuite memory private freeze {version.pilot} --new-version"
        )
    return cases
