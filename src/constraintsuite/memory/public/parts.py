"""A haystack as the documents of a memory: passages in their order, and what they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from constraintsuite.memory.entities import normalise_entity
from constraintsuite.memory.ingest.collection import MOST_MENTIONED
from constraintsuite.memory.ingest.naming import Named, TitleFinder, bare_title, mentions_of
from constraintsuite.memory.public.base import Haystack, HaystackDocument, HaystackPassage
from constraintsuite.memory.records import EntityMention, MemoryDocument, Unit, weighted_edge
from constraintsuite.store.files import sha256_text

Links = Literal["names", "titles"]
"""What joins documents: all names in them, or the titles of documents alone."""


def parts_of(haystack: Haystack, links: Links = "names") -> list[MemoryDocument]:
    """One part a document. Passages of a document follow each other; documents are joined by what they name alone.

    The order of documents in a file is no edge: in some files the gold stands together. An entity that too many passages
    name is left out, as in ingestion.
    """
    titles = TitleFinder({source.title: _forms(source.title) for source in haystack.sources if source.title})
    parts = [_part(source, titles, links) for source in haystack.sources]
    counts = Counter(mention.entity for part in parts for mention in part.mentions)
    return [_bounded(part, counts) for part in parts]


def units_of(source: HaystackDocument) -> tuple[Unit, ...]:
    """The passages of a document as units, without what they name."""
    return tuple(
        Unit(passage.unit, source.id, passage.text, source.headings, attributes=source.attributes)
        for passage in source.passages
    )


def _part(source: HaystackDocument, titles: TitleFinder, links: Links) -> MemoryDocument:
    units = units_of(source)
    return MemoryDocument(
        id=source.id,
        title=source.title,
        sha256=sha256_text(source.title, *source.headings, *(unit.text for unit in units)),
        units=units,
        edges=tuple(weighted_edge(a.id, b.id, "next", because="the next passage") for a, b in pairwise(units)),
        mentions=tuple(mention for passage in source.passages for mention in _mentions(source, passage, titles, links)),
    )


def _mentions(
    source: HaystackDocument, passage: HaystackPassage, titles: TitleFinder, links: Links
) -> Iterator[EntityMention]:
    """The title that a passage stands under, the names in it, and the titles of other documents in it."""
    text = passage.text if links == "names" else ""
    found = {named.entity: named for named in mentions_of(text, source.title)}
    for title, span in titles.find(passage.text):
        entity = normalise_entity(bare_title(title))
        found.setdefault(entity, Named(entity, span.of(passage.text), 1))
    return (EntityMention(passage.unit, named.entity, named.surface, named.count) for named in found.values())


def _forms(title: str) -> Iterable[str]:
    return dict.fromkeys((title, bare_title(title)))


def _bounded(part: MemoryDocument, counts: Counter[str]) -> MemoryDocument:
    kept = tuple(mention for mention in part.mentions if counts[mention.entity] <= MOST_MENTIONED)
    return part if len(kept) == len(part.mentions) else replace(part, mentions=kept)
