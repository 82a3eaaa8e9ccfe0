"""The second pass: chosen documents go to the part they belong to, and each part is put in order by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.records.text import Document
from constraintsuite.vectors.bundle import PART_ROWS, part_file
from constraintsuite.vectors.folder import WORK
from constraintsuite.vectors.sampling import Selection
from constraintsuite.vectors.survey import Survey
from constraintsuite.vectors.tables import DOCUMENTS, DocumentRow, passage, text_hash, write_table

_STEP = 1_000
_BUFFER = 1 << 16


def write_parts(
    documents: Iterable[Document],
    survey: Survey,
    selection: Selection,
    out: Path,
    advance: Callable[[int], None] = lambda items: None,
) -> None:
    """Write the corpus of a bundle; only one part of it is in memory at a time."""
    rows = np.full(len(survey), -1, dtype=np.int64)
    rows[selection.positions] = np.arange(len(selection.positions))
    count = -(-len(selection.positions) // PART_ROWS)
    loose = [out / WORK / f"part-{number:05}.jsonl" for number in range(count)]
    _spread(documents, rows, loose, advance)
    for number, file in enumerate(loose):
        write_table(part_file(out, number), DOCUMENTS, _in_order(file, selection))
        file.unlink()


def _spread(documents: Iterable[Document], rows: np.ndarray, files: list[Path], advance: Callable[[int], None]) -> None:
    (files[0].parent).mkdir(parents=True, exist_ok=True)
    position = -1
    with ExitStack() as stack:
        open_files = [stack.enter_context(file.open("wb", buffering=_BUFFER)) for file in files]
        for position, document in enumerate(documents):
            row = int(rows[position]) if position < len(rows) else -1
            if row >= 0:
                record = (row, document.id, document.title, document.text)
                open_files[row // PART_ROWS].write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            if position % _STEP == _STEP - 1:
                advance(_STEP)
    if position + 1 != len(rows):
        raise UserError(
            f"The source held {len(rows):,} documents at first and {position + 1:,} now. Let it alone and build again."
        )


def _in_order(file: Path, selection: Selection) -> Iterator[DocumentRow]:
    with file.open("rb") as lines:
        records = sorted(tuple(json.loads(line)) for line in lines)
    for row, name, title, text in records:
        stratum = selection.strata[selection.stratum[row]]
        digest = text_hash(passage(title, text))
        yield DocumentRow(row, name, title, text, stratum.name, stratum.probability, digest)
