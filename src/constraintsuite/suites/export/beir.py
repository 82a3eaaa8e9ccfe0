"""BEIR: corpus.jsonl, queries.jsonl, qrels/{split}.tsv; of the two documents of an example, one is relevant to each query.

Each kind of control is a BEIR folder of its own: its rewritten texts would be near-copies in the corpus of the examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from graphlib import TopologicalSorter
from pathlib import Path

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example, ExampleDocument, QueryRole
from constraintsuite.core.store.files import write_text
from constraintsuite.suites.export.base import ExportCounts, SuitePart, count, split_parts, write_rows


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
        for role in dict.fromkeys(preference.query for preference in example.preferences):
            identity = f"{example.id}_{role}"
            queries.append({"_id": identity, "text": example.queries[role]})
            for name, grade in _grades(example, role).items():
                document = _identify(example.document(name), documents)
                qrels[example.split].append(f"{identity}\t{document}\t{grade}")
    corpus = [{"_id": name, "title": d.title, "text": d.text} for name, d in sorted(documents.items())]
    write_rows(part.folder / "corpus.jsonl", corpus)
    write_rows(part.folder / "queries.jsonl", queries)
    for split, rows in qrels.items():
        write_text(part.folder / "qrels" / f"{split}.tsv", "\n".join(["query-id\tcorpus-id\tscore", *rows]) + "\n")


def _grades(example: Example, role: QueryRole) -> dict[str, int]:
    """The grade of each document under one query, the best first: how many steps it stands above the worst."""
    above: dict[str, set[str]] = {}
    for preference in example.preferences:
        if preference.query == role:
            above.setdefault(preference.better, set()).add(preference.worse)
            above.setdefault(preference.worse, set())
    grades: dict[str, int] = {}
    for name in TopologicalSorter(above).static_order():
        grades[name] = 1 + max((grades[worse] for worse in above[name]), default=-1)
    return dict(sorted(grades.items(), key=lambda item: -item[1]))


def _identify(document: ExampleDocument, documents: dict[str, ExampleDocument]) -> str:
    """The document's id; where another text has it already, as with rewritten ones, the id and a hash of the text."""
    if documents.setdefault(document.id, document).text == document.text:
        return document.id
    name = f"{document.id}~{stable_hash(document.text):016x}"
    documents[name] = document
    return name
