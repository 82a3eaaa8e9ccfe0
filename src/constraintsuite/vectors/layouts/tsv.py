r"""Strict tables: one record a line, one tab between fields, LF; inside a field `\t`, `\n`, `\r` and `\\` are escaped."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.layouts.base import refuse_encoder, require_plain, write_lines, write_origin

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def export_tsv(bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
    """corpus.tsv, queries.tsv, qrels.tsv, without headers; NUL is refused."""
    refuse_encoder(encoder)
    bundle.require_texts()
    write_lines(out / "corpus.tsv", (f"{_field(row.id)}\t{_field(row.passage)}" for row in bundle.rows()))
    write_lines(out / "queries.tsv", (f"{_field(query.id)}\t{_field(query.text or '')}" for query in bundle.queries))
    lines = (f"{_field(qrel.query)}\t{_field(qrel.document)}\t{qrel.grade}" for qrel in bundle.qrels())
    write_lines(out / "qrels.tsv", lines)
    write_origin(bundle, out)
    titled = any(row.title for row in bundle.rows())
    return ["titles stand before the texts, since a table has two columns"] if titled else []


def _field(text: str) -> str:
    return require_plain("field", text, "\0", "a table").translate(_ESCAPES)
