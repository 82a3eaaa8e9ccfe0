"""One BM25 engine in a process (and environment) of its own: index, search, report as JSON on stdout.

Usage: python engine_process.py ENGINE TERMS QUERIES K K1 B, where TERMS and QUERIES hold one text a line, already cut into terms.
Runs in environments without ConstraintSuite, except for the engine `retriever`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

TOP = 10
Search = Callable[[list[str]], Sequence[int]]
"""The numbers of the best documents for the terms of a query, best first."""


def retriever(documents: list[str], k: int, k1: float, b: float) -> Search:
    """The retriever of ConstraintSuite."""
    module, terms = import_module("constraintsuite.models.retrieval.bm25"), import_module("constraintsuite.text.terms")

    class Split(terms.TermAnalyser):  # type: ignore[misc,name-defined]
        def terms(self, text: str) -> list[str]:
            return text.split()

    names = [f"{number:09d}" for number in range(len(documents))]
    index = module.Bm25Retriever(names, documents, k1=k1, b=b, analyser=Split())
    return lambda query: [int(hit.document) for hit in index.search(" ".join(query), k)]


def bm25s(documents: list[str], k: int, k1: float, b: float, backend: str) -> Search:
    """The library's own search, one query a call."""
    index = import_module("bm25s").BM25(k1=k1, b=b, method="lucene", backend=backend)
    index.index([document.split() for document in documents], show_progress=False)

    def search(query: list[str]) -> Sequence[int]:
        found, _ = index.retrieve([query], k=k, show_progress=False, n_threads=0)
        best: list[int] = found[0].tolist()
        return best

    return search


def tantivy(documents: list[str], k: int, k1: float, b: float) -> Search:
    """Tantivy in memory, one thread; its k1 and b are fixed at 1.2 and 0.75."""
    library = import_module("tantivy")
    builder = library.SchemaBuilder()
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    builder.add_integer_field("number", fast=True)
    schema = builder.build()
    index = library.Index(schema)
    writer = index.writer(heap_size=500_000_000, num_threads=1)
    for number, document in enumerate(documents):
        writer.add_document(library.Document(body=document, number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(query: list[str]) -> Sequence[int]:
        terms = [(library.Occur.Should, library.Query.term_query(schema, "body", term)) for term in query]
        hits = searcher.search(library.Query.boolean_query(terms), limit=k, count=False).hits
        numbers: list[int] = searcher.fast_field_values("number", [address for _, address in hits])
        return numbers

    return search


def reference(documents: list[str], k: int, k1: float, b: float) -> Search:
    """No engine: all documents whose exact score is at least that of the tenth, ties included."""
    numpy = import_module("numpy")
    index = import_module("bm25s").BM25(k1=k1, b=b, method="lucene", backend="numpy")
    index.index([document.split() for document in documents], show_progress=False)

    def search(query: list[str]) -> Sequence[int]:
        scores = index.get_scores([term for term in query if term in index.vocab_dict])
        tenth = numpy.partition(scores, len(scores) - TOP)[len(scores) - TOP]
        good: list[int] = numpy.flatnonzero(scores >= tenth - 1e-4).tolist()
        return good

    return search


ENGINES: dict[str, tuple[Callable[..., Search], tuple[str, ...], dict[str, str]]] = {
    "retriever": (retriever, (), {}),
    "bm25s-numpy": (bm25s, ("bm25s",), {"backend": "numpy"}),
    "bm25s-numba": (bm25s, ("numba", "llvmlite"), {"backend": "numba"}),
    "tantivy": (tantivy, ("tantivy",), {}),
    "reference": (reference, (), {}),
}
"""Each with the packages that it adds, and further arguments."""


def installed_mib(packages: Sequence[str]) -> float:
    """What the packages take in site-packages."""
    files = [file for name in packages for file in metadata.distribution(name).files or ()]
    return sum(Path(str(f.locate())).stat().st_size for f in files if Path(str(f.locate())).is_file()) / (1 << 20)


def run(engine: str, terms: Path, queries: Path, k: int, k1: float, b: float) -> dict[str, Any]:
    """Index, then search: first one query (compilation, caches), then all of them under the clock."""
    build, packages, further = ENGINES[engine]
    documents = terms.read_text(encoding="utf-8").split("\n")[:-1]
    asked = [line.split() for line in queries.read_text(encoding="utf-8").split("\n")[:-1]]
    start = time.process_time()
    search = build(documents, k, k1, b, **further)
    indexed = time.process_time()
    search(asked[0])
    first = time.process_time()
    found = [search(query) for query in asked]
    searched = time.process_time()
    return {
        "index_seconds": indexed - start,
        "first_seconds": first - indexed,
        "search_seconds": searched - first,
        "mib": installed_mib(packages),
        "found": [list(best if engine == "reference" else best[:TOP]) for best in found],
    }


if __name__ == "__main__":
    name, term_file, query_file, depth, k1_given, b_given = sys.argv[1:]
    json.dump(run(name, Path(term_file), Path(query_file), int(depth), float(k1_given), float(b_given)), sys.stdout)
