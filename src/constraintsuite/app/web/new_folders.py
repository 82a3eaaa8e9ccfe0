"""New folders next to the artifacts that they are made from. Existing folders are never replaced."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.app.web.origins import fault_of
from constraintsuite.core.errors import UserError

_OUTSIDE = "A new folder would be outside the served folder. Serve the folder above it."


def require_sibling_allowed(artifacts: ArtifactIndex, artifact: ServedArtifact) -> None:
    """Refuse if there can be no folder next to an artifact; called before the work that would fill it."""
    if artifact.path == artifacts.root:
        raise UserError(_OUTSIDE)


def sibling_fault(artifacts: ArtifactIndex, artifact: ServedArtifact) -> str:
    """Why a page should not offer to make a folder next to an artifact; empty if it may."""
    if artifact.path == artifacts.root:
        return _OUTSIDE
    fault = fault_of(artifacts, artifact)
    return f"{artifact.label} cannot be read, so nothing can be made from it: {fault}" if fault else ""


@contextmanager
def create_sibling(artifacts: ArtifactIndex, artifact: ServedArtifact, ending: str) -> Iterator[Path]:
    """Make an empty folder named after an artifact. It is removed if the block ends with an error."""
    require_sibling_allowed(artifacts, artifact)
    folder = _claim(artifact.path, ending)
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def list_siblings(artifacts: ArtifactIndex, artifact: ServedArtifact, ending: str) -> list[Path]:
    """The folders that were made this way, by name."""
    if artifact.path == artifacts.root:
        return []
    found = (path for path in artifact.path.parent.glob("*") if _is_of(path.name, artifact, ending))
    return sorted(path for path in found if artifacts.is_inside(path) and path.is_dir())


def _claim(path: Path, ending: str) -> Path:
    """Make the folder with the first free name; two requests at the same time get two folders."""
    for number in count(1):
        folder = path.with_name(f"{path.name}.{ending}{f'-{number}' if number > 1 else ''}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            raise UserError(f"{folder.name}: the folder cannot be made: {error.strerror}.") from None
        return folder
    raise AssertionError("there is always a next number")


def _is_of(name: str, artifact: ServedArtifact, ending: str) -> bool:
    head, _, number = name.removeprefix(f"{artifact.path.name}.").partition("-")
    return name.startswith(f"{artifact.path.name}.") and head == ending and (not number or number.isdigit())
