"""The artifacts in the folder that is served. A page asks for a place by name, and only what was found here has one."""

from __future__ import annotations

import os
import re
import stat
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast
from urllib.parse import quote

from constraintsuite.app.views import SHOWN
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, STAGES, Manifest, read_manifest
from constraintsuite.suites.annotation.batch import HEAD

BATCH, PROPOSALS = "batch", "proposals"
"""Kinds beside those of artifacts: a folder that people judge, a file that `csuite propose` wrote."""
DAMAGED = "damaged"
"""Kind of a folder whose manifest is one of ours, but cannot be read."""
HERE = ".here"
"""Place of the served folder itself: no folder below it has this name, since hidden ones are passed over, and a browser
would take a dot alone out of an address."""
DEEPEST = 6
_PROPOSED = "proposals.jsonl"
_PASSED_OVER = frozenset({STAGES, "node_modules", "__pycache__"})
_NOT_OURS = _PASSED_OVER - {STAGES}
"""Folders that no page ever reads from; stages are no things to show, but what a build rejected lies there."""
_KEPT, _KEPT_SMALL = 24, 4_096
"""Things that stay in memory, and heads, hashes and manifests, which must not drive out whole suites."""
LARGEST_MANIFEST = 16_000_000
"""Bytes; no command writes one that is as large."""
_OURS = re.compile(
    rb'"fingerprint"|"kind"\s*:\s*"(?:suite|run|report|ranking|' + "|".join(SHOWN.names()).encode() + rb')"'
)
"""Stands in every manifest of ours, the kind even if it was cut short; another program's manifest.json is none of our business,
damaged or not."""
_ELSEWHERE = re.compile(r"(?<![\w/.~])/(?!/)[^\s'\"`,;:()/]+(?:/[^\s'\"`,;:()/]+)*/([^\s'\"`,;:()/]+)")
T = TypeVar("T")


@dataclass
class _CacheEntry:
    lock: Lock = field(default_factory=Lock)
    made: list[object] = field(default_factory=list)
    """What was made, alone in a list; empty before that."""


class LruCache:
    """Keeps at most `most` values; the least recently used goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[Hashable, _CacheEntry] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key; whoever asks while another thread makes it waits for that thread."""
        with self._lock:
            entry = self._entries.setdefault(key, _CacheEntry())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.made:
                try:
                    entry.made.append(make())
                except BaseException:
                    with self._lock:
                        self._entries.pop(key, None)
                    raise
        return cast(T, entry.made[0])


@dataclass(frozen=True, slots=True)
class ServedArtifact:
    """Something that can be shown."""

    place: str
    """Its path inside the folder, with slashes; HERE for the folder itself."""
    path: Path
    kind: str
    name: str
    counts: tuple[tuple[str, int], ...] = ()
    content: str = ""
    """Hash of what it holds, as its manifest has it."""

    @property
    def where(self) -> str:
        """Its place to be read; empty for the folder itself."""
        return "" if self.place == HERE else self.place

    @property
    def label(self) -> str:
        """What people know it by: its place. Many suites of one corpus have the same name in their manifests."""
        return self.where or self.path.name

    @property
    def address(self) -> str:
        """The address of its page on the site."""
        return f"/{self.kind}/{quote(self.place)}"

    @property
    def also(self) -> str:
        """The name in its manifest, where that is another."""
        return "" if self.name == self.path.name else self.name


class NotServedError(UserError):
    """A place that nothing was found at."""


class ArtifactIndex:
    """All that lies in a folder, looked up anew at each call: what a command writes meanwhile is there at once."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise UserError(f"{root}: there is no such folder.")
        self.root = root.resolve()
        self._large, self._small = LruCache(_KEPT), LruCache(_KEPT_SMALL)

    def all(self) -> list[ServedArtifact]:
        """In the order of their places."""
        return sorted(self._find(), key=lambda one: (one.kind, one.place))

    def of_kind(self, *kinds: str) -> list[ServedArtifact]:
        """The artifacts of some kinds, in the order of their places."""
        return [one for one in self.all() if one.kind in kinds]

    def get(self, place: str, *kinds: str) -> ServedArtifact:
        """What is at a place; anything else than a place that was found, of these kinds, is a NotServedError."""
        found = next((one for one in self._find() if one.place == place and one.kind in kinds), None)
        if found is None:
            raise NotServedError(f"There is no {' or '.join(kinds)} at {place!r}.")
        self._check(found)
        return found

    def load(self, one: ServedArtifact, read: Callable[[Path], T], *, small: bool = False) -> T:
        """What `read` makes of it, kept in memory until the thing changes; what is small has a memory of its own."""

        def make() -> T:
            self._check(one)
            try:
                return read(one.path)
            except UserError as error:
                raise UserError(self.describe_error(error)) from error

        kept = self._small if small else self._large
        return kept.get((f"{read.__module__}.{read.__qualname__}", one.place, modified_at(one)), make)

    def compute_once(
        self, key: Hashable, of: Sequence[ServedArtifact], make: Callable[[], T], *, small: bool = False
    ) -> T:
        """What is made of several things, kept in memory until one of them changes."""
        kept = self._small if small else self._large
        return kept.get((key, *((one.place, modified_at(one)) for one in of)), make)

    def describe_error(self, error: UserError | str) -> str:
        """What a visitor is told of an error: where the folder lies on this machine is nobody's business."""
        inside = str(error).replace(f"{self.root}/", "")
        said = re.sub(rf"{re.escape(str(self.root))}(?![\w./-])", "the folder that is served", inside)
        return _ELSEWHERE.sub(r"…/\1", said)

    def _find(self) -> Iterator[ServedArtifact]:
        for folder, inner, names in os.walk(self.root):
            here = Path(folder)
            inside = here.relative_to(self.root)
            place = inside.as_posix() if inside.parts else HERE
            is_being_built = STAGES in inner and MANIFEST not in names
            inner[:] = sorted(filter(_is_shown, inner)) if len(inside.parts) < DEEPEST else []
            files = [name for name in sorted(names) if _tells(name) and self.is_inside(here / name)]
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
        try:
            known = (folder / MANIFEST).stat()
            if known.st_size > LARGEST_MANIFEST:
                return None
            return self._small.get((folder, known.st_mtime_ns, known.st_size), lambda: _readable(folder))
        except OSError:
            return None  # taken away this very moment

    def _check(self, one: ServedArtifact) -> None:
        """No file of it may lead out of the folder: what lies elsewhere was not meant to be served."""
        for folder, inner, names in os.walk(one.path):
            inner[:] = [name for name in inner if name[0] != "." and name not in _NOT_OURS]
            out = next((name for name in (*inner, *names) if not self.is_inside(Path(folder, name))), None)
            if out is not None:
                place = Path(folder, out).relative_to(self.root).as_posix()
                raise UserError(
                    f"{place!r} is a link that leads out of the folder that is served, or nowhere, or it is no file. Put the "
                    "file there."
                )

    def is_inside(self, file: Path) -> bool:
        """Whether a file or folder can be read and is really below this one: a link may lead elsewhere, a pipe would never end."""
        try:
            mode = file.lstat().st_mode
        except FileNotFoundError:
            return True  # taken away this very moment, as journals of databases are: whoever reads it is told
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


def modified_at(one: ServedArtifact) -> int:
    """When what is written last, or never again, was written: a folder itself changes whenever somebody answers in it."""
    marker = next((one.path / name for name in (MANIFEST, HEAD) if (one.path / name).is_file()), one.path)
    return marker.stat().st_mtime_ns


def _readable(folder: Path) -> Manifest | None:
    try:
        return read_manifest(folder)
    except UserError:
        return None


def _is_ours(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return _OURS.search(stream.read(LARGEST_MANIFEST)) is not None
    except OSError:
        return False
