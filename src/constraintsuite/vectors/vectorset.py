"""The vectors of a bundle by one encoder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from constraintsuite.errors import UserError
from constraintsuite.models.dense import Similarity
from constraintsuite.store.artifact import Artifact
from constraintsuite.vectors.bundle import VECTORS, Bundle
from constraintsuite.vectors.matrices import ZERO, Matrix, map_matrix

DOCUMENTS_FILE, QUERIES_FILE = "docs.npy", "queries.npy"
ENCODER_FILE, TRUNCATION_FILE = "encoder.json", "truncation.json"
VECTOR_FILES = (DOCUMENTS_FILE, QUERIES_FILE, ENCODER_FILE, TRUNCATION_FILE)


@dataclass(frozen=True)
class VectorSet:
    """Documents and queries as vectors, mapped from disk; row i is row i of the bundle."""

    artifact: Artifact

    @property
    def name(self) -> str:
        """The folder's name: the beginning of the encoder's fingerprint."""
        return self.artifact.path.name

    @property
    def model(self) -> str:
        """The model string."""
        return self.artifact.manifest.name

    @cached_property
    def similarity(self) -> Similarity:
        """How its vectors are meant to be compared."""
        found: Similarity = json.loads((self.artifact.path / ENCODER_FILE).read_text(encoding="utf-8"))["similarity"]
        return found

    @cached_property
    def documents(self) -> Matrix:  # (documents, dimensions)
        """One row a document."""
        return map_matrix(self.artifact.path / DOCUMENTS_FILE)

    @cached_property
    def queries(self) -> Matrix:  # (queries, dimensions)
        """One row a query."""
        return map_matrix(self.artifact.path / QUERIES_FILE)


def vector_sets(bundle: Bundle) -> list[VectorSet]:
    """The vectors that a bundle has."""
    return [VectorSet(artifact) for artifact in bundle.parts(VECTORS)]


def open_vectors(bundle: Bundle, encoder: str | None = None) -> VectorSet:
    """The vectors of that encoder (a model string, or how its folder's name begins), or the only ones there are.

    Those that were changed, exchanged or put into another order since they were made are a UserError.
    """
    every = vector_sets(bundle)
    found = [each for each in every if encoder is None or encoder == each.model or each.name.startswith(encoder)]
    if len(found) == 1:
        found[0].artifact.refuse_changed()
        return found[0]
    there = ", ".join(f"{each.name} ({each.model})" for each in every)
    if not every:
        raise UserError(f"{bundle.path}: no vectors yet. Make them: csuite embed {bundle.path} --model dense:NAME")
    raise UserError(f"{bundle.path}: name one encoder with --encoder. There are: {there}.")


def zero_vectors(bundle: Bundle) -> Iterator[str]:
    """What to say of vectors that are zero, which no similarity can tell apart."""
    for part in bundle.parts(VECTORS):
        for name, count in part.manifest.counts.items():
            if name.endswith(ZERO) and count:
                plural = name.removesuffix(ZERO)
                yield f"{part.path.name} ({part.manifest.name}): the vectors of {count:,} {plural} are zero"
