"""Which suite something was made from: the one at the place it was made from, or else one with the same content."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.experiments.load import suite_place
from constraintsuite.web.faults import fault_of
from constraintsuite.web.shelf import Shelved, WebShelf


def suite_with(
    shelf: WebShelf, content: str, place: Path | None, suites: Sequence[Shelved] | None = None
) -> Shelved | None:
    """The suite with a content, if it lies here; of several the one at `place`, and never one that was changed since.

    A manifest alone proves nothing: whoever copies a suite and edits its examples copies the manifest as well.
    """
    known = shelf.of_kind("suite") if suites is None else suites
    found = [one for one in known if one.content == content and not fault_of(shelf, one)]
    return min(found, key=lambda one: (one.path != place, one.place), default=None)


def noted_place(path: Path) -> Path | None:
    """Where the suite of a run lay when it was made, if that is known."""
    try:
        return suite_place(path)
    except (OSError, ValueError):
        return None  # a note that cannot be read says nothing
