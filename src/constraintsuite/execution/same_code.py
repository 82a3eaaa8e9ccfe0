"""Whether two machines run the same code: then a shard has the same bytes wherever it is made."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from constraintsuite.store.environment import TEXT_LIBRARIES, library_versions
from constraintsuite.store.files import sha256_text


@cache
def package_hash() -> str:
    """Hash of all of the package's own files and of the versions of its libraries, to compare driver and workers by.

    Fingerprints of artifacts hold a declared revision instead (`store/revisions.py`).
    """
    root = Path(str(resources.files("constraintsuite")))
    files = sorted(p for p in root.rglob("*") if p.suffix in {".py", ".yaml", ".json", ".jsonl", ".tsv"})
    texts = [f"{p.relative_to(root)}\n{p.read_text(encoding='utf-8')}" for p in files]
    return sha256_text(*texts, *(f"{name}=={version}" for name, version in library_versions(TEXT_LIBRARIES).items()))
