"""The names of the files and folders of a bundle."""

from __future__ import annotations

from pathlib import Path

CORPUS, QUERIES, QRELS = "corpus", "queries.parquet", "qrels.parquet"
COVERAGE, REJECTS, TWINS = "coverage.json", "rejects.jsonl", "twins.jsonl"
VECTORS, TRUTH = "vectors", "truth"
PARTS = (VECTORS, TRUTH)
"""Folders of artifacts with manifests of their own, next to the texts."""
DOCUMENT_VECTORS, QUERY_VECTORS = "docs.npy", "queries.npy"
ENCODER, TRUNCATION = "encoder.json", "truncation.json"
OF_VECTORS = (DOCUMENT_VECTORS, QUERY_VECTORS, ENCODER, TRUNCATION)
"""The files of the vectors of one encoder."""


def part_file(folder: Path, number: int) -> Path:
    """The file of one part of the corpus."""
    return folder / CORPUS / f"part-{number:05}.parquet"
