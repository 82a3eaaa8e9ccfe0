"""Artifact folders: written once, finished when their manifest is there.

The manifest holds everything that decides the content (inputs, settings, seed) and the hash of every file. Facts that differ
between two equal builds (time, host, duration) are in `environment.json`, which is not hashed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.environment import environment
from constraintsuite.core.store.files import known_sha256, remove_leftovers, sha256_of, sha256_text, write_text
from constraintsuite.core.store.jsonl import write_json
from constraintsuite.core.store.manifest import (
    FORMAT,
    MADE_BY,
    FileEntry,
    Manifest,
    content_of,
    make_again,
    read_manifest,
)
from constraintsuite.core.store.mirror import mirror_of
from constraintsuite.core.store.mirror_pull import MANIFEST, STAGES
from constraintsuite.core.store.mirror_push import ENVIRONMENT
from constraintsuite.core.store.revisions import Revision
from constraintsuite.core.store.sync_state import belongs_in_store

__all__ = [
    "ENVIRONMENT",
    "FORMAT",
    "MANIFEST",
    "STAGES",
    "Artifact",
    "ArtifactOrigin",
    "FileEntry",
    "Manifest",
    "content_of",
    "finish",
    "read_manifest",
    "seal",
]


@dataclass(frozen=True)
class Artifact:
    """A finished folder with its manifest."""

    path: Path
    manifest: Manifest

    @classmethod
    def open(cls, path: Path, kind: str | None = None) -> Artifact:
        """The finished artifact at `path` with all its files unchanged. Raises UserError for anything else.

        All commands that read an artifact open it here, so that nothing is computed from changed or missing files. A process
        hashes a file once, however often it is opened (see `known_sha256`).

        This checks the files and the list of them. Other edits of the manifest (a name, a seed, settings, inputs or counts)
        go unnoticed.
        """
        artifact = cls.open_unverified(path, kind)
        artifact.refuse_changed()
        return artifact

    @classmethod
    def open_unverified(cls, path: Path, kind: str | None = None) -> Artifact:
        """The finished artifact at `path`, from its manifest alone.

        For callers that read only the manifest, that report all faults, or that read a few of many files. The last call
        `refuse_changed` with the names of those files. Raises UserError if the artifact is missing, unfinished or of
        another kind.
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
        """The named files, or all files, that are missing or changed; the manifest comes first if its list was changed."""
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
        """Raise a UserError for the first of these files, or of all, that is missing or changed."""
        changed = next(self.changed_files(names), None)
        if changed is not None:
            raise UserError(self._changed(changed))

    def refuse_foreign(self, separate: Collection[str] = ()) -> None:
        """As `refuse_changed`, and also for a file that is not in the manifest: for callers that read every file of the folder."""
        self.refuse_changed()
        foreign = min(_hashed_files(self.path, separate).keys() - self.manifest.files.keys(), default=None)
        if foreign is not None:
            raise UserError(f"{self.path / foreign}: this file is not part of the {self.manifest.kind}. Move it away.")

    def _changed(self, name: str) -> str:
        kind, file = self.manifest.kind, self.path / name
        what = "changed" if file.is_file() else "deleted"
        again = make_again(kind, self.manifest.name, self.manifest.settings)
        verb = "were" if kind.endswith("s") else "was"
        return f"{file}: {what} since the {kind} {verb} made. {again}, or get a good copy."

    def verify(self, separate: Collection[str] = ()) -> list[str]:
        """One line per file that is missing, changed or not in the manifest.

        `separate` names the folders inside that are not part of the artifact, as for `finish`.
        """
        foreign = sorted(_hashed_files(self.path, separate).keys() - self.manifest.files.keys())
        return [*self.faults(), *(f"{name}: not in the manifest" for name in foreign)]

    def faults(self) -> list[str]:
        """One line per file of the manifest that is missing or changed."""
        return [
            f"{name}: {'changed since it was written' if (self.path / name).is_file() else 'missing'}"
            for name in self.changed_files()
        ]


@dataclass(frozen=True)
class ArtifactOrigin:
    """Everything that decides an artifact's content."""

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
    separate: Collection[str] = (),
) -> Artifact:
    """Hash the files of `path` and write its manifest: from now on it is finished.

    `events` are incidents that did not change the content, such as a repeated request; `place` are facts about where a model
    ran. `separate` names folders inside that are artifacts of their own and do not belong to this one.
    """
    remove_leftovers(path)
    files = {
        name: FileEntry(sha256=sha256_of(file), bytes=file.stat().st_size)
        for name, file in _hashed_files(path, separate).items()
    }
    manifest = origin.manifest(counts, rejects, files)
    circumstances = {**environment(seconds), "events": list(events), **({"model": dict(place)} if place else {})}
    artifact = seal(path, manifest, circumstances, separate)
    if origin.kind == "stage":
        _remove_hidden(path)
    return artifact


def _remove_hidden(stage: Path) -> None:
    """Remove the hidden files of a stage, which are needed only to resume it."""
    for path in sorted(stage.rglob(".*")):
        if path.is_file() and belongs_in_store(path.name):
            path.unlink(missing_ok=True)


def seal(path: Path, manifest: Manifest, circumstances: Mapping[str, Any], separate: Collection[str] = ()) -> Artifact:
    """Write `environment.json` and then the manifest; in a mirror, first to the object store and then here."""
    write_json(path / ENVIRONMENT, circumstances)
    text = manifest.model_dump_json(indent=2) + "\n"
    mirror = mirror_of(path)
    if mirror is None:
        write_text(path / MANIFEST, text)
        return Artifact(path, manifest)
    hashes = {**{name: entry.sha256 for name, entry in manifest.files.items()}, ENVIRONMENT: ""}
    published = mirror.publish(path, text, hashes, {STAGES, *separate})
    return Artifact(path, Manifest.model_validate_json(published))


def _hashed_files(path: Path, separate: Collection[str]) -> dict[str, Path]:
    """The files of an artifact by name: without the manifest, hidden files, stages and separate folders."""
    named = {file.relative_to(path).as_posix(): file for file in sorted(path.rglob("*")) if file.is_file()}
    others = tuple(f"{folder}/" for folder in (STAGES, *separate))
    return {
        name: file
        for name, file in named.items()
        if name not in (MANIFEST, ENVIRONMENT) and not file.name.startswith(".") and not name.startswith(others)
    }


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
