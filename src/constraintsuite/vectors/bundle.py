"""A bundle: the texts of a subset, and the vectors and truths that were made from them.

    manifest.json corpus/part-*.parquet queries.parquet qrels.parquet coverage.json rejects.jsonl    the texts: an artifact
    twins.jsonl                                                          if equal texts were left out
    vectors/ENCODER/   docs.npy queries.npy encoder.json truncation.json                             an artifact each
    truth/relevance/ , truth/neighbours-…/                                                           an artifact each

Each is written once, and records the texts it was made from; vectors and truths of other texts are not part of the bundle.
The id of a bundle is the hash of the contents of all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.text import Qrel
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.files import folder_lock, sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, Workspace, claim, discard
from constraintsuite.models.backends import Similarity
from constraintsuite.vectors import files
from constraintsuite.vectors.matrices import ZERO, Matrix, map_matrix
from constraintsuite.vectors.tables import DocumentRow, QueryRow, read_fixed, read_parquet, read_qrels

MIN_RELEVANCE = 1
"""The lowest positive grade, unless the settings give another."""


@dataclass(frozen=True)
class Bundle:
    """An open bundle: its texts, and the manifests of its vectors and truths."""

    texts: Artifact

    @classmethod
    def open(cls, path: Path) -> Bundle:
        """Open the bundle at `path` and verify its texts. Raises UserError if it is not an unchanged bundle.

        Vectors and truths are verified when they are opened, since they may be many times as large.
        """
        return cls(Artifact.open(path, "bundle"))

    @classmethod
    def open_unverified(cls, path: Path) -> Bundle:
        """Open the bundle at `path` without verifying it: for workers of a command that has verified it, and for lists."""
        return cls(Artifact.open_unverified(path, "bundle"))

    @property
    def path(self) -> Path:
        """The folder of the bundle."""
        return self.texts.path

    @property
    def documents(self) -> int:
        """The number of documents."""
        return self.texts.manifest.counts["documents"]

    @cached_property
    def queries(self) -> tuple[QueryRow, ...]:
        """All queries, in the order of their rows."""
        return tuple(QueryRow(*cast(QueryRow, row)) for row in read_parquet(self.path / files.QUERIES))

    def qrels(self) -> Iterator[Qrel]:
        """All judgments, read one by one."""
        return read_qrels(self.path / files.QRELS)

    def rows(self, start: int = 0, stop: int | None = None) -> Iterator[DocumentRow]:
        """The documents of these rows, read one by one."""
        stop = self.documents if stop is None else stop
        for number in range(start // self._part_rows, -(-stop // self._part_rows)):
            for row in read_parquet(files.part_file(self.path, number), first=max(0, start - number * self._part_rows)):
                document = DocumentRow(*cast(DocumentRow, row))
                if document.row >= stop:
                    return
                yield document

    def ids(self) -> Iterator[str]:
        """The id of each document, by row."""
        return (cast(str, name) for file in self._part_files() for (name,) in read_parquet(file, ["doc_id"]))

    def text_hashes(self) -> bytes:
        """Sixteen bytes per document, by row; zeros if there is no text."""
        return b"".join(read_fixed(file, "text_sha256") for file in self._part_files())

    def _part_files(self) -> Iterator[Path]:
        return (files.part_file(self.path, number) for number in range(-(-self.documents // self._part_rows)))

    @property
    def _part_rows(self) -> int:
        return int(self.texts.manifest.settings["part_rows"])

    @property
    def min_relevance(self) -> int:
        """The lowest positive grade of this bundle."""
        return int(self.texts.manifest.settings.get("min_relevance", MIN_RELEVANCE))

    def parts(self, folder: str) -> list[Artifact]:
        """The finished artifacts in `vectors` or `truth` that were made from these texts, by name."""
        return [part for part in finished_parts(self.path, folder) if self.owns(part)]

    def refuse_changed_parts(self) -> None:
        """Raise a UserError if any of its vectors or truths was changed."""
        for part in self.all_parts():
            part.refuse_changed()

    def all_parts(self) -> list[Artifact]:
        """All vectors and truths that were made from these texts."""
        return [part for folder in files.PARTS for part in self.parts(folder)]

    def owns(self, part: Artifact) -> bool:
        """Whether vectors or a truth were made from these texts; a killed build may leave vectors of other texts."""
        return part.manifest.inputs.get("texts") == self.texts.manifest.content

    @property
    def id(self) -> str:
        """Two bundles with the same id have the same bytes: texts, vectors and truths."""
        parts = self.all_parts()
        named = (f"{part.path.relative_to(self.path).as_posix()} {part.manifest.content}" for part in parts)
        return sha256_text(self.texts.manifest.content, *named)

    def require_texts(self) -> None:
        """Raise a UserError if the bundle has no texts."""
        if not self.texts.manifest.settings["texts"]:
            raise UserError(
                f"{self.path}: this bundle was imported without texts, or without some of them. Import it with --texts."
            )


def finished_parts(path: Path, folder: str) -> list[Artifact]:
    """All finished artifacts in the folder `vectors` or `truth` of a bundle, by name, of any texts."""
    found = sorted((path / folder).iterdir()) if (path / folder).is_dir() else []
    manifests = {part: read_manifest(part) for part in found if part.is_dir()}
    return [Artifact(part, manifest) for part, manifest in manifests.items() if manifest is not None]


_FILES = (f"{files.CORPUS}/*", files.QUERIES, files.QRELS, files.COVERAGE, files.REJECTS, files.TWINS)


def claim_bundle(
    out: Path, origin: ArtifactOrigin, reporter: Reporter, *, force: bool
) -> AbstractContextManager[Workspace]:
    """Claim the workspace of a bundle's texts; finished texts are replaced only with `force`."""
    return claim(
        out,
        origin,
        _FILES,
        replace=Replace.SAME_KIND if force else Replace.UNFINISHED,
        separate=files.PARTS,
        work=str(REVISIONS["subset work"]),
        otherwise=lambda _: "or replace it with --force",
        note=reporter.note,
    )


@contextmanager
def reading(path: Path) -> Iterator[Bundle]:
    """Open the bundle at `path`; no command can replace it while the block runs."""
    with locked(path):
        yield Bundle.open(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a shared lock: no command can replace the bundle at `path` while the block runs, others may read it."""
    if not path.is_dir():
        raise UserError(f"{path}: there is no such folder.")
    with folder_lock(path, shared=True):
        yield


def remove_other_parts(bundle: Bundle, *, unfinished: bool) -> None:
    """Remove vectors and truths of other texts; with `unfinished`, also all that are not finished."""
    for folder in files.PARTS:
        if unfinished:
            own = {part.path for part in bundle.parts(folder)}
            found = (bundle.path / folder).iterdir() if (bundle.path / folder).is_dir() else ()
            other = [part for part in found if part not in own]
        else:
            other = [part.path for part in finished_parts(bundle.path, folder) if not bundle.owns(part)]
        for part in other:
            discard(part)


@dataclass(frozen=True)
class VectorSet:
    """The vectors of one encoder, mapped from disk; row i is row i of the bundle."""

    artifact: Artifact

    @property
    def name(self) -> str:
        """The folder's name: the beginning of the encoder's fingerprint."""
        return self.artifact.path.name

    @property
    def model(self) -> str:
        """The model string of the encoder, such as `dense:all-MiniLM-L6-v2`."""
        return self.artifact.manifest.name

    @cached_property
    def similarity(self) -> Similarity:
        """The similarity that the encoder is made for."""
        found: Similarity = json.loads((self.artifact.path / files.ENCODER).read_text(encoding="utf-8"))["similarity"]
        return found

    @cached_property
    def documents(self) -> Matrix:  # (documents, dimensions)
        """The vectors of the documents, mapped from disk."""
        return map_matrix(self.artifact.path / files.DOCUMENT_VECTORS)

    @cached_property
    def queries(self) -> Matrix:  # (queries, dimensions)
        """The vectors of the queries, mapped from disk."""
        return map_matrix(self.artifact.path / files.QUERY_VECTORS)


def vector_sets(bundle: Bundle) -> list[VectorSet]:
    """The vectors of each encoder of a bundle."""
    return [VectorSet(artifact) for artifact in bundle.parts(files.VECTORS)]


def open_vectors(bundle: Bundle, encoder: str | None = None) -> VectorSet:
    """The verified vectors of an encoder (a model string, or the beginning of its folder's name), or the only ones there are."""
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
    """Notes on zero vectors, which no similarity can distinguish."""
    for part in bundle.parts(files.VECTORS):
        for name, count in part.manifest.counts.items():
            if name.endswith(ZERO) and count:
                plural = name.removesuffix(ZERO)
                yield f"{part.path.name} ({part.manifest.name}): the vectors of {count:,} {plural} are zero"
