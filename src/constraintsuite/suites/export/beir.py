"""BEIR: corpus.jsonl, queries.jsonl, qrels/{split}.tsv; of the two documents of an example, one is relevant to each query.

Each kind of control is a BEIR folder of its own: its rewritten texts would be near-copies in the corpus of the examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import Example, ExampleDocument
from constraintsuite.store.files import write_text
from constraintsuite.suites.export.base import ExportCounts, count
from constraintsuite.suites.export.parts import SuitePart, split_parts, write_rows


class _Judged(NamedTuple):
    role: str
    query: str
    relevant: ExampleDocument
    other: ExampleDocument


def export(examples: Sequence[Example], folder: Path, card: str) -> ExportCounts:
    """Write the three files of the examples and of each kind of control, with every query that states a preference."""
    for part in split_parts(examples, folder):
        _write(part)
    write_text(folder / "README.md", card)
    return count(examples)


def _write(part: SuitePart) -> None:
    documents: dict[str, ExampleDocument] = {}
    queries: list[dict[str, object]] = []
    qrels: dict[str, list[str]] = defaultdict(list)
    for example in part.examples:
        for judged in _judgments(example):
            identity = f"{example.id}_{judged.role}"
            queries.append({"_id": identity, "text": judged.query})
            for document, grade in ((judged.relevant, 1), (judged.other, 0)):
                qrels[example.split].append(f"{identity}\t{_identify(document, documents)}\t{grade}")
    corpus = [{"_id": name, "title": d.title, "text": d.text} for name, d in sorted(documents.items())]
    write_rows(part.folder / "corpus.jsonl", corpus)
    write_rows(part.folder / "queries.jsonl", queries)
    for split, rows in qrels.items():
        write_text(part.folder / "qrels" / f"{split}.tsv", "\n".join(["query-id\tcorpus-id\tscore", *rows]) + "\n")


def _judgments(example: Example) -> Iterator[_Judged]:
    """Each query that states a preference, with the document that it wants first."""
    for preference in example.preferences:
        better, worse = example.document(preference.better), example.document(preference.worse)
        yield _Judged(preference.query, example.queries[preference.query], better, worse)


def _identify(document: ExampleDocument, documents: dict[str, ExampleDocument]) -> str:
    """The document's id; where another text has it already, as with rewritten ones, the id and a hash of the text."""
    if documents.setdefault(document.id, document).text == document.text:
        return document.id
    name = f"{document.id}~{stable_hash(document.text):016x}"
    documents[name] = document
    return name
