"""Artifact folders: written once, finished when their manifest is there.

The manifest holds what decides the content (inputs, settings, seed) and the hash of every file; what differs between two
equal builds (time, host, durations) stands in `environment.json`, which is not hashed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Strict, ValidationError, field_validator
from pydantic_core import from_json

from constraintsuite.core.errors import UserError
from constraintsuite.core.store import mirror_pull, mirror_push
from constraintsuite.core.store.artifact_commands import MADE_BY, made_by, make_again
from constraintsuite.core.store.environment import environment
from constraintsuite.core.store.files import known_sha256, remove_leftovers, sha256_of, sha256_text, write_text
from constraintsuite.core.store.jsonl import describe
from constraintsuite.core.store.mirror import mirror_of
from constraintsuite.core.store.revisions import Revision
from constraintsuite.core.store.sync_state import belongs_in_store

MANIFEST, STAGES, ENVIRONMENT = mirror_pull.MANIFEST, mirror_pull.STAGES, mirror_push.ENVIRONMENT
FORMAT = 2
"""1 had examples with `query.neg` and `docs.pos`; it is not read any more."""


class FileEntry(BaseModel):
    """One file of an artifact."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    sha256: str
    bytes: int


class Manifest(BaseModel):
    """What an artifact was made from, and what it holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    format: Annotated[int, Strict()]  # else `true` is read as 1
    kind: str
    name: str
    revision: int
    """Of the code that made it; see `core/store/revisions.py`."""
    fingerprint: str
    """Hash of everything that decides the content: revision, library versions, settings, inputs."""
    inputs: dict[str, str]
    settings: dict[str, Any]
    seed: int
    counts: dict[str, int]
    rejects: dict[str, int]
    files: dict[str, FileEntry]
    content: str
    """Hash of all files: two artifacts with the same value are the same bytes."""

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: dict[str, FileEntry]) -> dict[str, FileEntry]:
        for name in files:
            place = PurePosixPath(name)
            if place.is_absolute() or not place.parts or ".." in place.parts:
                raise ValueError(f"the file {name!r} does not lie in this folder")
        return files


@dataclass(frozen=True)
class Artifact:
    """A folder that is finished, with its manifest."""

    path: Path
    manifest: Manifest

    @classmethod
    def open(cls, path: Path, kind: str | None = None) -> Artifact:
        """The finished artifact at `path`, every file of which is as it was written; anything else is a UserError.

        All commands that read an artifact open it here, so that nothing is computed from files that were changed, cut,
        exchanged or taken away. A process hashes a file once, however often it is opened (see `known_sha256`).

        Protected are the bytes of the files, and the list of them. The rest of the manifest is believed: a name, a seed,
        settings, inputs or counts that somebody has edited there go unnoticed.
        """
        artifact = cls.open_unverified(path, kind)
        artifact.refuse_changed()
        return artifact

    @classmethod
    def open_unverified(cls, path: Path, kind: str | None = None) -> Artifact:
        """The finished artifact at `path` by its manifest alone; a missing, unfinished or other one is a UserError.

        For those that read no more than the manifest, that report faults one by one, or that read few of many files:
        these call `refuse_changed` with the names of what they read.
        """
        command = MADE_BY.get(kind or "")
        manifest = read_manifest(path)
        if not path.is_dir():
            raise UserError(f"{path}: there is no such folder.")
        if manifest is None:
            again = f"Make it with `{command}`" if command else "Run the command that makes it"
            raise UserError(
                f"{path}: no {MANIFEST}, so it is not a finished {kind or 'artifact'}. {again}; a build or run that "
                "was stopped resumes where it was."
            )
        if kind is not None and manifest.kind != kind:
            hint = f" Give a folder that `{command}` wrote." if command else ""
            raise UserError(f"{path}: this is {_with_article(manifest.kind)}, not {_with_article(kind)}.{hint}")
        return cls(path, manifest)

    def changed_files(self, names: Iterable[str] | None = None) -> Iterator[str]:
        """Those of the named files, or of all, that are missing or not as they were written.

        The manifest is the first of them if its list of files was changed.
        """
        if self.manifest.content != content_of(self.manifest.files):
            yield MANIFEST
        for name in self.manifest.files if names is None else names:
            file, entry = self.path / name, self.manifest.files.get(name)
            if (
                entry is None
                or not file.is_file()
                or file.stat().st_size != entry.bytes
                or known_sha256(file) != entry.sha256
            ):
                yield name

    def refuse_changed(self, names: Iterable[str] | None = None) -> None:
        """A UserError that names the first of these files, or of all, that is not as it was written."""
        changed = next(self.changed_files(names), None)
        if changed is not None:
            raise UserError(self._changed(changed))

    def refuse_foreign(self, beside: Collection[str] = ()) -> None:
        """As `refuse_changed`, and a UserError for a file that is not of it: for those that read whatever lies in a folder."""
        self.refuse_changed()
        foreign = min(_hashed_files(self.path, beside).keys() - self.manifest.files.keys(), default=None)
        if foreign is not None:
            raise UserError(f"{self.path / foreign}: this file is not part of the {self.manifest.kind}. Move it away.")

    def _changed(self, name: str) -> str:
        kind, file = self.manifest.kind, self.path / name
        what = "changed" if file.is_file() else "deleted"
        again = make_again(kind, self.manifest.name, self.manifest.settings)
        verb = "were" if kind.endswith("s") else "was"
        return f"{file}: {what} since the {kind} {verb} made. {again}, or get a good copy."

    def verify(self, beside: Collection[str] = ()) -> list[str]:
        """What is wrong with the files, one line a fault; empty when every byte is as it was written.

        `beside` names the folders inside that are no part of it, as for `finish`.
        """
        foreign = sorted(_hashed_files(self.path, beside).keys() - self.manifest.files.keys())
        return [*self.faults(), *(f"{name}: not in the manifest" for name in foreign)]

    def faults(self) -> list[str]:
        """What is wrong with the files that the manifest names, one line per file."""
        return [
            f"{name}: {'changed since it was written' if (self.path / name).is_file() else 'missing'}"
            for name in self.changed_files()
        ]


@dataclass(frozen=True)
class ArtifactOrigin:
    """What decides an artifact's content."""

    kind: str
    name: str
    inputs: Mapping[str, str]
    settings: Mapping[str, Any]
    seed: int
    revision: Revision

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints promise equal content."""
        settings = json.dumps(self.settings, sort_keys=True, ensure_ascii=False)
        inputs = json.dumps(dict(self.inputs), sort_keys=True)
        return sha256_text(str(FORMAT), self.kind, self.name, inputs, settings, str(self.seed), str(self.revision))

    def manifest(
        self, counts: Mapping[str, int], rejects: Mapping[str, int], files: Mapping[str, FileEntry]
    ) -> Manifest:
        """Return the manifest of an artifact of this origin that holds these files."""
        return Manifest(
            format=FORMAT,
            kind=self.kind,
            name=self.name,
            revision=self.revision.number,
            fingerprint=self.fingerprint,
            inputs=dict(sorted(self.inputs.items())),
            settings=dict(self.settings),
            seed=self.seed,
            counts=dict(counts),
            rejects=dict(sorted(rejects.items())),
            files=dict(files),
            content=content_of(files),
        )


def finish(
    path: Path,
    origin: ArtifactOrigin,
    counts: Mapping[str, int],
    rejects: Mapping[str, int],
    seconds: float,
    events: Sequence[str] = (),
    place: Mapping[str, Any] | None = None,
    beside: Collection[str] = (),
) -> Artifact:
    """Hash the files of `path` and write its manifest: from now on it is finished.

    `events` is what happened on the way and left no trace in the content, such as a repeated request; `place` is what a
    model says of where it ran. `beside` names folders inside that are artifacts of their own, and no content of this one.
    """
    remove_leftovers(path)
    files = {
        name: FileEntry(sha256=sha256_of(file), bytes=file.stat().st_size)
        for name, file in _hashed_files(path, beside).items()
    }
    manifest = origin.manifest(counts, rejects, files)
    circumstances = {**environment(seconds), "events": list(events), **({"model": dict(place)} if place else {})}
    artifact = seal(path, manifest, circumstances, beside)
    if origin.kind == "stage":
        _clear_marks(path)
    return artifact


def content_of(files: Mapping[str, FileEntry]) -> str:
    """The hash of all files of an artifact, by their names and hashes."""
    return sha256_text(*(f"{name} {entry.sha256}" for name, entry in files.items()))


def _clear_marks(stage: Path) -> None:
    """Take away the hidden files of a stage: they are needed only to resume it."""
    for path in sorted(stage.rglob(".*")):
        if path.is_file() and belongs_in_store(path.name):
            path.unlink(missing_ok=True)


def seal(path: Path, manifest: Manifest, circumstances: Mapping[str, Any], beside: Collection[str] = ()) -> Artifact:
    """Write down when and where, then the manifest; in the mirror of an object store, first there and then here."""
    write_text(path / ENVIRONMENT, json.dumps(circumstances, indent=2, ensure_ascii=False) + "\n")
    text = manifest.model_dump_json(indent=2) + "\n"
    mirror = mirror_of(path)
    if mirror is None:
        write_text(path / MANIFEST, text)
        return Artifact(path, manifest)
    hashes = {**{name: entry.sha256 for name, entry in manifest.files.items()}, ENVIRONMENT: ""}
    standing = mirror.publish(path, text, hashes, {STAGES, *beside})
    return Artifact(path, Manifest.model_validate_json(standing))


def _hashed_files(path: Path, beside: Collection[str]) -> dict[str, Path]:
    """The files that are an artifact's content: not the manifest, hidden files, or the stages and others kept beside it."""
    apart = {STAGES, *beside}
    named = {file.relative_to(path).as_posix(): file for file in sorted(path.rglob("*")) if file.is_file()}
    return {
        name: file
        for name, file in named.items()
        if name not in (MANIFEST, ENVIRONMENT) and not file.name.startswith(".") and not _inside(name, apart)
    }


def _inside(name: str, folders: Collection[str]) -> bool:
    first, border, _ = name.partition("/")
    return bool(border) and first in folders


def read_manifest(path: Path) -> Manifest | None:
    """The manifest of a finished folder, None for an unfinished one; one of a newer format is a UserError."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.refresh(path)
    file = path / MANIFEST
    if not file.is_file():
        return None
    _refuse_other_format(file)
    try:
        return Manifest.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)} Was it edited, or written by another version?") from None


def _refuse_other_format(file: Path) -> None:
    """Refuse a manifest of another format before its fields are looked at, which would only be called unknown."""
    try:
        content: object = from_json(file.read_bytes())
    except ValueError:
        return  # what is no JSON is refused with its place when the fields are read
    found = content.get("format") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(found, int) or isinstance(found, bool):
        return  # likewise
    if found > FORMAT:
        raise UserError(
            f"{file}: written in format {found} by a newer version of constraintsuite; this one reads up to {FORMAT}. "
            "Upgrade: pip install --upgrade constraintsuite"
        )
    if found < FORMAT:
        kind, settings = str(content.get("kind")), content.get("settings")
        command = made_by(kind, settings if isinstance(settings, dict) else {})
        folder = _build_of(file.parent) if kind == "stage" else file.parent
        raise UserError(
            f"{folder}: written in format {found} by an earlier version of constraintsuite; this one reads format {FORMAT} "
            f"only. Move the folder away and make it again: {command or 'with the command that made it'}"
        )


def _build_of(stage: Path) -> Path:
    """The folder that is built when a stage is; its other stages are as old, so that it is moved away as a whole."""
    return stage.parent.parent if stage.parent.name == STAGES else stage


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
