"""Triples of one's own: a query, a text that satisfies it and one that violates it, from CSV, TSV, JSON lines or YAML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from constraintsuite.core.errors import UserError, first_of, hint_for, refuse_faults
from constraintsuite.core.records.examples import RESTATED_PREFERENCE, Example, ExampleSource, Split
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.files import sha256_of
from constraintsuite.core.store.yaml_files import read_yaml_items
from constraintsuite.corpora.delimited import read_csv, read_tsv
from constraintsuite.corpora.fields import FileRecord, content_id, is_utf8
from constraintsuite.corpora.files import base_name, ending, require_file
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.importers.base import WHOLE, ImportedSuite, make_pair

_NEEDED: Final = ("query", "satisfying", "violating")
_OPTIONAL: Final = (
    "opposite",
    "topic",
    "restated",
    "id",
    "satisfying_title",
    "violating_title",
    "split",
    "slice",
    "domain",
)
_TAKEN: Final = (
    "constraint",
    "control",
    "couple",
    "cue",
    "document_cue",
    "edit",
    "edited",
    "headline",
    "overall",
    "relation",
    "template",
)
"""Names of groupings that every suite has, and whose values it finds by itself."""
_SPLITS: Final[Mapping[str, Split]] = {"train": "train", "dev": "dev", "validation": "dev", "test": "test"}
_PAIRED_SLICE, _SINGLE_SLICE = "paired", "single"
"""The slices of rows that name none: figures of examples with and without an opposite query stay apart."""
_ABOUT: Final = "Triples of a query, a text that satisfies it and a text that violates it."
_PAIRED: Final = (
    "{} of {} have an opposite query, which prefers the violating text: their measure is paired accuracy, chance 25 %."
)
_SINGLE: Final = "{} of {} have none: they have only an accuracy, chance 50 %, and count in no paired figure."


def read(source: str, split: str | None) -> ImportedSuite:
    """The triples of a file. `split` is for rows that name none; by default they are test."""
    default = _split(split or "test")
    if default is None:
        raise UserError(f"--split {split}: choose train, dev or test.")
    path = Path(source)
    found: list[Example] = []
    faults: list[str] = []
    places: dict[str, str] = {}
    names: set[str] = set()
    for number, row in enumerate(_rows(path), 1):
        cells = {str(name).strip(): value for name, value in row.values.items()}
        wrong = [*_name_faults(cells.keys() - names), *_value_faults(cells)]
        names |= cells.keys()
        if not faults and not wrong:
            example = _example(cells, number, base_name(path), default)
            wrong = _repeated(example, places)
            places.setdefault(example.id, row.where)
            found.append(example)
        faults += [f"{row.where}: {fault}" for fault in wrong]
    refuse_faults(faults, most=10)
    if not found:
        raise UserError(f"{source}: holds no triple.")
    return ImportedSuite(base_name(path), _about(found), sha256_of(path), split or "test", tuple(found))


def _rows(path: Path) -> Iterator[FileRecord]:
    """The rows of a file by the name of each field."""
    require_file(path)
    kind = ending(path)
    if kind in (".csv", ".tsv"):
        return _table_rows(path, kind)
    if kind in (".jsonl", ".ndjson", ".json"):
        return read_objects(path, WHOLE)
    if kind in (".yaml", ".yml"):
        return _yaml_rows(path)
    raise UserError(f"{path}: the name of a file of triples ends in .csv, .tsv, .jsonl, .json or .yaml.")


def _table_rows(path: Path, kind: str) -> Iterator[FileRecord]:
    rows = (read_csv if kind == ".csv" else read_tsv)(path, WHOLE)
    where, header = next(rows, (f"{path}:1", ()))
    names = [name.strip() for name in header]
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise UserError(
            f"{where}: the first row must name the columns, among them {', '.join(_NEEDED)}. "
            f"Missing: {', '.join(missing)}. There are: {', '.join(first_of(names, 10)) or 'none'}. "
            "In a .csv file, commas separate columns; in a .tsv file, tabs do."
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"{where}: two columns are called {twice!r}. Rename one of them.")
    for place, cells in rows:
        if len(cells) != len(names):
            raise UserError(
                f"{place}: {len(cells)} cells, but the first row names {len(names)} columns. Is a quote or a separator missing?"
            )
        yield FileRecord(place, dict(zip(names, cells, strict=True)))


def _yaml_rows(path: Path) -> Iterator[FileRecord]:
    for line, item in read_yaml_items(path, "file of triples"):
        if not isinstance(item, dict):
            raise UserError(f"{path}:{line}: expected a mapping with {', '.join(_NEEDED)}.")
        yield FileRecord(f"{path}:{line}", item)


def _name_faults(names: Iterable[str]) -> Iterator[str]:
    """What is wrong with the names of fields."""
    for name in sorted(names):
        if name in _TAKEN:
            yield f"{name}: every suite has a grouping of this name already. Rename the field."
        elif not name or set(name) & {"=", ","}:
            yield f"{name!r}: the name of a group must not be empty, and not hold = or a comma. Rename the field."


def _value_faults(cells: Mapping[str, object]) -> Iterator[str]:
    """What is wrong with the fields of one row."""
    for name, value in cells.items():
        if isinstance(value, (list, dict)):
            yield f"{name}: expected a text or a number, found a {'list' if isinstance(value, list) else 'mapping'}."
        elif not is_utf8(name + _text(value)):
            yield f"{name}: it holds characters that are not valid UTF-8. Save the file as UTF-8."
    for name in _NEEDED:
        if name not in cells:
            near = hint_for(name, [other for other in cells if other not in (*_NEEDED, *_OPTIONAL)], "")
            yield f"{name}: the field is missing. {near}".strip()
        elif not _text(cells[name]):
            yield f"{name}: the field is empty."
    query, opposite, better, worse = (
        _text(cells.get(name)) for name in ("query", "opposite", "satisfying", "violating")
    )
    if better and better == worse:
        yield "violating: the same text as satisfying, so no system can be right."
    if query and query == opposite:
        yield "opposite: the same text as query, so no system can be right under both."
    chosen = _text(cells.get("split"))
    if chosen and _split(chosen) is None:
        yield f"split: {chosen!r} is none of train, dev and test."


def _repeated(example: Example, places: Mapping[str, str]) -> list[str]:
    if example.id not in places:
        return []
    return [f"id: {example.id!r} was there before, at {places[example.id]}."]


def _example(cells: Mapping[str, object], number: int, corpus: str, default: Split) -> Example:
    """The example of a row without faults."""
    texts = {key: _text(value) for key, value in cells.items()}
    better, worse = (_document(texts, role) for role in ("satisfying", "violating"))
    opposite = texts.get("opposite") or None
    pair = make_pair(
        texts.get("id") or f"{corpus}_{number:05d}",
        texts.get("slice") or (_PAIRED_SLICE if opposite else _SINGLE_SLICE),
        query=texts["query"],
        opposite=opposite,
        documents=(better, worse),
        split=_split(texts.get("split", "")) or default,
        clusters=(better.id, worse.id),
    )
    groups = {key: value for key, value in texts.items() if value and key not in (*_NEEDED, *_OPTIONAL)}
    restated = texts.get("restated") or None
    return replace(
        pair,
        source=ExampleSource(corpus, pair.id),
        topic=texts.get("topic") or None,
        restated=restated,
        preferences=(*pair.preferences, *((RESTATED_PREFERENCE,) if restated else ())),
        domain=texts.get("domain", ""),
        tags={**pair.tags, **groups},
    )


def _document(texts: Mapping[str, str], role: str) -> Document:
    """A document named by its text, so that examples which share one are resampled together."""
    return Document(content_id("", texts[role]), texts[role], texts.get(f"{role}_title", ""))


def _split(name: str) -> Split | None:
    return _SPLITS.get(name)


def _text(value: object) -> str:
    """A value as text; empty if there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()


def _about(examples: Sequence[Example]) -> str:
    """What the card says of the examples with and without an opposite query."""
    paired, whole = sum(example.is_paired for example in examples), f"{len(examples):,} examples"
    parts = [_ABOUT]
    if paired:
        parts.append(_PAIRED.format(f"{paired:,}", whole))
    if paired < len(examples):
        parts.append(_SINGLE.format(f"{len(examples) - paired:,}", whole))
    return " ".join(parts)
