"""Commands that a page tells, as they can be pasted into the terminal in which the site was started."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from constraintsuite.app.web.access import PersonRole
from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import read_manifest
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.recipe import Recipe

UNKNOWN = "CORPUS"
"""Stands for a corpus that the manifest of a suite does not know, or that is not where it was."""
RECIPE = "RECIPE"
"""Stands for the recipe that a suite was built with."""
_BUNDLED = "sample"
_DEFAULTS: Mapping[str, Any] = Recipe(corpus=SourceSettings(source=_BUNDLED)).model_dump(mode="json")
"""As a manifest has them."""
_FLAGS = {"analysis.domains": "--domain", "sizes.main": "--size", "analysis.analyser": "--analyser", "seed": "--seed"}
"""Options of `csuite build` beside those of the corpus, by the setting that they change."""


def pasted(path: Path) -> str:
    """A path as seen from where the site was started, quoted; absolute where it does not lie below."""
    start = Path.cwd()
    seen = path.relative_to(start).as_posix() if path.is_relative_to(start) else str(path)
    return shlex.quote(f"./{seen}" if seen.startswith("-") else seen)


def quickstart_command(artifacts: ArtifactIndex) -> str:
    """The command that makes a suite, runs and a report to look at."""
    return f"csuite quickstart --out {pasted(artifacts.root / 'quickstart')}"


def serve_command(artifacts: ArtifactIndex, role: PersonRole) -> str:
    """The same site for one more person."""
    return f"csuite serve {pasted(artifacts.root)} --{role} NAME"


def eval_command(suite: ServedArtifact) -> str:
    """A first run of a suite."""
    return f"csuite eval {pasted(suite.path)} --model bm25 --out {pasted(suite.path.with_name('runs'))}"


def rebuild_command(suite: ServedArtifact, dropped: Path) -> str:
    """The suite again, as it was built, without what people found wrong now and before; beside it.

    What no option can say stands in the recipe that it was built with, and only who built it knows where that lies.
    """
    settings = _settings(suite)
    options = _options(settings)
    words = ["csuite build", *([RECIPE] if options is None else [f"--corpus {corpus_of(suite)}", *options])]
    if approved := settings.get("approved"):
        words.append(f"--approved {shlex.quote(str(approved))}")
    words += [f"--drop {shlex.quote(str(file))}" for file in settings.get("drop") or ()]
    return " ".join([*words, f"--drop {pasted(dropped)}", f"--out {pasted(_next(suite.path))}"])


def _settings(suite: ServedArtifact) -> Mapping[str, Any]:
    try:
        manifest = read_manifest(suite.path)
    except UserError:
        return {}
    return manifest.settings if manifest is not None else {}


def _options(settings: Mapping[str, Any]) -> list[str] | None:
    """What differs from the defaults of `csuite build --corpus`, as its options; None where no option can say it."""
    found = dict(_differences(settings))
    corpus = [name for name in found if name.startswith("corpus.")]
    flags = {name: f"--{name.removeprefix('corpus.').replace('_', '-')}" for name in corpus} | _FLAGS
    if not found.keys() <= flags.keys():
        return None
    given = [(flag, value) for name, flag in flags.items() for value in found.get(name, ())]
    return [flag if value is True else f"{flag} {shlex.quote(str(value))}" for flag, value in given]


def _differences(settings: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Names, with that of their section, and values of the settings that are not those of a build without a recipe."""
    for section, usual in _DEFAULTS.items():
        if isinstance(usual, dict):
            for name, value in _section(settings, section).items():
                if value != usual.get(name) and (name in usual or section == "corpus") and name != "source":
                    yield f"{section}.{name}", value if isinstance(value, list) else [value]
    if settings.get("seed"):
        yield "seed", [settings["seed"]]


def _section(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = settings.get(name)
    return found if isinstance(found, dict) else {}


def corpus_of(suite: ServedArtifact) -> str:
    """What a suite was built from, quoted; UNKNOWN if that cannot be said here."""
    source = _section(_settings(suite), "corpus").get("source")
    if not isinstance(source, str) or not source:
        return UNKNOWN
    is_name = source == _BUNDLED or source.startswith(("irds:", "hf:"))
    return shlex.quote(source) if is_name or Path(source).exists() else UNKNOWN


def _next(path: Path) -> Path:
    """The first free name for another of the same."""
    names = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(name for name in names if not name.exists())
