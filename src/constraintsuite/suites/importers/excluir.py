"""ExcluIR (Zhang et al. 2025): exclusionary queries over a collection; one document answers, another one is excluded."""

from __future__ import annotations

import json
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.importers.base import WHOLE, ImportedSuite, hash_files, make_pair, text_of

_QUERIES = ("test_manual_final.json", "test.json", "queries.json")
_ABOUT = (
    "ExcluIR: exclusionary queries written over pairs of HotpotQA documents. The satisfying document answers the query, the "
    "violating one is about what the query leaves out. Each pair has one query: its accuracy has a chance level of 50 % and must not be "
    "averaged with paired accuracies. The complete collection is included for `csuite retrieve-eval`, which prints the paper's "
    "measures."
)


def read(source: str, split: str | None) -> ImportedSuite:
    """The folder with `corpus.json`, a list of texts, and `test_manual_final.json`, as the authors ship them."""
    if split not in (None, "test"):
        raise UserError(f"--split {split}: ExcluIR's files hold the test set only.")
    folder = Path(source)
    corpus, queries = folder / "corpus.json", next((folder / n for n in _QUERIES if (folder / n).is_file()), None)
    if not corpus.is_file() or queries is None:
        raise UserError(
            f"{source}: expected a folder with corpus.json and {_QUERIES[0]}, as in the authors' repository. Download both "
            "and give the folder that holds them."
        )
    documents = _documents(corpus)
    rows = list(read_objects(queries, WHOLE))
    examples = tuple(_example(number, row, documents) for number, row in enumerate(rows))
    if not examples:
        raise UserError(f"{queries}: holds no query.")
    return ImportedSuite(
        "excluir",
        _ABOUT,
        hash_files(corpus, queries),
        "test",
        examples,
        documents=documents,
        queries=tuple(Query(example.id, example.query) for example in examples),
        qrels=tuple(Qrel(example.id, example.satisfying.id, 1) for example in examples),
        violations=tuple(Qrel(example.id, example.violating.id, 0) for example in examples),
    )


def _documents(file: Path) -> tuple[Document, ...]:
    try:
        texts = json.loads(file.read_bytes())
    except ValueError as error:
        raise UserError(f"{file}: not JSON ({error}).") from None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UserError(f"{file}: expected a list of texts.")
    return tuple(Document(f"d{number}", text) for number, text in enumerate(texts))


def _example(number: int, row: FileRecord, documents: tuple[Document, ...]) -> Example:
    """The published data and the authors' scripts name the fields differently; both are read."""
    query = text_of(row, "RQ_rewrite" if "RQ_rewrite" in row.values else "ExcluQ")
    key = "corpus_sub_index" if "corpus_sub_index" in row.values else "index"
    places = row.values.get(key)
    if not (isinstance(places, list) and len(places) == 2 and all(isinstance(i, int) for i in places)):
        raise UserError(f"{row.where}: {key!r} must be two integers, the violating document first.")
    if not all(0 <= i < len(documents) for i in places):
        raise UserError(f"{row.where}: {key!r} is {places}, but the collection has {len(documents):,} documents.")
    worse, better = (documents[i] for i in places)
    return make_pair(
        f"excluir_{number:05d}",
        "excluir",
        query=query,
        documents=(better, worse),
        split="test",
        clusters=(better.id, worse.id),
    )
