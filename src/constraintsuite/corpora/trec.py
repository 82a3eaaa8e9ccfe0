"""TREC text (`<DOC>` with `<DOCNO>`) and TREC topics (`<top>` with `<num>` and `<title>`)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.records.text import Document, Query
from constraintsuite.corpora.base import BadRows, Reason, Source, SourceSettings
from constraintsuite.corpora.fields import is_utf8
from constraintsuite.corpora.files import base_name, data_files, escape, fingerprint_files, read_lines

_TITLES = ("title", "headline", "head")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LEAF = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>([^<>]*)</\1\s*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:\w+|#\d+|#[xX][0-9a-fA-F]+);")
_TOPIC_ID = re.compile(r"<num>\s*+(?:number\s*+:\s*+)?([^\s<]+)", re.IGNORECASE)
_TOPIC_TITLE = re.compile(r"<title>\s*+(?:topic\s*+:)?([^<]*)", re.IGNORECASE)


class TrecSource(Source):
    """The documents of a TREC text file, or of all such files in a folder."""

    def __init__(self, settings: SourceSettings) -> None:
        self.name = base_name(Path(settings.source))
        self._files = data_files(settings.source, (".trec", ".sgml", ".sgm"))
        self._tags = _Tags(
            (settings.id_field or "docno").lower(),
            _TITLES if settings.title_field is None else (settings.title_field.lower(),),
            (settings.text_field or "text").lower(),
            whole=settings.text_field is None,
        )

    def fingerprint(self) -> str:
        """SHA-256 of the files and the names of the tags."""
        return fingerprint_files(self._files, "trec", self._tags)

    def documents(self, bad: BadRows) -> Iterator[Document]:
        """The document of each `<DOC>`; its text is inside `<TEXT>`, or if there is none, everything except id and title."""
        for file in self._files:
            for where, body in _read_blocks(file, "doc", bad):
                document = _document(body, self._tags)
                metadata = document.metadata
                reason = _fault(document.id, document.text, document.title, *metadata, *metadata.values())
                if reason is None:
                    yield document
                else:
                    bad.add(where, reason, body)


def read_topics(path: Path, bad: BadRows) -> Iterator[Query]:
    """The title of each topic as a query; the tags inside a topic need not be closed."""
    for where, body in _read_blocks(path, "top", bad):
        number, title = _TOPIC_ID.search(body), _TOPIC_TITLE.search(body)
        query = Query(number.group(1) if number else "", _line(title.group(1)) if title else "")
        reason = _fault(query.id, query.text)
        if reason is None:
            yield query
        else:
            bad.add(where, reason, body)


def _read_blocks(path: Path, tag: str, bad: BadRows) -> Iterator[tuple[str, str]]:
    """The place and the content of each `<tag>…</tag>` in a file; the text between them is skipped."""
    border = re.compile(rf"(</?{tag}(?:\s[^<>]*)?>)", re.IGNORECASE)
    opened_at: str | None = None
    parts: list[str] = []
    for line in read_lines(path):
        for part in border.split(escape(line.data)):
            if not border.fullmatch(part):
                if opened_at is not None:
                    parts.append(part)
                continue
            closes = part.startswith("</")
            if opened_at is not None and closes:
                yield opened_at, "".join(parts)
            elif opened_at is not None or closes:
                bad.add(opened_at or line.where, "broken_markup", "".join(parts) or part)
            opened_at, parts = None if closes else line.where, []
    if opened_at is not None:
        bad.add(opened_at, "broken_markup", "".join(parts))


class _Tags(NamedTuple):
    id: str
    titles: tuple[str, ...]
    text: str
    whole: bool
    """Whether all of a document without the text tag is its text."""


def _document(body: str, tags: _Tags) -> Document:
    ids, rest = _take(body, tags.id)
    titles: list[str] = []
    for tag in tags.titles:
        found, rest = _take(rest, tag)
        titles += found
    texts, rest = _take(rest, tags.text)
    whole = not texts and tags.whole
    leaves = () if whole else _LEAF.finditer(rest)
    return Document(
        _line(ids[0]) if ids else "",
        "\n".join(_plain(text).strip() for text in ([rest] if whole else texts)),
        _line(_plain(titles[0])) if titles else "",
        {leaf.group(1).lower(): _line(_plain(leaf.group(2))) for leaf in leaves},
    )


def _take(body: str, tag: str) -> tuple[list[str], str]:
    """The content of each `<tag>`, and the body without these elements."""
    element = _element(tag)
    return element.findall(body), element.sub("", body)


@cache
def _element(tag: str) -> re.Pattern[str]:
    """Matches `<tag>…</tag>`; the search ends at the next such tag, so unclosed tags cost no time."""
    name = re.escape(tag)
    inside = rf"[^<]*+(?:<(?!/?{name}[\s>])[^<]*+)*+"
    return re.compile(rf"<{name}(?:\s[^<>]*)?>({inside})</{name}\s*>", re.IGNORECASE)


def _plain(markup: str) -> str:
    """The text without tags; only entities that end in a semicolon are decoded, since `R&D` is none."""
    return _ENTITY.sub(lambda entity: html.unescape(entity.group()), _TAG.sub(" ", markup))


def _line(text: str) -> str:
    return " ".join(text.split())


def _fault(name: str, text: str, *others: str) -> Reason | None:
    if not all(map(is_utf8, (name, text, *others))):
        return "invalid_utf8"
    if not name:
        return "missing_id"
    return None if text.strip() else "missing_text"
