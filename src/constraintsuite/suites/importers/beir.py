"""BEIR folders: a collection to search, and pairs if documents were judged not relevant. NegConstraint has no pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import SPLITS, Example
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.suites.importers.base import MOST_PAIRS, WHOLE, ImportedSuite, judged_pairs, name_source

_ABOUT_BEIR = (
    "A BEIR collection. Pairs were made of a relevant document and one that was judged not relevant to the same query, at most "
    f"{MOST_PAIRS} a query, chosen by hash; where nothing was judged not relevant there are none, and `csuite retrieve-eval` "
    "uses the collection."
)
_ABOUT_NEGCONSTRAINT = (
    "NegConstraint (Xu et al. 2025): queries with a negative constraint over a collection, one relevant document each. Nothing "
    "says which documents break the constraint, so there are no pairs: use `csuite retrieve-eval`."
)


def read_beir(source: str, split: str | None) -> ImportedSuite:
    """Read corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv of a BEIR folder."""
    return _read(source, split, name_source(source), _ABOUT_BEIR)


def read_negconstraint(source: str, split: str | None) -> ImportedSuite:
    """Read the same three files; the judgments may also be SPLIT.tsv next to the others."""
    return _read(source, split, "negconstraint", _ABOUT_NEGCONSTRAINT)


def _read(source: str, split: str | None, name: str, about: str) -> ImportedSuite:
    folder, part = Path(source), split or "test"
    if not (folder / "corpus.jsonl").is_file() and not (folder / "corpus.jsonl.gz").is_file():
        raise UserError(f"{source}: expected a folder with corpus.jsonl, queries.jsonl and qrels/{part}.tsv.")
    beside = folder / f"{part}.tsv"
    settings = (
        SourceSettings(source=source, format="beir", qrels=str(beside))
        if beside.is_file()
        else SourceSettings(source=source, format="beir", split=part)
    )
    opened = open_source(settings)
    documents = {document.id: document for document in opened.documents(WHOLE)}
    queries = {query.id: query for query in opened.queries(WHOLE)}
    qrels = tuple(opened.qrels(WHOLE))
    _check(source, documents, queries, qrels)
    grades = _grades(source, qrels)
    return ImportedSuite(
        name,
        about,
        opened.fingerprint(),
        part,
        tuple(_pairs(documents, queries, grades, part)),
        documents=tuple(documents.values()),
        queries=tuple(query for query in queries.values() if query.id in grades),
        qrels=qrels,
    )


def _check(source: str, documents: Mapping[str, Document], queries: Mapping[str, Query], qrels: Sequence[Qrel]) -> None:
    if not any(qrel.grade > 0 for qrel in qrels):
        raise UserError(f"{source}: no document is judged relevant to any query.")
    stray = next((q for q in qrels if q.query not in queries or q.document not in documents), None)
    if stray is not None:
        missing = f"query {stray.query!r}" if stray.query not in queries else f"document {stray.document!r}"
        raise UserError(f"{source}: the {missing} is judged but not in the collection.")


def _grades(source: str, qrels: Sequence[Qrel]) -> dict[str, dict[str, int]]:
    """The grades by query and document. Raises UserError if a document has two different grades."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in qrels:
        if grades[qrel.query].setdefault(qrel.document, qrel.grade) != qrel.grade:
            raise UserError(
                f"{source}: the document {qrel.document!r} has two different grades for the query {qrel.query!r}. "
                "Take one of the two lines out."
            )
    return grades


def _pairs(
    documents: Mapping[str, Document],
    queries: Mapping[str, Query],
    grades: Mapping[str, Mapping[str, int]],
    split: str,
) -> Iterator[Example]:
    for name, judged in grades.items():
        better = [documents[one] for one, grade in judged.items() if grade > 0]
        worse = [documents[one] for one, grade in judged.items() if grade <= 0]
        yield from judged_pairs("beir", "judged", queries[name], better, worse, split if split in SPLITS else "test")
