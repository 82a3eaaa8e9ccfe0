"""The cases that a person writes, and what annotators are asked about them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.memory.private.inventory import read_unique
from constraintsuite.memory.private.versions import FrozenUnit, Version
from constraintsuite.memory.records import EdgeKind, SemanticRole
from constraintsuite.suites.annotation.records import AnnotationItem, AnnotationQuestion
from constraintsuite.suites.annotation.tables import RowFault, refuse, write_table

CASES = "cases.csv"
CaseFamily = Literal["direct", "multi_hop", "exception", "contradiction", "sequential"]
SHARES: Mapping[str, tuple[float, float]] = {
    "direct": (0.20, 0.25),
    "multi_hop": (0.25, 0.30),
    "exception": (0.20, 0.25),
    "contradiction": (0.10, 0.15),
    "sequential": (0.10, 0.15),
}
"""What part of the cases each family should be, least and most."""
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


def _listed(cell: object) -> object:
    return tuple(part for part in re.split(r"[;,\s]+", cell) if part) if isinstance(cell, str) else cell


def _phrased(cell: object) -> object:
    return tuple(part.strip() for part in cell.split("|") if part.strip()) if isinstance(cell, str) else cell


Listed = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Phrased = Annotated[tuple[str, ...], BeforeValidator(_phrased)]


class PrivateCase(BaseModel):
    """A question to the documents. Labels of golden cases are annotators' work and have no column here."""

    model_config = ConfigDict(frozen=True, extra="forbid")
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
    """An empty sheet for cases."""
    write_table(pilot / CASES, tuple(PrivateCase.model_fields), ())
    return pilot / CASES


def read_cases(pilot: Path, version: Version) -> list[PrivateCase]:
    """The cases of a pilot; unknown documents and units, double cases and wrong cells are told with their lines."""
    file = pilot / CASES
    if not file.is_file():
        raise UserError(
            f"{file}: there are no cases. Write them there; `csuite memory private init` made an empty sheet."
        )
    known = {unit.id for unit in version.units}
    rows = read_unique(file, PrivateCase, "case")
    documents = version.by_document
    refuse(file, [RowFault(line, fault) for line, case in rows for fault in _faults(case, documents, known)])
    if not rows:
        raise UserError(f"{file}: there are no cases in it yet.")
    return [case for _, case in rows]


def _faults(case: PrivateCase, documents: Mapping[str, Sequence[FrozenUnit]], units: set[str]) -> Iterator[str]:
    yield from (f"no document {name!r} in the frozen version." for name in case.documents if name not in documents)
    named = {"hard_negatives": case.hard_negatives, "evidence": case.evidence}
    for column, ids in named.items():
        yield from (f"{column}: no unit {name!r} in the frozen version." for name in ids if name not in units)
    if case.set == "golden" and case.evidence:
        yield "evidence of a golden case is what two annotators say, blind; leave the cell empty."


@dataclass(frozen=True)
class CaseItems:
    """The golden cases of a version, with decoys that quote a unit."""

    cases: Sequence[PrivateCase]
    version: Version
    name: str = "memory"
    questions: tuple[AnnotationQuestion, ...] = QUESTIONS

    def items(self) -> Iterator[AnnotationItem]:
        """Cases in the order of the sheet, then decoys."""
        golden = [case for case in self.cases if case.set == "golden"]
        units = self.version.by_document
        for case in golden:
            yield AnnotationItem(
                case.case,
                fields={"documents": "; ".join(case.documents), "query": case.query, "answer": case.answer},
                ids=tuple(unit.id for document in case.documents for unit in units[document]),
                groups={"family": case.family, "document": "; ".join(case.documents)},
                links=case.documents,
            )
        yield from self._decoys(math.ceil(DECOYS * len(golden)))

    def _decoys(self, count: int) -> Iterator[AnnotationItem]:
        """Questions that whoever reads the documents gets right: which unit begins like this?"""
        openings = {unit.id: " ".join(unit.text.split()[:_QUOTED_WORDS]) for unit in self.version.units}
        times = Counter(openings.values())
        telling = [u for u in self.version.units if times[openings[u.id]] == 1 and len(u.text.split()) >= _QUOTED_WORDS]
        for unit in sorted(telling, key=lambda one: stable_hash("decoy", one.id))[:count]:
            shown = {"documents": unit.document, "query": f'Which unit begins "{openings[unit.id]}"?', "answer": ""}
            ids = tuple(one.id for one in self.version.by_document[unit.document])
            yield AnnotationItem(
                f"decoy-{stable_hash('decoy', unit.id):016x}", shown, ids=ids, expected={"evidence": (unit.id,)}
            )


def reading_copy(version: Version, documents: Sequence[str]) -> str:
    """The units of some documents with their ids, in Markdown: what annotators read."""
    lines = [f"# Documents of version {version.number}"]
    for document in documents:
        lines += ["", f"## {document}"]
        above: tuple[str, ...] = ()
        for unit in version.by_document[document]:
            if unit.headings != above:
                above = unit.headings
                lines += ["", f"### {' / '.join(above)}"] if above else []
            lines += ["", f"`{unit.id}` {unit.text}"]
    return "\n".join(lines) + "\n"
