"""Reads queries and judgments from their own files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Qrel, Query
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.delimited import read_delimited
from constraintsuite.corpora.fields import QUERY_FIELDS, read_query_rows
from constraintsuite.corpora.files import BYTE_ORDER_MARK, decode, ending, open_bytes, read_lines
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.corpora.trec import read_topics

_BY_ENDING = {".tsv": "tsv", ".csv": "csv", ".jsonl": "json", ".ndjson": "json", ".json": "json"}
_BY_FIRST_CHARACTER = {b"<": "topics", b"{": "json", b"[": "json"}


def read_queries(path: Path, bad: BadRows) -> Iterator[Query]:
    """The queries of a TSV or CSV file (id, text; a header is optional), of JSON lines, or of TREC topics."""
    kind = _BY_ENDING.get(ending(path)) or _BY_FIRST_CHARACTER.get(_first_character(path), "tsv")
    if kind == "topics":
        return read_topics(path, bad)
    rows = read_objects(path, bad) if kind == "json" else read_delimited(path, kind, QUERY_FIELDS, bad)
    return read_query_rows(rows, bad)


def read_qrels(path: Path, bad: BadRows) -> Iterator[Qrel]:
    """The judgments of TREC qrels (`query 0 document grade`) or of a BEIR table (`query document grade`)."""
    for number, line in enumerate(read_lines(path)):
        text = decode(line, bad)
        if text is None or not text.strip():
            continue
        cells = [cell.strip() for cell in (text.split("\t") if "\t" in text else text.split())]
        if len(cells) not in (3, 4) or not all(cells):
            bad.add(line.where, "wrong_columns", text)
        elif _is_grade(cells[-1]):
            yield Qrel(cells[0], cells[-2], int(cells[-1]))
        elif number > 0 or len(cells) == 4:  # only the table of BEIR has a header
            bad.add(line.where, "bad_grade", text)


def distinct_judgments(qrels: Iterable[Qrel]) -> list[Qrel]:
    """Each judgment once, sorted by query and document; contradicting judgments are a UserError."""
    found: dict[tuple[str, str], Qrel] = {}
    for qrel in qrels:
        other = found.setdefault((qrel.query, qrel.document), qrel)
        if other.grade != qrel.grade:
            raise UserError(
                f"Query {qrel.query!r} and document {qrel.document!r} are judged both {other.grade} and {qrel.grade}. "
                "Remove one of the judgments."
            )
    return [found[couple] for couple in sorted(found)]


def _first_character(path: Path) -> bytes:
    with open_bytes(path) as file:
        return file.read(1 << 16).removeprefix(BYTE_ORDER_MARK).lstrip()[:1]


def _is_grade(text: str) -> bool:
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdecimal()
