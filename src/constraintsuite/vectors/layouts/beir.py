"""A folder as BEIR has it, which `csuite` and many others read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.layouts.base import refuse_encoder, require_plain, write_lines, write_origin

_BORDERS = "\t\n\r"


def export_beir(bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
    """corpus.jsonl, queries.jsonl, qrels/test.tsv; texts are kept to the last character."""
    refuse_encoder(encoder)
    bundle.require_texts()
    write_lines(
        out / "corpus.jsonl", (_json(_id=row.id, title=row.title, text=row.text or "") for row in bundle.rows())
    )
    write_lines(out / "queries.jsonl", (_json(_id=query.id, text=query.text or "") for query in bundle.queries))
    write_lines(out / "qrels" / "test.tsv", _qrels(bundle))
    write_origin(bundle, out)
    return []


def _json(**fields: str) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _qrels(bundle: Bundle) -> Iterator[str]:
    yield "query-id\tcorpus-id\tscore"
    for qrel in bundle.qrels():
        query = require_plain("query id", qrel.query, _BORDERS, "a table of judgments")
        document = require_plain("document id", qrel.document, _BORDERS, "a table of judgments")
        yield f"{query}\t{document}\t{qrel.grade}"
