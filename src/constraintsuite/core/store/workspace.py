"""How every command fills its output folder: claim it, resume stopped work, replace earlier output, finish.

    manifest.json  environment.json  FILES  stages/  .working  .lock

`claim` locks the folder. It refuses a folder that holds anything but earlier output or unfinished work of the same command,
and it finds the finished artifact if the same origin was made there before. `.working` names the unfinished work, and `stages`
holds what that work has done so far. Output is either written to `stages/new`, which replaces earlier output when it is
complete, or directly into a folder that holds no earlier output. `finish` writes the manifest; then the unfinished work and
its marker are removed.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import (
    ENVIRONMENT,
    MANIFEST,
    STAGES,
    Artifact,
    ArtifactOrigin,
    Manifest,
    finish,
    read_manifest,
)
from constraintsuite.core.store.files import folder_lock, remove_leftovers, whole_folder, write_text
from constraintsuite.core.store.mirror import push_path, remove_from_store

WORKING = ".working"
_NEW, _CLEARED = "new", "cleared"


class Replace(IntEnum):
    """What a command may replace in its output folder; each level includes those before it."""

    NOTHING = 0
    """Work of the same origin is resumed, and nothing is replaced: it may have taken hours."""
    UNFINISHED = 1
    """Work of another origin that was stopped."""
    DAMAGED = 2
    """The artifact of the same origin, if one of its files was changed."""
    SAME_NAME = 3
    """Any artifact of the same kind and name."""
    SAME_KIND = 4
    """Any artifact of the same kind."""
    UP_TO_DATE = 5
    """Even the artifact of the same origin with no file changed, so that it is made again."""


@dataclass
class Workspace:
    """A claimed output folder; see `claim` for its fields."""

    out: Path
    origin: ArtifactOrigin
    files: Sequence[str]
    replace: Replace
    separate: Sequence[str]
    mark: str
    """The content of `.working` while this work is not finished."""
    otherwise: Callable[[Manifest], str]
    finished: Artifact | None = None
    """The finished artifact: found by `claim`, or made by `finish`."""
    _started: float = field(default_factory=time.monotonic)

    @property
    def stages(self) -> Path:
        """The folder of unfinished work, from which a stopped command resumes."""
        return self.out / STAGES

    @property
    def new(self) -> Path:
        """The folder of new output; at the end its files replace earlier output."""
        return self.stages / _NEW

    def empty_new(self) -> Path:
        """The folder `new`, emptied of what a stopped command wrote there."""
        shutil.rmtree(self.new, ignore_errors=True)
        self._step(_CLEARED).unlink(missing_ok=True)
        self.new.mkdir(parents=True)
        return self.new

    @property
    def is_started(self) -> bool:
        """Whether this work was started and has not finished."""
        return _mark_of(self.out) == self.mark

    def is_done(self, step: str) -> bool:
        """Whether a step of this work was marked as done."""
        return self._step(step).is_file()

    def mark_done(self, step: str) -> None:
        """Mark a step of this work as done, after its output is on disk."""
        write_text(self._step(step), "")

    def discard_work(self) -> None:
        """Remove all that this work has done so far, unless `stages` is a separate folder."""
        if STAGES not in self.separate:
            discard(self.stages)

    def finish(
        self,
        counts: Mapping[str, int],
        rejects: Mapping[str, int] | None = None,
        events: Sequence[str] = (),
        place: Mapping[str, Any] | None = None,
    ) -> Artifact:
        """Move the files of `new` to their places and write the manifest; see `artifact.finish`."""
        if self.new.is_dir():
            self._exchange()
        seconds = time.monotonic() - self._started
        self.finished = finish(self.out, self.origin, counts, rejects or {}, seconds, events, place, self.separate)
        return self.finished

    def _exchange(self) -> None:
        """Replace earlier output by the files of `new`; if this is stopped, the next call resumes."""
        (self.out / MANIFEST).unlink(missing_ok=True)  # first of all: from now on the folder is unfinished
        if not self.is_done(_CLEARED):
            for path in [path for path in self._visible() if self._is_own(path)]:
                path.unlink()
            self.mark_done(_CLEARED)
        for path in [path for path in sorted(self.new.rglob("*")) if path.is_file()]:
            target = self.out / path.relative_to(self.new)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)

    def _step(self, name: str) -> Path:
        return self.stages / f"{name}.done"

    def _find(self, accept: Callable[[Artifact], bool], note: Callable[[str], None]) -> Artifact | None:
        """The finished artifact of this origin, if it exists. Raises UserError for content that may not be replaced."""
        if self.out.exists() and not self.out.is_dir():
            raise UserError(f"{self.out}: this is a file, not a folder. Choose another --out.")
        manifest = read_manifest(self.out)
        if manifest is not None:
            found = Artifact(self.out, manifest)
            if manifest.fingerprint != self.origin.fingerprint and not accept(found):
                self._refuse_other(manifest)
            elif self.replace < Replace.UP_TO_DATE:
                if self.replace < Replace.DAMAGED:
                    found.refuse_changed()
                changed = next(found.changed_files(), None)
                if changed is None:
                    return found
                note(f"{self.out / changed} is not what was written, so it is all made again")
        self._refuse_foreign()
        return None

    def _refuse_other(self, manifest: Manifest) -> None:
        same_kind = manifest.kind == self.origin.kind
        same_name = same_kind and manifest.name == self.origin.name
        if self.replace >= (Replace.SAME_KIND if not same_name else Replace.SAME_NAME) and same_kind:
            return
        what = f"the {manifest.kind} {manifest.name!r}"
        if same_kind:
            what += ", made from other inputs, settings or versions"
        otherwise = f", {self.otherwise(manifest)}" if same_kind else ""
        raise UserError(f"{self.out}: this folder already holds {what}. Choose another --out{otherwise}.")

    def _refuse_foreign(self) -> None:
        """Raise a UserError for files of other commands."""
        if not self.out.is_dir():
            return
        if self.replace > Replace.NOTHING or self.is_started:
            has_stages = STAGES in self.separate and self.stages.is_dir()
            # Without one of these, no command has written here, whatever the names of the files.
            was_used = has_stages or read_manifest(self.out) is not None or bool(_mark_of(self.out))
            foreign = next((path for path in self._visible() if not (was_used and self._is_own(path))), None)
        elif _mark_of(self.out):
            raise UserError(
                f"{self.out}: this folder already holds an unfinished {self.origin.kind}, made from other inputs, settings or versions. "
                "Choose another --out, or move it away."
            )
        else:
            foreign = min((path for path in self.out.iterdir() if not path.name.startswith(".")), default=None)
        if foreign is not None:
            raise UserError(f"{foreign}: this is not part of the {self.origin.kind}. Choose another --out.")

    def _visible(self, folder: Path | None = None) -> Iterator[Path]:
        """All files except hidden ones, files in separate folders, and unfinished work."""
        for path in sorted((folder or self.out).iterdir()):
            apart = folder is None and (
                path.name in self.separate or (path.name == STAGES and (self.out / WORKING).is_file())
            )
            if apart or path.name.startswith("."):
                continue
            if path.is_dir() and not path.is_symlink():
                yield from self._visible(path)
            else:
                yield path

    def _is_own(self, path: Path) -> bool:
        name = path.relative_to(self.out).as_posix()
        return any(_matches(name, pattern) for pattern in (MANIFEST, ENVIRONMENT, *self.files))

    def _begin(self) -> None:
        """Start or resume this work; what work of another origin left is removed."""
        remove_leftovers(self.out)
        if not self.is_started:
            self.discard_work()
            write_text(self.out / WORKING, self.mark)
            push_path(self.out / WORKING)

    def _close(self) -> None:
        """Remove the unfinished work, and its marker last, so that a stopped removal is resumed."""
        done = (self.new, self._step(_CLEARED)) if STAGES in self.separate else (self.stages,)
        for path in (*done, self.out / WORKING):
            discard(path)


@contextmanager
def claim(  # noqa: PLR0913 - one parameter per setting
    out: Path,
    origin: ArtifactOrigin,
    files: Sequence[str],
    *,
    replace: Replace = Replace.NOTHING,
    separate: Sequence[str] = (),
    work: str = "",
    accept: Callable[[Artifact], bool] = lambda _: False,
    otherwise: Callable[[Manifest], str] = lambda _: "or move it away",
    note: Callable[[str], None] = lambda _: None,
) -> Iterator[Workspace]:
    """Keep other commands out of `out` while the block runs. Raises UserError for content that may not be replaced.

    If the artifact of this origin exists and is unchanged, the workspace has it as `finished`, and there is nothing to
    do. Such a folder is not locked, since others may be reading it.

    `files` are patterns of the command's output; `DIR/**` means everything under a folder. `separate` names folders
    inside that do not belong to the artifact and are never touched; a command that names `stages` there keeps it after
    it has finished. `work` are settings of the unfinished work that do not decide the output, such as the size of
    shards. `accept` says which other artifact is as good as one of this origin, and `otherwise` what else the user can
    do about an artifact of another origin.
    """
    space = Workspace(
        out, origin, files, replace, separate, " ".join(filter(None, [origin.fingerprint, work])), otherwise
    )
    found = space._find(accept, lambda _: None)  # before the lock, which would leave a file in a foreign folder
    if found is not None and not space.is_started:
        note(f"{origin.name}: {out} is up to date")
        space.finished = found
        yield space
        return
    with folder_lock(out):
        space.finished = space._find(accept, note)  # again: another command may have started here in between
        if space.finished is None:
            space._begin()
        else:
            note(f"{origin.name}: {out} is up to date")
        yield space
        if space.finished is not None:
            space._close()


def is_unfinished(out: Path) -> bool:
    """Whether a command started to write here and has not finished: it failed, was stopped, or is still running."""
    return not (out / MANIFEST).is_file() and (out / WORKING).is_file()


def is_resumable(out: Path, origin: ArtifactOrigin) -> bool:
    """Whether the folder holds unfinished work of this origin."""
    return is_unfinished(out) and _mark_of(out) == origin.fingerprint


def discard(path: Path) -> None:
    """Remove a file or folder; in a mirror, also from the object store."""
    remove_from_store(path)
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A new folder to write to, for output that is never resumed or replaced.

    It is renamed to `out` if the block ends without an error, so a command that fails or is killed leaves nothing in `out`.
    Raises UserError if `out` exists and is not an empty folder.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: this already exists. Choose another --out.")
    with whole_folder(out.resolve()) as new:
        yield new


def _mark_of(out: Path) -> str:
    marker = out / WORKING
    return marker.read_text(encoding="utf-8") if marker.is_file() else ""


def _matches(name: str, pattern: str) -> bool:
    if pattern.endswith("**"):
        return name.startswith(pattern[:-2])
    return fnmatchcase(name, pattern) and name.count("/") == pattern.count("/")
