"""What a golden test compares of a folder: its bytes, without what differs between machines and versions of libraries."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from constraintsuite.core.store.artifact import ENVIRONMENT, MANIFEST
from constraintsuite.core.store.files import sha256_text
from constraintsuite.vectors.tables import read_parquet

_FLOAT = re.compile(rb"-?\d+\.\d+(?:e-?\d+)?")
_HASH = re.compile(rb"\b[0-9a-f]{12,64}\b")


def content(folder: Path, beside: Collection[str] = ("stages", "vectors", "truth")) -> str:
    """Hash of all files of an artifact: floats by six digits, since processors add in another order; tables by rows."""
    names = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    own = [name for name in names if name.parts[0] not in beside and not name.name.startswith(".")]
    parts = (f"{name} {_text(folder / name)}" for name in own if name.name not in (MANIFEST, ENVIRONMENT))
    return sha256_text(*parts)


def page_content(folder: Path) -> str:
    """The same of a report, which shows fingerprints: of those only that they are there."""
    for file in (file for file in folder.rglob("*") if file.is_file()):
        file.write_bytes(_HASH.sub(b"HASH", file.read_bytes()))
    return content(folder)


def _text(file: Path) -> str:
    if file.suffix == ".parquet":
        return repr([tuple(row) for row in read_parquet(file)])
    return rounded(file.read_bytes())


def rounded(text: bytes) -> str:
    """A text with its floats by six digits."""
    return _FLOAT.sub(lambda found: b"%.6g" % float(found[0]), text).decode("utf-8", "replace")
