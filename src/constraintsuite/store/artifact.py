"""Artifact folders: written once, finished when their manifest is there.

The manifest holds what decides the content (inputs, settings, seed) and the hash of every file; what differs between two
equal builds (time, host, durations) stands in `environment.json`, which is not hashed.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from constraintsuite.errors import UserError
from constraintsuite.store import pulling
from constraintsuite.store.files import remove_leftovers, sha256_of, sha256_text, write_text
from constraintsuite.store.jsonl import describe
from constraintsuite.store.mirror import mirror_of
from constraintsuite.store.seen import travels

MANIFEST, STAGES = pulling.MANIFEST, pulling.STAGES
ENVIRONMENT = "environment.json"
FORMAT = 1
_MADE_BY = {
    "suite": "csuite build",
    "stage": "csuite build",
    "run": "csuite eval",
    "ranking": "csuite retrieve-eval",
    "report": "csuite report",
    "bundle": "csuite subset build",
    "ann": "csuite ann run",
    "graph": "csuite memory ingest",
    "memory_run": "csuite memory bench",
    "tune": "csuite tune",
    "explain": "csuite explain",
    "circuit": "csuite explain circuit",
    "drift": "csuite drift",
}


class FileEntry(BaseModel):
    """One file of an artifact."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    sha256: str
    bytes: int


class Manifest(BaseModel):
    """What an artifact was made from, and what it holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    format: int
    kind: str
    name: str
    fingerprint: str
    """Hash of everything that decides the content: code, library versions, settings, inputs."""
    inputs: dict[str, str]
    settings: dict[str, Any]
    seed: int
    counts: dict[str, int]
    rejects: dict[str, int]
    files: dict[str, FileEntry]
    content: str
    """Hash of all files: two artifacts with the same value are the same bytes."""


@dataclass(frozen=True)
class Artifact:
    """A finished folder."""

    path: Path
    manifest: Manifest

    @classmethod
    def open(cls, path: Path, kind: str | None = None) -> Artifact:
        """The finished artifact at `path`; a missing, unfinished or other one is a UserError."""
        command = _MADE_BY.get(kind or "")
        manifest = read_manifest(path)
        if not path.is_dir():
            raise UserError(f"{path}: there is no such folder.")
        if manifest is None:
            again = f"Make it with `{command}`" if command else "Run the command that makes it"
            raise UserError(
                f"{path}: no {MANIFEST}, so it is not a finished {kind or 'artifact'}. {again}; a build or run that "
                "was stopped goes on where it was."
            )
        if kind is not None and manifest.kind != kind:
            hint = f" Give a folder that `{command}` wrote." if command else ""
            raise UserError(f"{path}: this is {_with_article(manifest.kind)}, not {_with_article(kind)}.{hint}")
        return cls(path, manifest)

    def verify(self, beside: Collection[str] = ()) -> list[str]:
        """What is wrong with the files, one line a fault; empty when every byte is as it was written.

        `beside` names the folders inside that are no part of it, as for `finish`.
        """
        faults = []
        for name, entry in self.manifest.files.items():
            file = self.path / name
            if not file.is_file():
                faults.append(f"{name}: missing")
            elif file.stat().st_size != entry.bytes or sha256_of(file) != entry.sha256:
                faults.append(f"{name}: changed since it was written")
        faults += [
            f"{name}: not in the manifest"
            for name in sorted(_hashed_files(self.path, beside).keys() - self.manifest.files.keys())
        ]
        return faults


@dataclass(frozen=True)
class Origin:
    """What decides an artifact's content."""

    kind: str
    name: str
    inputs: Mapping[str, str]
    settings: Mapping[str, Any]
    seed: int
    code: str

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints promise equal content."""
        settings = json.dumps(self.settings, sort_keys=True, ensure_ascii=False)
        inputs = json.dumps(dict(self.inputs), sort_keys=True)
        return sha256_text(str(FORMAT), self.kind, self.name, inputs, settings, str(self.seed), self.code)


def finish(
    path: Path,
    origin: Origin,
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
    manifest = Manifest(
        format=FORMAT,
        kind=origin.kind,
        name=origin.name,
        fingerprint=origin.fingerprint,
        inputs=dict(sorted(origin.inputs.items())),
        settings=dict(origin.settings),
        seed=origin.seed,
        counts=dict(counts),
        rejects=dict(sorted(rejects.items())),
        files=files,
        content=sha256_text(*(f"{name} {entry.sha256}" for name, entry in files.items())),
    )
    circumstances = {**environment(seconds), "events": list(events), **({"model": dict(place)} if place else {})}
    artifact = seal(path, manifest, circumstances, beside)
    if origin.kind == "stage":
        _clear_marks(path)
    return artifact


def _clear_marks(stage: Path) -> None:
    """Take away the hidden files of a stage: they are for who goes on with it, and nobody does any more."""
    for path in sorted(stage.rglob(".*")):
        if path.is_file() and travels(path.name):
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
        mirror.freshen(path)
    file = path / MANIFEST
    if not file.is_file():
        return None
    _refuse_newer(file)
    try:
        return Manifest.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)} Was it edited, or written by another version?") from None


def _refuse_newer(file: Path) -> None:
    """Before its fields are looked at: those of a newer format would only be called unknown."""
    try:
        content: object = from_json(file.read_bytes())
    except ValueError:
        return  # what is no JSON is refused with its place when the fields are read
    found = content.get("format") if isinstance(content, dict) else None
    if isinstance(found, int) and found > FORMAT:
        raise UserError(
            f"{file}: written in format {found} by a newer version of constraintsuite; this one reads up to {FORMAT}. "
            "Upgrade: pip install --upgrade constraintsuite"
        )


def environment(seconds: float) -> dict[str, Any]:
    """When, where and with which libraries something ran."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "packages": library_versions(),
    }


TEXT_LIBRARIES = (
    "constraintsuite",
    "numpy",
    "bm25s",
    "pystemmer",
    "ahocorasick-rs",
    "rensa",
    "lemminflect",
    "en-core-web-sm",
    "pydantic",
    "spacy",
)
"""What can change a suite, or a figure made from scores."""
_NEURAL_LIBRARIES = (
    "onnxruntime",
    "onnx",
    "tokenizers",
    "safetensors",
    "torch",
    "transformers",
    "sentence-transformers",
)


def library_versions(names: Sequence[str] = (*TEXT_LIBRARIES, *_NEURAL_LIBRARIES)) -> dict[str, str]:
    """Versions of the libraries that can change a result, as far as they are installed."""
    versions = {}
    for name in names:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
