"""How the files and folders of a bundle are called."""

from __future__ import annotations

from pathlib import Path

CORPUS, QUERIES, QRELS = "corpus", "queries.parquet", "qrels.parquet"
COVERAGE, REJECTS, TWINS = "coverage.json", "rejects.jsonl", "twins.jsonl"
VECTORS, TRUTH = "vectors", "truth"
PARTS = (VECTORS, TRUTH)
"""Folders of artifacts that lie beside the texts and have manifests of their own."""
DOCUMENT_VECTORS, QUERY_VECTORS = "docs.npy", "queries.npy"
ENCODER, TRUNCATION = "encoder.json", "truncation.json"
OF_VECTORS = (DOCUMENT_VECTORS, QUERY_VECTORS, ENCODER, TRUNCATION)
"""All files of the vectors of one encoder."""


def part_file(folder: Path, number: int) -> Path:
    """One part of the corpus of the bundle in `folder`."""
    return folder / CORPUS / f"part-{number:05}.parquet"
