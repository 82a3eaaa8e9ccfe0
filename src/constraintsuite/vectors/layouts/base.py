"""Exports of texts: the format of BEIR, and tables of tab-separated values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.core.store.jsonl import write_json
from constraintsuite.vectors.bundle import Bundle

METADATA = "metadata.json"


class BundleExporter(Protocol):
    """Writes a bundle in another format."""

    def __call__(self, bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
        """Write into the empty folder `out`; gives notes on what the format could not hold."""


def _refuse_encoder(encoder: str | None) -> None:
    """Raise a UserError if an encoder is given for a format without vectors."""
    if encoder is not None:
        raise UserError("--encoder: this layout holds texts and no vectors. Leave it out, or choose another layout.")


def origin_of(bundle: Bundle) -> dict[str, str | None]:
    """Source and licence of the texts, and the id of the bundle; written with every export."""
    source = bundle.texts.manifest.settings["source"]
    return {"source": source["name"], "licence": source.get("licence") or None, "bundle_id": bundle.id}


def write_origin(bundle: Bundle, out: Path) -> None:
    """Write the origin as a file next to the texts."""
    write_json(out / METADATA, origin_of(bundle))


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines, each with an LF at its end."""
    with atomic_writer(path) as file:
        for line in lines:
            file.write(line.encode() + b"\n")


def _require_plain(kind: str, name: str, forbidden: str, where: str) -> str:
    """Return the name, or raise a UserError if it has a character that the format cannot hold."""
    found = next((character for character in name if character in forbidden), None)
    if found is not None:
        raise UserError(f"The {kind} {name!r} holds {found!r}, which {where} cannot hold. Choose another layout.")
    return name


_BORDERS = "\t\n\r"


def export_beir(bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
    """Write corpus.jsonl, queries.jsonl and qrels/test.tsv; texts are kept to the last character."""
    _refuse_encoder(encoder)
    bundle.require_texts()
    _write_lines(
        out / "corpus.jsonl", (_json(_id=row.id, title=row.title, text=row.text or "") for row in bundle.rows())
    )
    _write_lines(out / "queries.jsonl", (_json(_id=query.id, text=query.text or "") for query in bundle.queries))
    _write_lines(out / "qrels" / "test.tsv", _qrels(bundle))
    write_origin(bundle, out)
    return []


def _json(**fields: str) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _qrels(bundle: Bundle) -> Iterator[str]:
    yield "query-id\tcorpus-id\tscore"
    for qrel in bundle.qrels():
        query = _require_plain("query id", qrel.query, _BORDERS, "a table of judgments")
        document = _require_plain("document id", qrel.document, _BORDERS, "a table of judgments")
        yield f"{query}\t{document}\t{qrel.grade}"


_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def export_tsv(bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
    """Write corpus.tsv, queries.tsv and qrels.tsv without headers; NUL is refused."""
    _refuse_encoder(encoder)
    bundle.require_texts()
    _write_lines(out / "corpus.tsv", (f"{_field(row.id)}\t{_field(row.passage)}" for row in bundle.rows()))
    _write_lines(out / "queries.tsv", (f"{_field(query.id)}\t{_field(query.text or '')}" for query in bundle.queries))
    lines = (f"{_field(qrel.query)}\t{_field(qrel.document)}\t{qrel.grade}" for qrel in bundle.qrels())
    _write_lines(out / "qrels.tsv", lines)
    write_origin(bundle, out)
    titled = any(row.title for row in bundle.rows())
    return ["titles are written before the texts, since the table has two columns"] if titled else []


def _field(text: str) -> str:
    return _require_plain("field", text, "\0", "a table").translate(_ESCAPES)
