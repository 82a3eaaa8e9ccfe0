"""Files of names and what belongs to each: one JSON object, written and read entry by entry."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.store.files import atomic_writer


def write_table(path: Path, entries: Iterable[tuple[str, str]]) -> None:
    """Write an object with one entry a line."""
    with atomic_writer(path) as file:
        separator = b"{\n"
        for name, value in entries:
            file.write(
                separator + f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}".encode()
            )
            separator = b",\n"
        file.write(b"\n}\n" if separator == b",\n" else b"{}\n")


def read_table(path: Path) -> Iterator[tuple[str, str]]:
    """The entries of such a file, in order."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            entry = line.strip().rstrip(b",")
            if entry in (b"{", b"}", b"{}"):
                continue
            try:
                ((name, value),) = json.loads(b"{" + entry + b"}").items()
            except ValueError:
                raise UserError(
                    f"{path}:{number}: this is no entry of a table. Was it edited? Build the stage anew."
                ) from None
            yield name, value
