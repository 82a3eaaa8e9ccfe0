"""What lies in the folder that is served. A page asks for a place by name, and only what was found here has one."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast

from constraintsuite.annotate.batch import HEAD
from constraintsuite.errors import UserError
from constraintsuite.store.artifact import MANIFEST, Manifest, read_manifest

BATCH, PROPOSALS = "batch", "proposals"
"""Kinds beside those of artifacts: a folder that people judge, a file that `csuite propose` wrote."""
HERE = ".here"
"""Place of the served folder itself: no folder below it has this name, since hidden ones are passed over, and a browser
would take a dot alone out of an address."""
DEEPEST = 6
_PROPOSED = "proposals.jsonl"
_PASSED_OVER = frozenset({"stages", "node_modules", "__pycache__"})
_NOT_OURS = _PASSED_OVER - {"stages"}
"""Folders that no page ever reads from; stages are no things to show, but what a build rejected lies there."""
_KEPT = 24  # things that stay in memory
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shelved:
    """Something that can be shown."""

    place: str
    """Its path inside the folder, with slashes; HERE for the folder itself."""
    path: Path
    kind: str
    name: str
    counts: tuple[tuple[str, int], ...] = ()

    @property
    def where(self) -> str:
        """Its place to be read; empty for the folder itself."""
        return "" if self.place == HERE else self.place


class NotOnShelfError(UserError):
    """A place that nothing was found at."""


class Shelf:
    """All that lies in a folder, looked up anew at each call: what a command writes meanwhile is there at once."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise UserError(f"{root}: there is no such folder.")
        self.root = root.resolve()
        self._kept: OrderedDict[tuple[str, str, int], object] = OrderedDict()
        self._reading: dict[tuple[str, str, int], Lock] = {}
        self._lock = Lock()

    def all(self) -> list[Shelved]:
        """In the order of their places."""
        return sorted(self._find(), key=lambda one: (one.kind, one.place))

    def of_kind(self, *kinds: str) -> list[Shelved]:
        """Those of some kinds."""
        return [one for one in self.all() if one.kind in kinds]

    def get(self, place: str, *kinds: str) -> Shelved:
        """What is at a place; anything else than a place that was found, of these kinds, is a NotOnShelfError."""
        found = next((one for one in self._find() if one.place == place and one.kind in kinds), None)
        if found is None:
            raise NotOnShelfError(f"There is no {' or '.join(kinds)} at {place!r}.")
        self._check(found)
        return found

    def load(self, one: Shelved, read: Callable[[Path], T]) -> T:
        """What `read` makes of it, kept in memory until the thing changes; the least used goes first.

        Whoever asks while it is being read waits for that: many visitors at once need it once.
        """
        key = (one.place, f"{read.__module__}.{read.__qualname__}", _changed(one.path))
        with self._lock:
            if key in self._kept:
                return cast(T, self._recall(key))
            turn = self._reading.setdefault(key, Lock())
        with turn:
            with self._lock:
                if key in self._kept:
                    return cast(T, self._recall(key))
            try:
                self._check(one)
                made = read(one.path)
                self._keep(key, made)
            finally:
                with self._lock:
                    self._reading.pop(key, None)
        return made

    def _recall(self, key: tuple[str, str, int]) -> object:
        self._kept.move_to_end(key)
        return self._kept[key]

    def _keep(self, key: tuple[str, str, int], made: object) -> None:
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def _find(self) -> Iterator[Shelved]:
        for folder, inner, names in os.walk(self.root):
            here = Path(folder)
            inside = here.relative_to(self.root)
            place = inside.as_posix() if inside.parts else HERE
            inner[:] = sorted(filter(_is_shown, inner)) if len(inside.parts) < DEEPEST else []
            files = [name for name in sorted(names) if _tells(name) and self._holds(here / name)]
            if MANIFEST in files and (manifest := _manifest(here)) is not None:
                yield Shelved(place, here, manifest.kind, manifest.name, tuple(manifest.counts.items()))
            elif HEAD in files:
                yield Shelved(place, here, BATCH, here.name)
            for name in files:
                if name.endswith(_PROPOSED) and MANIFEST not in files:
                    file = here / name
                    yield Shelved(file.relative_to(self.root).as_posix(), file, PROPOSALS, name)

    def _check(self, one: Shelved) -> None:
        """No file of it may lead out of the folder: what lies elsewhere was not meant to be served."""
        for folder, inner, names in os.walk(one.path):
            inner[:] = [name for name in inner if name[0] != "." and name not in _NOT_OURS]
            out = next((name for name in (*inner, *names) if not self._holds(Path(folder, name))), None)
            if out is not None:
                place = Path(folder, out).relative_to(self.root).as_posix()
                raise UserError(f"{place!r} is a link that leads out of the folder that is served. Put the file there.")

    def _holds(self, file: Path) -> bool:
        """Whether a file is really below the folder: a link may lead out of it."""
        return not file.is_symlink() or file.resolve().is_relative_to(self.root)


def _tells(file: str) -> bool:
    """Whether a file of this name says that there is something to show."""
    return file in (MANIFEST, HEAD) or (file.endswith(_PROPOSED) and _is_shown(file))


def _is_shown(name: str) -> bool:
    """Whether a name can stand in a page and in an address: what is hidden, or is no text of one line, has no place here."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return name[0] != "." and "\n" not in name and name not in _PASSED_OVER


def _manifest(folder: Path) -> Manifest | None:
    try:
        return read_manifest(folder)
    except UserError:
        return None  # another program's manifest.json, or one that is damaged: `csuite` itself tells of those


def _changed(path: Path) -> int:
    """Of what is written last, or never again: a folder itself changes whenever somebody answers in it."""
    marker = next((path / name for name in (MANIFEST, HEAD) if (path / name).is_file()), path)
    return marker.stat().st_mtime_ns
