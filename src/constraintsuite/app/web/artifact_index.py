"""The artifacts in the served folder. Pages look artifacts up by place; an address is never turned into a path."""

from __future__ import annotations

import os
import re
import stat
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast
from urllib.parse import quote

from constraintsuite.app.views import SHOWN
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, STAGES, Manifest, read_manifest
from constraintsuite.suites.annotation.batch import HEAD

SUITE, RUN, REPORT = "suite", "run", "report"
BATCH, PROPOSALS = "batch", "proposals"
"""Kinds in addition to the kinds of artifacts: a folder that people judge, and a file that `csuite propose` wrote."""
DAMAGED = "damaged"
"""The kind of a folder whose manifest was written by csuite but cannot be read."""
HERE = ".here"
"""The place of the served folder itself. No folder below it can have this place, since hidden folders are skipped; browsers
remove a single dot from addresses."""
DEEPEST = 6
_PROPOSED = "proposals.jsonl"
_SKIPPED = frozenset({STAGES, "node_modules", "__pycache__"})
_NEVER_READ = _SKIPPED - {STAGES}
"""Folders that no page reads. Stages are not listed as artifacts, but the rejected pairs of a build are read from them."""
_KEPT, _KEPT_SMALL = 24, 4_096
"""Entries of the cache for large objects such as suites, and of the one for headers, hashes and manifests."""
LARGEST_MANIFEST = 16_000_000
"""Bytes; csuite never writes a manifest this large."""
_OURS = re.compile(
    rb'"fingerprint"|"kind"\s*:\s*"(?:suite|run|report|ranking|' + "|".join(SHOWN.names()).encode() + rb')"'
)
"""Found in every manifest that csuite writes, even if it was cut short. The manifest.json of another program is ignored."""
_ELSEWHERE = re.compile(r"(?<![\w/.~])/(?!/)[^\s'\"`,;:()/]+(?:/[^\s'\"`,;:()/]+)*/([^\s'\"`,;:()/]+)")
T = TypeVar("T")


class LruCache:
    """Keeps at most `most` values and drops the least recently used ones."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[Hashable, tuple[Lock, list[object]]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made if it is missing. If another thread is making it, wait for that thread."""
        with self._lock:
            lock, values = self._entries.setdefault(key, (Lock(), []))
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        with lock:
            if not values:
                values.append(make())
        return cast(T, values[0])


@dataclass(frozen=True, slots=True)
class ServedArtifact:
    """An artifact, batch or file of proposals that the site can show."""

    place: str
    """Its path inside the served folder, with slashes; HERE for the folder itself."""
    path: Path
    kind: str
    name: str
    counts: tuple[tuple[str, int], ...] = ()
    content: str = ""
    """The content hash in its manifest."""

    @property
    def label(self) -> str:
        """Its name for people: the place, since many suites of one corpus have the same name in their manifests."""
        return self.path.name if self.place == HERE else self.place

    @property
    def address(self) -> str:
        """The address of its page on the site."""
        return f"/{self.kind}/{quote(self.place)}"

    @property
    def other_name(self) -> str:
        """The name in its manifest; empty if it is the name of the folder."""
        return "" if self.name == self.path.name else self.name


class NotServedError(UserError):
    """Nothing is served at a place."""


class ArtifactIndex:
    """The artifacts in a folder. Each call looks at the folder again, so new artifacts appear at once."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise UserError(f"{root}: there is no such folder.")
        self.root = root.resolve()
        self._large, self._small = LruCache(_KEPT), LruCache(_KEPT_SMALL)

    def all(self) -> list[ServedArtifact]:
        """All artifacts, by kind and place."""
        return sorted(self._find(), key=lambda artifact: (artifact.kind, artifact.place))

    def of_kind(self, *kinds: str) -> list[ServedArtifact]:
        """The artifacts of some kinds, by kind and place."""
        return [artifact for artifact in self.all() if artifact.kind in kinds]

    def get(self, place: str, *kinds: str) -> ServedArtifact:
        """The artifact at a place, if it is of one of these kinds; otherwise a NotServedError."""
        at_place = (artifact for artifact in self._find() if artifact.place == place)
        found = next((artifact for artifact in at_place if artifact.kind in kinds), None)
        if found is None:
            raise NotServedError(f"There is no {' or '.join(kinds)} at {place!r}.")
        self._check(found)
        return found

    def load(self, artifact: ServedArtifact, read: Callable[[Path], T], *, small: bool = False) -> T:
        """The result of `read` on the path of an artifact, cached until it changes; `small` results have a cache of their own."""

        def make() -> T:
            self._check(artifact)
            try:
                return read(artifact.path)
            except UserError as error:
                raise UserError(self.describe_error(error)) from error

        return self.compute_once(f"{read.__module__}.{read.__qualname__}", [artifact], make, small=small)

    def compute_once(
        self, key: Hashable, of: Sequence[ServedArtifact], make: Callable[[], T], *, small: bool = False
    ) -> T:
        """The result of `make`, cached under `key` until one of the artifacts changes."""
        cache = self._small if small else self._large
        return cache.get((key, *((artifact.place, _modified_at(artifact)) for artifact in of)), make)

    def describe_error(self, error: UserError | str) -> str:
        """The message of an error for visitors, without the paths of this machine."""
        message = str(error).replace(f"{self.root}/", "")
        hidden = re.sub(rf"{re.escape(str(self.root))}(?![\w./-])", "the folder that is served", message)
        return _ELSEWHERE.sub(r"…/\1", hidden)

    def _find(self) -> Iterator[ServedArtifact]:
        for folder, inner, names in os.walk(self.root):
            here = Path(folder)
            inside = here.relative_to(self.root)
            place = inside.as_posix() if inside.parts else HERE
            is_being_built = STAGES in inner and MANIFEST not in names
            inner[:] = sorted(filter(_is_shown, inner)) if len(inside.parts) < DEEPEST else []
            files = [name for name in sorted(names) if _is_marker(name) and self.is_inside(here / name)]
            if MANIFEST in files and (manifest := self._manifest(here)) is not None:
                counts = tuple(manifest.counts.items())
                yield ServedArtifact(place, here, manifest.kind, manifest.name, counts, manifest.content)
            elif MANIFEST in files and _is_ours(here / MANIFEST):
                yield ServedArtifact(place, here, DAMAGED, here.name)
            elif HEAD in files:
                yield ServedArtifact(place, here, BATCH, here.name)
            for name in files:
                if name.endswith(_PROPOSED) and MANIFEST not in files and not is_being_built:
                    file = here / name
                    yield ServedArtifact(file.relative_to(self.root).as_posix(), file, PROPOSALS, name)

    def _manifest(self, folder: Path) -> Manifest | None:
        def read() -> Manifest | None:
            try:
                return read_manifest(folder)
            except UserError:
                return None

        try:
            known = (folder / MANIFEST).stat()
            large = known.st_size > LARGEST_MANIFEST
            return None if large else self._small.get((folder, known.st_mtime_ns, known.st_size), read)
        except OSError:
            return None  # deleted just now

    def _check(self, artifact: ServedArtifact) -> None:
        """Refuse an artifact with a link that leads out of the served folder."""
        for folder, inner, names in os.walk(artifact.path):
            inner[:] = [name for name in inner if name[0] != "." and name not in _NEVER_READ]
            out = next((name for name in (*inner, *names) if not self.is_inside(Path(folder, name))), None)
            if out is not None:
                place = Path(folder, out).relative_to(self.root).as_posix()
                raise UserError(
                    f"{place!r} is a link that leads out of the served folder or nowhere, or it is not a file. Put the file itself "
                    "there."
                )

    def is_inside(self, file: Path) -> bool:
        """Whether a path is a readable file or folder inside the served folder, and not a pipe or a link to elsewhere."""
        try:
            mode = file.lstat().st_mode
        except FileNotFoundError:
            return True  # deleted just now, such as the journal of a database: the reader will report it
        except OSError:
            return False
        if stat.S_ISLNK(mode):
            try:
                found = file.resolve(strict=True)
                mode = found.stat().st_mode
            except (OSError, RuntimeError):  # a link that leads nowhere, or to itself
                return False
            if not found.is_relative_to(self.root):
                return False
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _is_marker(file: str) -> bool:
    """Whether a file of this name marks something that the site shows."""
    return file in (MANIFEST, HEAD) or (file.endswith(_PROPOSED) and _is_shown(file))


def _is_shown(name: str) -> bool:
    """Whether a name can be part of an address: not hidden, not skipped, and text without line breaks."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return name[0] != "." and "\n" not in name and name not in _SKIPPED


def _modified_at(artifact: ServedArtifact) -> int:
    """When the manifest or header was written. The folder itself also changes when somebody answers."""
    markers = (artifact.path / name for name in (MANIFEST, HEAD))
    return next(filter(Path.is_file, markers), artifact.path).stat().st_mtime_ns


def _is_ours(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return _OURS.search(stream.read(LARGEST_MANIFEST)) is not None
    except OSError:
        return False
