"""The contract of this folder, and what its members share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from constraintsuite.errors import UserError
from constraintsuite.store.files import atomic_writer, write_text
from constraintsuite.vectors.bundle import Bundle

METADATA = "metadata.json"


class BundleExporter(Protocol):
    """Writes a bundle in another form."""

    def __call__(self, bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
        """Write into the empty folder `out`; gives what a user should know of what could not be carried over."""


def refuse_encoder(encoder: str | None) -> None:
    """A UserError where vectors are asked for in a form that has none."""
    if encoder is not None:
        raise UserError("--encoder: this layout holds texts and no vectors. Leave it out, or choose another layout.")


def origin_of(bundle: Bundle) -> dict[str, str | None]:
    """Where the texts come from, under which licence, and of which bundle they are; goes with them into every form."""
    source = bundle.texts.manifest.settings["source"]
    return {"source": source["name"], "licence": source.get("licence") or None, "bundle_id": bundle.id}


def write_origin(bundle: Bundle, out: Path) -> None:
    """The same as a file beside the texts."""
    write_text(out / METADATA, json.dumps(origin_of(bundle), indent=2, ensure_ascii=False) + "\n")


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines, each ended by one LF."""
    with atomic_writer(path) as file:
        for line in lines:
            file.write(line.encode() + b"\n")


def require_plain(kind: str, name: str, forbidden: str, where: str) -> str:
    """The name, or a UserError if it holds a character that the form cannot carry."""
    found = next((character for character in name if character in forbidden), None)
    if found is not None:
        raise UserError(f"The {kind} {name!r} holds {found!r}, which {where} cannot carry. Choose another layout.")
    return name
