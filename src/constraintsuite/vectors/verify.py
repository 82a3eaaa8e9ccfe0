"""Whether a bundle is what it says: every byte, then everything that must agree.

`environment.json` alone is not hashed, since it differs between two equal builds (time, host, versions): it must be there
and be JSON. Of a manifest, what no hash covers (counts, rejects) is counted again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.store.artifact import ENVIRONMENT, FORMAT, MANIFEST, Artifact, ArtifactOrigin, read_manifest
from constraintsuite.store.files import sha256_of, sha256_text
from constraintsuite.store.revisions import Revision
from constraintsuite.vectors.bundle import CORPUS, PARTS, Bundle, finished_parts
from constraintsuite.vectors.checking_texts import check_corpus, check_counts, check_judgments, check_twins
from constraintsuite.vectors.checking_vectors import check_neighbours, check_relevance, check_vectors
from constraintsuite.vectors.folder import locked
from constraintsuite.vectors.neighbours import neighbour_truths
from constraintsuite.vectors.vectorset import vector_sets


def verify_folder(path: Path) -> list[str]:
    """What is wrong with the bundle at `path`, which no command may replace meanwhile.

    A manifest that cannot be read is a fault like others.
    """
    if not (path / CORPUS).is_dir():
        Bundle.open_unverified(path)  # says what this is instead
    with locked(path):
        try:
            manifest = read_manifest(path)
            if manifest is not None and manifest.kind != "bundle":
                return [f"{MANIFEST}: says that this is a {manifest.kind!r}, and it holds a bundle"]
            return verify_bundle(Bundle.open_unverified(path))
        except UserError as error:
            if not (path / MANIFEST).is_file():  # never finished, so that there is nothing to check
                raise
            return [str(error)]


def verify_bundle(bundle: Bundle) -> list[str]:
    """What is wrong, one line a fault; where bytes changed, only that is said."""
    parts = [part for folder in PARTS for part in finished_parts(bundle.path, folder)]
    faults = list(chain(_faults(bundle.texts, "", PARTS), *(_bytes_of(bundle, part) for part in parts)))
    faults = faults or list(_caught(partial(check_counts, bundle)))
    if faults:
        return faults
    checks: list[Callable[[], Iterator[str]]] = [
        partial(check_corpus, bundle),
        partial(check_twins, bundle),
        partial(check_judgments, bundle),
        *(partial(check_vectors, bundle, vectors) for vectors in vector_sets(bundle)),
        partial(check_relevance, bundle),
        *(partial(check_neighbours, bundle, truth) for truth in neighbour_truths(bundle)),
    ]
    return [fault for check in checks for fault in _caught(check)]


def _caught(check: Callable[[], Iterator[str]]) -> Iterator[str]:
    """The faults that a check finds, and the one that ended it."""
    try:
        yield from check()
    except UserError as error:
        yield str(error)


def _bytes_of(bundle: Bundle, part: Artifact) -> Iterator[str]:
    name = part.path.relative_to(bundle.path).as_posix()
    yield from _faults(part, f"{name}/")
    if not bundle.owns(part):
        yield f"{name}: made from other texts"


def _faults(artifact: Artifact, where: str, beside: Collection[str] = ()) -> Iterator[str]:
    own = list(_manifest(artifact))
    yield from (f"{where}{MANIFEST}: {fault}" for fault in own)
    if not own:  # of a list of files that was changed, nothing can be concluded
        yield from (f"{where}{fault}" for fault in artifact.verify(beside))
    try:
        known = isinstance(json.loads((artifact.path / ENVIRONMENT).read_bytes()), dict)
    except (OSError, ValueError):
        known = False
    if not known:
        yield f"{where}{ENVIRONMENT}: missing, or changed since it was written"


def _manifest(artifact: Artifact) -> Iterator[str]:
    """The manifest holds hashes of itself: of the files, and of all that decided them."""
    own = artifact.manifest
    origin = ArtifactOrigin(own.kind, own.name, own.inputs, own.settings, own.seed, Revision(own.revision))
    written = (own.model_dump_json(indent=2) + "\n").encode()
    if own.format != FORMAT or (artifact.path / MANIFEST).read_bytes() != written:
        yield "changed since it was written"
    if own.content != sha256_text(*(f"{file} {entry.sha256}" for file, entry in own.files.items())):
        yield "its list of files was changed"
    if own.fingerprint != origin.fingerprint:
        yield "its inputs or settings were changed, or it is of another version"
    for name, entry in own.files.items():
        file = artifact.path / name
        if file.is_file() and file.stat().st_size != entry.bytes and sha256_of(file) == entry.sha256:
            yield f"says that {name} has {entry.bytes:,} bytes, and it has {file.stat().st_size:,}"
