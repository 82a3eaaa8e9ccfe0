"""When, where and with which libraries an artifact was made."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from typing import Any

TEXT_LIBRARIES = (
    "numpy",
    "pystemmer",
    "ahocorasick-rs",
    "rensa",
    "lemminflect",
    "en-core-web-sm",
    "pydantic",
    "spacy",
)
"""Libraries that can change a suite, or a figure made from scores."""
_NEURAL_LIBRARIES = (
    "onnxruntime",
    "onnx",
    "tokenizers",
    "safetensors",
    "torch",
    "transformers",
    "sentence-transformers",
)


def environment(seconds: float) -> dict[str, Any]:
    """The content of `environment.json`, which is not hashed, since it differs between two equal artifacts."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "packages": library_versions(),
    }


def library_versions(names: Sequence[str] = ("constraintsuite", *TEXT_LIBRARIES, *_NEURAL_LIBRARIES)) -> dict[str, str]:
    """The versions of those libraries that are installed."""
    versions = ((name, _installed_version(name)) for name in names)
    return {name: version for name, version in versions if version is not None}


@cache
def _installed_version(name: str) -> str | None:
    """The version of a library, None if it is not installed; looked up once, since that takes milliseconds."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
