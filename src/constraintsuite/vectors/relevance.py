"""The truth of relevance: what people judged.

It measures encoder and index together; it does not say how exact an index is. Rows are not padded. A judged document that is
not in the subset has a row too, without a document row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.vectors import files
from constraintsuite.vectors.bundle import Bundle, reading
from constraintsuite.vectors.tables import JUDGED_COLUMNS, WRITER, read_parquet, write_parquet

RELEVANCE, RELEVANCE_FILE = "relevance", "judged.parquet"


class JudgedRow(NamedTuple):
    """A judgment, by rows of the bundle."""

    query_row: int
    doc_row: int | None
    doc_id: str
    relevance: int
    in_subset: bool


def make_relevance(path: Path) -> Artifact:
    """Write the judgments of a bundle by rows, if they do not exist yet."""
    with reading(path) as bundle:
        inputs = {"texts": bundle.texts.manifest.content}
        origin = ArtifactOrigin("truth", RELEVANCE, inputs, {"writer": WRITER}, 0, REVISIONS["truth"])
        out = bundle.path / files.TRUTH / RELEVANCE
        with claim(out, origin, (RELEVANCE_FILE,), replace=Replace.SAME_KIND) as space:
            if space.finished is not None:
                return space.finished
            rows = relevance_rows(bundle)
            write_parquet(space.empty_new() / RELEVANCE_FILE, JUDGED_COLUMNS, rows)
            return space.finish(count_judged(rows))


def count_judged(rows: Sequence[JudgedRow]) -> dict[str, int]:
    """The counts in the manifest of this truth."""
    return {
        "judgments": len(rows),
        "in_subset": sum(row.in_subset for row in rows),
        "queries": len({row.query_row for row in rows}),
    }


def relevance_rows(bundle: Bundle) -> list[JudgedRow]:
    """Compute the rows from the judgments of a bundle, sorted by query, best first."""
    qrels = list(bundle.qrels())
    wanted = {qrel.document for qrel in qrels}
    places = {name: row for row, name in enumerate(bundle.ids()) if name in wanted}
    queries = {query.id: query.row for query in bundle.queries}
    rows = (
        JudgedRow(queries[qrel.query], places.get(qrel.document), qrel.document, qrel.grade, qrel.document in places)
        for qrel in qrels
    )
    return sorted(rows, key=lambda row: (row.query_row, -row.relevance, row.doc_id))


def read_relevance(bundle: Bundle) -> Iterator[JudgedRow]:
    """Read the stored rows of a bundle. Raises UserError if there are none."""
    file = bundle.path / files.TRUTH / RELEVANCE / RELEVANCE_FILE
    found = next((part for part in bundle.parts(files.TRUTH) if part.path == file.parent), None)
    if found is None:
        raise UserError(f"{bundle.path}: no relevance truth yet. Make it: csuite bundle truth {bundle.path}")
    found.refuse_changed()
    return (JudgedRow(*cast(JudgedRow, row)) for row in read_parquet(file))
