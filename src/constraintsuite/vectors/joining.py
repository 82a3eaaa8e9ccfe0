"""Texts and judgments for vectors that came without: found in a source by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraintsuite.corpora.base import BadRows, Source
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.vectors.bundle import MIN_RELEVANCE
from constraintsuite.vectors.counting import counted
from constraintsuite.vectors.judged import distinct_judgments
from constraintsuite.vectors.layouts.msmarco_reading import MsMarcoFolder
from constraintsuite.vectors.parts import BundleDocument

Grades = dict[tuple[str, str], int]
"""By query and document."""
_NAMED = 5


@dataclass(frozen=True)
class Joined:
    """What a source knows of a folder of vectors."""

    source: Source
    rows: Mapping[str, int]
    """Of the vectors, by id."""
    there: npt.NDArray[np.bool_]  # (documents,) whether the source has the text
    queries: Mapping[str, str]
    """Texts by id, as far as the source has them."""
    grades: Grades
    bad: BadRows
    without_text: Mapping[str, int]
    """Documents and queries of which only the vector is known."""

    @property
    def complete(self) -> bool:
        """Whether there is a text for every vector."""
        return not any(self.without_text.values())

    def placed(self) -> Iterator[BundleDocument]:
        """The documents that have a vector, with its row: another reading of the source."""
        for document in self.source.documents(BadRows(skip=self.bad.skip)):
            if document.id in self.rows:
                yield BundleDocument(self.rows[document.id], document)


def join(
    found: MsMarcoFolder, source: Source, reporter: Reporter, *, skip_bad_rows: bool, allow_missing: bool
) -> Joined:
    """Look for every id; those that the source lacks are named in a UserError, or with `allow_missing` counted."""
    bad = BadRows(skip=skip_bad_rows)
    rows = {name: row for row, name in enumerate(found.document_ids)}
    there = _documents(source, rows, bad, reporter)
    wanted = set(found.query_ids)
    queries = {query.id: query.text for query in source.queries(bad) if query.id in wanted}
    judged = distinct_judgments(qrel for qrel in source.qrels(bad) if qrel.query in wanted)
    missing = {
        "documents": [found.document_ids[row] for row in np.flatnonzero(~there).tolist()],
        "queries": [name for name in found.query_ids if name not in queries],
    }
    if not allow_missing:
        _refuse(source.name, missing, len(there), len(wanted))
    without = {f"{kind}_without_text": len(names) for kind, names in missing.items() if names}
    grades = {(qrel.query, qrel.document): qrel.grade for qrel in judged}
    return Joined(source, rows, there, queries, grades, bad, without)


def _documents(source: Source, rows: Mapping[str, int], bad: BadRows, reporter: Reporter) -> npt.NDArray[np.bool_]:
    there = np.zeros(len(rows), dtype=np.bool_)
    with reporter.track("documents", None) as advance:
        for document in counted(source.documents(bad), advance):
            row = rows.get(document.id)
            if row is not None:
                if there[row]:
                    raise UserError(f"{source.name}: the id {document.id!r} stands there twice. Ids must be unique.")
                there[row] = True
    return there


def _refuse(source: str, missing: Mapping[str, Sequence[str]], documents: int, queries: int) -> None:
    for kind, of in (("documents", documents), ("queries", queries)):
        if missing[kind]:
            others = " and others" if len(missing[kind]) > _NAMED else ""
            shown = ", ".join(map(repr, missing[kind][:_NAMED])) + others
            file = " Name a file of them with --queries." if kind == "queries" else ""
            raise UserError(
                f"{source}: no text for {len(missing[kind]):,} of {of:,} {kind}: {shown}.{file} --allow-missing-texts "
                "imports them without; such a bundle cannot be encoded anew."
            )


def judge(found: MsMarcoFolder, known: Grades) -> tuple[Grades, list[str]]:
    """The judgments of a source, and positives of the folder on which it is silent; with what a user should know of it."""
    truth = {
        (query, found.document_ids[row])
        for query, rows in zip(found.query_ids, found.positives, strict=True)
        for row in rows
    }
    notes = []
    if known and (silent := len(truth - known.keys())):
        notes.append(
            f"{silent:,} positives of the ground truth are not judged in the source; they are kept with grade {MIN_RELEVANCE}"
        )
    if denied := sum(known.get(couple, MIN_RELEVANCE) < MIN_RELEVANCE for couple in truth):
        notes.append(
            f"{denied:,} positives of the ground truth are judged below {MIN_RELEVANCE} in the source, which is believed"
        )
    return {**dict.fromkeys(truth, MIN_RELEVANCE), **known}, notes
