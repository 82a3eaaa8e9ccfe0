"""BEIR: corpus.jsonl, queries.jsonl and qrels/{split}.tsv, with every query that states a preference.

Each slice of controls is a BEIR folder of its own: its rewritten texts would be near-duplicates in the corpus of the examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from graphlib import TopologicalSorter
from pathlib import Path

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example, ExampleDocument, QueryRole
from constraintsuite.core.store.files import write_text
from constraintsuite.suites.export.base import split_parts, write_rows


def export(examples: Sequence[Example], folder: Path, card: str) -> Sequence[Example]:
    """Write the three files of the main examples, and three files for each slice of controls."""
    for part_folder, part in split_parts(examples, folder):
        _write(part_folder, part)
    write_text(folder / "README.md", card)
    return examples


def _write(folder: Path, examples: Sequence[Example]) -> None:
    documents: dict[str, ExampleDocument] = {}
    queries: list[dict[str, object]] = []
    qrels: dict[str, list[str]] = defaultdict(list)
    for example in examples:
        for role in dict.fromkeys(preference.query for preference in example.preferences):
            identity = f"{example.id}_{role}"
            queries.append({"_id": identity, "text": example.queries[role]})
            for name, grade in _grades(example, role).items():
                document = _identify(example.document(name), documents)
                qrels[example.split].append(f"{identity}\t{document}\t{grade}")
    corpus = [{"_id": name, "title": d.title, "text": d.text} for name, d in sorted(documents.items())]
    write_rows(folder / "corpus.jsonl", corpus)
    write_rows(folder / "queries.jsonl", queries)
    for split, rows in qrels.items():
        write_text(folder / "qrels" / f"{split}.tsv", "\n".join(["query-id\tcorpus-id\tscore", *rows]) + "\n")


def _grades(example: Example, role: QueryRole) -> dict[str, int]:
    """The grade of each document under one query, the best first: how many steps it is above the worst."""
    below: dict[str, set[str]] = defaultdict(set)
    for preference in example.preferences:
        if preference.query == role:
            below[preference.better].add(preference.worse)
    grades: dict[str, int] = {}
    for name in TopologicalSorter(below).static_order():
        grades[name] = 1 + max((grades[worse] for worse in below.get(name, ())), default=-1)
    return dict(sorted(grades.items(), key=lambda item: -item[1]))


def _identify(document: ExampleDocument, documents: dict[str, ExampleDocument]) -> str:
    """The id of the document; if another text has it already, as rewritten texts do, with a hash of the text."""
    if documents.setdefault(document.id, document).text == document.text:
        return document.id
    name = f"{document.id}~{stable_hash(document.text):016x}"
    documents[name] = document
    return name
