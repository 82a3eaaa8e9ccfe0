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
        """The document of each `<DOC>`: its text is inside `<TEXT>`, or where there is none all but id and title."""
        for file in self._files:
            for where, body in read_blocks(file, "doc", bad):
                document = _document(body, self._tags)
                metadata = document.metadata
                reason = _fault(document.id, document.text, document.title, *metadata, *metadata.values())
                if reason is None:
                    yield document
                else:
                    bad.add(where, reason, body)


def read_topics(path: Path, bad: BadRows) -> Iterator[Query]:
    """The title of each topic as a query; the tags inside a topic need not be closed."""
    for where, body in read_blocks(path, "top", bad):
        number, title = _TOPIC_ID.search(body), _TOPIC_TITLE.search(body)
        query = Query(number.group(1) if number else "", _line(title.group(1)) if title else "")
        reason = _fault(query.id, query.text)
        if reason is None:
            yield query
        else:
            bad.add(where, reason, body)


class TaggedBlock(NamedTuple):
    """What stands between an opening and a closing tag, and where the first is."""

    where: str
    body: str


def read_blocks(path: Path, tag: str, bad: BadRows) -> Iterator[TaggedBlock]:
    """The blocks `<tag>…</tag>` of a file; what stands between them is passed over."""
    border = re.compile(rf"(</?{tag}(?:\s[^<>]*)?>)", re.IGNORECASE)
    begun: str | None = None
    parts: list[str] = []
    for line in read_lines(path):
        for part in border.split(escape(line.data)):
            if not border.fullmatch(part):
                if begun is not None:
                    parts.append(part)
                continue
            closes = part.startswith("</")
            if begun is not None and closes:
                yield TaggedBlock(begun, "".join(parts))
            elif begun is not None or closes:
                bad.add(begun or line.where, "broken_markup", "".join(parts) or part)
            begun, parts = None if closes else line.where, []
    if begun is not None:
        bad.add(begun, "broken_markup", "".join(parts))


class _Tags(NamedTuple):
    id: str
    titles: tuple[str, ...]
    text: str
    whole: bool
    """Whether a document without the text tag is text as a whole."""


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
    """What stands inside each `<tag>`, and the body without these elements."""
    element = _element(tag)
    return element.findall(body), element.sub("", body)


@cache
def _element(tag: str) -> re.Pattern[str]:
    """Matches `<tag>…</tag>`; looks no further than the next such tag, so that unclosed ones cost no time."""
    name = re.escape(tag)
    inside = rf"[^<]*+(?:<(?!/?{name}[\s>])[^<]*+)*+"
    return re.compile(rf"<{name}(?:\s[^<>]*)?>({inside})</{name}\s*>", re.IGNORECASE)


def _plain(markup: str) -> str:
    """The text without tags; only entities that end in a semicolon are read, since `R&D` is none."""
    return _ENTITY.sub(lambda entity: html.unescape(entity.group()), _TAG.sub(" ", markup))


def _line(text: str) -> str:
    return " ".join(text.split())


def _fault(name: str, text: str, *others: str) -> Reason | None:
    if not all(map(is_utf8, (name, text, *others))):
        return "invalid_utf8"
    if not name:
        return "missing_id"
    return None if text.strip() else "missing_text"
