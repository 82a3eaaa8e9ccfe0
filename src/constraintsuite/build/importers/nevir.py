"""NevIR (Weller et al. 2024): two queries, two paragraphs that differ in a negation; each query wants one of them."""

from __future__ import annotations

from constraintsuite.build.importers.base import Imported
from constraintsuite.build.importers.pairs import describe_edit, make_pair
from constraintsuite.build.importers.rows import hash_rows, read_rows, text_of
from constraintsuite.corpora.fields import Row
from constraintsuite.errors import UserError
from constraintsuite.records.examples import SPLITS, DocumentPair, Example, ExampleDocument, Split

HUB = "orionweller/NevIR"
_EDITS = {"2": "scope", "3": "affirmative"}  # CondaQA's codes, the second half of an id
_SPLITS = {"validation": "dev"}
_ABOUT = (
    "NevIR: pairs of a Wikipedia paragraph with a negation (the satisfying document of the negated role, doc1) and its edited "
    "version (doc2), with a query for each, written so that it is answered by that one only. q1 stands in the role `neg`, q2 "
    "in the role `base`, so that paired accuracy is the paper's measure and chance is 25 %. Two pairs may share their "
    "paragraph: intervals are resampled by paragraph. MIT licence; passages from CondaQA, Apache-2.0. Its test split is for "
    "evaluation only."
)


def read(source: str, split: str | None) -> Imported:
    """A file with the columns id, q1, q2, doc1, doc2 (and WorkerId), or the dataset on the hub."""
    rows = read_rows(source, split, HUB)
    part = _split(split, source)
    examples = tuple(_example(row, part) for row in rows)
    if not examples:
        raise UserError(f"{source}: holds no pair.")
    same = sum(e.query.neg.strip().lower() == e.query.base.strip().lower() for e in examples)
    ceiling = f" {same} of {len(examples):,} pairs have the same two queries and cannot be won." if same else ""
    return Imported("nevir", _ABOUT + ceiling, hash_rows(rows), examples)


def _example(row: Row, split: Split) -> Example:
    identity = text_of(row, "id")
    passage, _, code = identity.partition("-")
    first, second = text_of(row, "doc1"), text_of(row, "doc2")
    kind = _EDITS.get(code, "unknown")
    annotator = row.values.get("WorkerId")
    return make_pair(
        f"nevir_{identity}",
        "nevir",
        queries=(text_of(row, "q1"), text_of(row, "q2")),
        docs=DocumentPair(
            ExampleDocument(f"{identity}_doc1", "", first), ExampleDocument(f"{identity}_doc2", "", second)
        ),
        split=split,
        clusters=(f"condaqa_{passage}",),
        edit=describe_edit(kind, first, second),
        notes=(f"annotator: {annotator}",) if annotator is not None else (),
    )


def _split(split: str | None, source: str) -> Split:
    """What the pairs are for: as said, else as the file is called, else test."""
    named = split or next((name for name in ("train", "validation", "dev", "test") if name in source.lower()), "test")
    part = _SPLITS.get(named, named)
    if part not in SPLITS:
        raise UserError(f"--split {named}: NevIR has train, validation and test.")
    return part
