"""Commands that pages show, ready to paste into the terminal in which the site was started."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from constraintsuite.app.web.access import PersonRole
from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.core.store.artifact import read_manifest

UNKNOWN = "CORPUS"
"""Placeholder for a corpus that a manifest does not name, or that was moved."""


def shell_path(path: Path) -> str:
    """The quoted path relative to where the site was started; absolute if it is elsewhere."""
    start = Path.cwd()
    seen = path.relative_to(start).as_posix() if path.is_relative_to(start) else str(path)
    return shlex.quote(f"./{seen}" if seen.startswith("-") else seen)


def quickstart_command(artifacts: ArtifactIndex) -> str:
    """The command that makes a suite, runs and a report in the served folder."""
    return f"csuite quickstart --out {shell_path(artifacts.root / 'quickstart')}"


def serve_command(artifacts: ArtifactIndex, role: PersonRole) -> str:
    """The command that serves the same folder for one more person."""
    return f"csuite serve {shell_path(artifacts.root)} --{role} NAME"


def eval_command(suite: ServedArtifact) -> str:
    """The command that makes a first run of a suite."""
    return f"csuite eval {shell_path(suite.path)} --model bm25 --out {shell_path(suite.path.with_name('runs'))}"


def rebuild_command(suite: ServedArtifact, dropped: Path) -> str:
    """The command that builds a suite again, next to it, without the examples that people rejected now and before.

    RECIPE stands for the recipe of the suite, since a manifest does not say where it is.
    """
    settings = _settings(suite)
    words = ["csuite build RECIPE"]
    words += [f"--approved {shlex.quote(str(settings['approved']))}"] if settings.get("approved") else []
    words += [f"--drop {shlex.quote(str(file))}" for file in settings.get("drop") or ()]
    copies = (suite.path.with_name(f"{suite.path.name}-{number}") for number in count(2))
    out = next(path for path in copies if not path.exists())
    return " ".join([*words, f"--drop {shell_path(dropped)}", f"--out {shell_path(out)}"])


def corpus_of(suite: ServedArtifact) -> str:
    """The quoted corpus that a suite was built from; UNKNOWN if it is not named or no longer there."""
    corpus = _settings(suite).get("corpus")
    source = corpus.get("source") if isinstance(corpus, dict) else None
    if not isinstance(source, str) or not source:
        return UNKNOWN
    is_name = source == "sample" or source.startswith(("irds:", "hf:"))
    return shlex.quote(source) if is_name or Path(source).exists() else UNKNOWN


def _settings(suite: ServedArtifact) -> Mapping[str, Any]:
    manifest = read_manifest(suite.path)
    return manifest.settings if manifest is not None else {}
