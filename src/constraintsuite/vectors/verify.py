"""Verify a bundle, and compare two bundles.

`environment.json` is not hashed, since it differs between two equal builds (time, host, versions); it must exist and be
JSON. The counts and rejects of a manifest, which no hash covers, are counted again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import ENVIRONMENT, FORMAT, MANIFEST, Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.core.store.revisions import Revision
from constraintsuite.vectors import files
from constraintsuite.vectors.bundle import Bundle, finished_parts, locked
from constraintsuite.vectors.checks import all_checks, check_counts


def verify_folder(path: Path) -> list[str]:
    """The faults of the bundle at `path`, which is locked during the check; a manifest that cannot be read is a fault too."""
    if not (path / files.CORPUS).is_dir():
        Bundle.open_unverified(path)  # raises an error that says what this is
    with locked(path):
        try:
            manifest = read_manifest(path)
            if manifest is not None and manifest.kind != "bundle":
                return [f"{MANIFEST}: it says {manifest.kind!r}, but the folder holds a bundle"]
            return verify_bundle(Bundle.open_unverified(path))
        except UserError as error:
            if not (path / MANIFEST).is_file():  # never finished: nothing to check
                raise
            return [str(error)]


def verify_bundle(bundle: Bundle) -> list[str]:
    """The faults, one line each; if bytes changed, only those are reported."""
    parts = [part for folder in files.PARTS for part in finished_parts(bundle.path, folder)]
    faults = list(chain(_faults(bundle.texts, "", files.PARTS), *(_bytes_of(bundle, part) for part in parts)))
    faults = faults or list(_caught(partial(check_counts, bundle)))
    return faults or [fault for check in all_checks(bundle) for fault in _caught(check)]


def _caught(check: Callable[[], Iterator[str]]) -> Iterator[str]:
    """The faults that a check yields, and the error that ends it."""
    try:
        yield from check()
    except UserError as error:
        yield str(error)


def _bytes_of(bundle: Bundle, part: Artifact) -> Iterator[str]:
    name = part.path.relative_to(bundle.path).as_posix()
    yield from _faults(part, f"{name}/")
    if not bundle.owns(part):
        yield f"{name}: made from other texts"


def _faults(artifact: Artifact, where: str, parts: Collection[str] = ()) -> Iterator[str]:
    own = list(_manifest(artifact))
    yield from (f"{where}{MANIFEST}: {fault}" for fault in own)
    if not own:  # a changed list of files says nothing about the files
        yield from (f"{where}{fault}" for fault in artifact.verify(parts))
    try:
        known = isinstance(json.loads((artifact.path / ENVIRONMENT).read_bytes()), dict)
    except (OSError, ValueError):
        known = False
    if not known:
        yield f"{where}{ENVIRONMENT}: missing, or changed since it was written"


def _manifest(artifact: Artifact) -> Iterator[str]:
    """Check the hashes in the manifest: of the files, and of inputs and settings."""
    own = artifact.manifest
    origin = ArtifactOrigin(own.kind, own.name, own.inputs, own.settings, own.seed, Revision(own.revision))
    written = (own.model_dump_json(indent=2) + "\n").encode()
    if own.format != FORMAT or (artifact.path / MANIFEST).read_bytes() != written:
        yield "changed since it was written"
    if own.content != sha256_text(*(f"{file} {entry.sha256}" for file, entry in own.files.items())):
        yield "its list of files was changed"
    if own.fingerprint != origin.fingerprint:
        yield "its inputs or settings were changed, or it was written by another version"
    for name, entry in own.files.items():
        file = artifact.path / name
        if file.is_file() and file.stat().st_size != entry.bytes and sha256_of(file) == entry.sha256:
            yield f"says that {name} has {entry.bytes:,} bytes, but it has {file.stat().st_size:,}"


K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class OverlapCounts:
    """How many documents, queries or other parts two bundles share."""

    only_left: int
    only_right: int
    equal: int
    changed: int
    """Same name, other content."""


@dataclass(frozen=True)
class BundleDifference:
    """What two bundles share, and what differs."""

    identical: bool
    """Whether they have the same id, and so the same bytes."""
    documents: OverlapCounts
    queries: OverlapCounts
    judgments: OverlapCounts
    vectors: OverlapCounts
    truths: OverlapCounts
    files: tuple[str, ...] = ()
    """Files of the texts that differ; they hold strata and probabilities in addition to texts."""


def diff_bundles(left: Bundle, right: Bundle) -> BundleDifference:
    """Compare documents (by the hashes of their texts), queries, judgments, vectors and truths of two bundles."""
    documents = [{row.id: row.text_sha256 for row in bundle.rows()} for bundle in (left, right)]
    queries = [{row.id: row.text for row in bundle.queries} for bundle in (left, right)]
    qrels = [{(each.query, each.document): each.grade for each in bundle.qrels()} for bundle in (left, right)]
    vectors, truths = (
        [{part.path.name: part.manifest.content for part in bundle.parts(folder)} for bundle in (left, right)]
        for folder in (files.VECTORS, files.TRUTH)
    )
    return BundleDifference(
        left.id == right.id,
        _compare(*documents),
        _compare(*queries),
        _compare(*qrels),
        _compare(*vectors),
        _compare(*truths),
        _files(left, right),
    )


def _files(left: Bundle, right: Bundle) -> tuple[str, ...]:
    one, other = left.texts.manifest.files, right.texts.manifest.files
    return tuple(sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name)))


def _compare(left: Mapping[K, object], right: Mapping[K, object]) -> OverlapCounts:
    shared = left.keys() & right.keys()
    equal = sum(left[name] == right[name] for name in shared)
    return OverlapCounts(len(left) - len(shared), len(right) - len(shared), equal, len(shared) - equal)
