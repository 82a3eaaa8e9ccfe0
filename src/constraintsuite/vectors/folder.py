"""Folders of bundles: who may read them, and which vectors and truths are removed with the texts they were made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.store.artifact import ArtifactOrigin
from constraintsuite.store.files import folder_lock
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.store.workspace import Replace, Workspace, claim, discard
from constraintsuite.vectors.bundle import (
    CORPUS,
    COVERAGE,
    PARTS,
    QRELS,
    QUERIES,
    REJECTS,
    TWINS,
    Bundle,
    finished_parts,
)

_FILES = (f"{CORPUS}/*", QUERIES, QRELS, COVERAGE, REJECTS, TWINS)


def claim_bundle(
    out: Path, origin: ArtifactOrigin, reporter: Reporter, *, force: bool
) -> AbstractContextManager[Workspace]:
    """The workspace of a bundle's texts; finished texts are replaced only by `force`, as their vectors may have taken hours."""
    return claim(
        out,
        origin,
        _FILES,
        replace=Replace.SAME_KIND if force else Replace.UNFINISHED,
        beside=PARTS,
        work=str(REVISIONS["subset work"]),
        otherwise=lambda _: "or replace it with --force",
        note=reporter.note,
    )


@contextmanager
def reading(path: Path) -> Iterator[Bundle]:
    """The bundle at `path`, which nobody replaces while the block runs."""
    with locked(path):
        yield Bundle.open(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keeps commands that would replace the bundle at `path` out while the block runs; others may read it too."""
    if not path.is_dir():
        raise UserError(f"{path}: there is no such folder.")
    with folder_lock(path, shared=True):
        yield


def remove_other_parts(bundle: Bundle, *, unfinished: bool) -> None:
    """Remove vectors and truths of other texts; those that are `unfinished` may be of these texts, and are removed on demand."""
    for folder in PARTS:
        if unfinished:
            own = {part.path for part in bundle.parts(folder)}
            found = (bundle.path / folder).iterdir() if (bundle.path / folder).is_dir() else ()
            other = [part for part in found if part not in own]
        else:
            other = [part.path for part in finished_parts(bundle.path, folder) if not bundle.owns(part)]
        for part in other:
            discard(part)
