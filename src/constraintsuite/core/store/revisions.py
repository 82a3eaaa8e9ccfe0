"""Revisions: numbers for the versions of our code, declared by hand and not hashed from the source.

A finished artifact is up to date when its revision, the versions of the revision's libraries, its inputs and its settings are
the current ones. So a changed comment, page or message does not make artifacts outdated, and a changed result does.

To raise a revision: change the code, add one to the number here (for a stage of `csuite build`: in `suites/build.py`; for an
engine of `csuite ann`: in its class), then update the small results with `make golden`. The tests in `tests/golden` fail when
bytes change without a new number, and when a number is raised without a change of bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from constraintsuite.core.store.environment import TEXT_LIBRARIES, library_versions


@dataclass(frozen=True)
class Revision:
    """The number of a revision, and the libraries whose versions can change the same bytes."""

    number: int
    libraries: tuple[str, ...] = ()
    stages: str = ""
    """The revisions of its stages, as text."""

    def __str__(self) -> str:
        """The number with the installed versions and the stages, as it enters a fingerprint."""
        versions = (f"{name}=={version}" for name, version in library_versions(self.libraries).items())
        return " ".join([str(self.number), *versions, *filter(None, [self.stages])])


REVISIONS: Mapping[str, Revision] = {
    # Artifacts by kind. A suite also depends on the revisions of its stages.
    "suite": Revision(7, TEXT_LIBRARIES),
    "imported suite": Revision(6, TEXT_LIBRARIES),
    "run": Revision(4, TEXT_LIBRARIES),
    "ranking": Revision(3, TEXT_LIBRARIES),
    "report": Revision(10, TEXT_LIBRARIES),
    "bundle": Revision(1),
    "vectors": Revision(1),
    "truth": Revision(1),
    "ann": Revision(1),
    "graph": Revision(2),
    "memory_run": Revision(2, TEXT_LIBRARIES),
    "snapshot": Revision(1),
    "tune": Revision(1, TEXT_LIBRARIES),
    "training data": Revision(1, TEXT_LIBRARIES),
    "explain": Revision(3, TEXT_LIBRARIES),
    "circuit": Revision(3, TEXT_LIBRARIES),
    "drift": Revision(4, TEXT_LIBRARIES),
    # Caches, and what is read from documents. Raise `arrays` when a local model gives other scores or vectors, and also the
    # kinds that are made from them.
    "arrays": Revision(1),
    "onnx graph": Revision(1),
    "memory readings": Revision(3),
    "memory terms": Revision(1, ("pystemmer",)),
    # Unfinished work, and cells of a benchmark, which stay valid when only the report changes.
    "subset work": Revision(2),
    "embedding shard": Revision(2),
    "cell": Revision(3),
    "cell of texts": Revision(1),
}
