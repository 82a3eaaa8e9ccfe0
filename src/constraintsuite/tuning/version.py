"""The version of the code that decides a training."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from constraintsuite.store.artifact import TEXT_LIBRARIES, library_versions
from constraintsuite.store.files import sha256_text

_DECISIVE = (
    "suites",
    "corpora",
    "experiments",
    "execution",
    "metrics",
    "models",
    "records",
    "retrieval",
    "store",
    "text",
    "tuning",
)
_ENDINGS = {".py", ".yaml", ".json", ".jsonl", ".tsv"}


@cache
def tuning_version() -> str:
    """Hash of the folders that a training passes through, and of their libraries.

    Others, such as reports and commands, may change between two parts of one training: hours of work do not depend on them.
    """
    root = Path(str(resources.files("constraintsuite")))
    files = sorted(p for name in _DECISIVE for p in (root / name).rglob("*") if p.suffix in _ENDINGS)
    texts = [f"{p.relative_to(root)}\n{p.read_text(encoding='utf-8')}" for p in files]
    return sha256_text(*texts, *(f"{name}=={version}" for name, version in library_versions(TEXT_LIBRARIES).items()))
