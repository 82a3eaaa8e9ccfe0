"""Folders of documents, and what a memory of them holds, as bytes that can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from constraintsuite.core.store.jsonl import encode
from constraintsuite.memory.folder import read_memory
from constraintsuite.memory.ingest.collection import ingest
from constraintsuite.memory.segments import current_documents

MASTER = "# Master Agreement\n\n1. The Supplier shall deliver on Monday.\n\n2. The Buyer shall pay in 30 days.\n"
LETTER = "# Side Letter\n\n1. Notwithstanding clause 2 of the Master Agreement, Kilo Ltd pays in 60 days.\n"


def write(folder: Path, texts: Mapping[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def held(memory: Path) -> list[bytes]:
    return [
        encode(one)
        for one in sorted(read_memory(memory, lambda it: list(current_documents(it))), key=lambda one: one.id)
    ]


def fresh(folder: Path) -> list[bytes]:
    return [encode(one) for one in ingest([folder])] if any(folder.iterdir()) else []


def files(folder: Path) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.name != ".lock"}
