"""Edges from citations: inside the document first, then in the documents that are named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from constraintsuite.core.records.text import Span
from constraintsuite.memory.ingest.citations import Citation
from constraintsuite.memory.ingest.document import ParsedDocument
from constraintsuite.memory.ingest.names import TitleFinder, bare_title
from constraintsuite.memory.ingest.unit_reader import ReadDocument
from constraintsuite.memory.records import Edge, weighted_edge

_SECTION_NAMES = frozenset(("section", "article", "chapter", "annex", "appendix", "schedule", "exhibit", "part"))
_MOST_OF_SECTION = 5
_MOST_TITLED = 64
"""The title of a document that more units name creates no links by itself."""
_NEAR = 12
"""The most characters between a cited number and the title of its document."""


class Target(NamedTuple):
    """A cited unit by its index, and how likely it is that this one is meant."""

    unit: int
    confidence: float


class NumberIndex:
    """The units and sections of one document by their numbers."""

    def __init__(self, document: ParsedDocument) -> None:
        self._document = document
        self._units: dict[str, list[int]] = defaultdict(list)
        self._sections: dict[str, list[int]] = defaultdict(list)
        for unit, place in enumerate(document.places):
            section = document.section_numbers.get(place.section, "")
            if place.number:
                self._units[place.number].append(unit)
            if section and place.number and not place.number.startswith(f"{section}."):
                self._units[f"{section}.{place.number}"].append(unit)
            while section:
                if place.parent is None:
                    self._sections[section].append(unit)
                section = section.rpartition(".")[0]

    def resolve(self, citation: Citation, citing: int | None) -> list[Target]:
        """Return the units that a citation means; `citing` is the citing unit, if it belongs to this document."""
        number = citation.number
        if number in ("-1", "+1"):
            return self._neighbour(citing, -1 if number == "-1" else 1)
        if number.startswith("."):
            return self._part(citing, number)
        section_first = citation.name in _SECTION_NAMES
        tries = (self._in_sections, self._in_units) if section_first else (self._in_units, self._in_sections)
        for find in tries:
            found = [target for target in find(citation, citing) if target.unit != citing]
            if found or (citing is not None and self._document.places[citing].number == number):  # it cites itself
                return found
        return []

    def _in_units(self, citation: Citation, citing: int | None) -> list[Target]:
        found = self._units.get(citation.number, [])
        if len(found) > 1:
            found = self._named_section(found, citation) or self._own_section(found, citing)
        return [Target(found[0], 0.95)] if len(found) == 1 else []

    def _named_section(self, found: Sequence[int], citation: Citation) -> list[int]:
        """Return the unit in the section that the citation names: "step 2 of the mitigation", "rule 1" under "Rules"."""
        for words in (citation.tail.lower(), citation.name):
            named = [unit for unit in found if words and _names(words, self._document.units[unit].headings)]
            if len(named) == 1:
                return named
        return []

    def _own_section(self, found: Sequence[int], citing: int | None) -> list[int]:
        if citing is None:
            return []
        section = self._document.places[citing].section
        own = [unit for unit in found if self._document.places[unit].section == section]
        before = [unit for unit in own if unit < citing]
        return [max(before)] if before else own[:1]

    def _in_sections(self, citation: Citation, citing: int | None) -> list[Target]:
        number = citation.number
        found = self._sections.get(number, [])
        if citing in found:
            found = []
        if len(found) > _MOST_OF_SECTION:
            found = found[:1]
        lent = [unit for unit in found if self._bears(unit, number)]
        return [Target(unit, 0.95 if len(found) == 1 or lent else 0.7) for unit in lent or found]

    def _bears(self, unit: int, number: str) -> bool:
        """Whether a unit is the paragraph that got its number from a heading."""
        lent = self._document.units[unit].attributes["kind"] in ("paragraph", "quote")
        return lent and self._document.places[unit].number == number

    def _part(self, citing: int | None, number: str) -> list[Target]:
        own = self._document.places[citing].number if citing is not None else ""
        while own:
            found = self._units.get(own + number, [])
            if len(found) == 1 and found[0] != citing:
                return [Target(found[0], 0.9)]
            own = own.rpartition(".")[0]
        return []

    def _neighbour(self, citing: int | None, step: int) -> list[Target]:
        if citing is None:
            return []
        places = self._document.places
        neighbour = siblings_of(self._document, citing, step)
        if neighbour is None and step < 0:
            neighbour = places[citing].parent
        return [Target(neighbour, 0.9)] if neighbour is not None else []


def _names(words: str, headings: Sequence[str]) -> bool:
    """Whether the words begin with the innermost heading, or the heading is their plural."""
    heading = headings[-1].lower() if headings else ""
    return bool(heading) and (words.startswith(heading) or heading.removesuffix("s") == words)


def siblings_of(document: ParsedDocument, unit: int, step: int) -> int | None:
    """Return the nearest unit before or after another in the same section and item."""
    own = document.places[unit]
    other = unit + step
    while 0 <= other < len(document.places) and document.places[other].section == own.section:
        if document.places[other].parent == own.parent:
            return other
        other += step
    return None


class Citer:
    """Resolves citations within a collection."""

    def __init__(self, documents: Sequence[ParsedDocument]) -> None:
        self._documents = {document.id: document for document in documents}
        self._numbers: dict[str, NumberIndex] = {}
        self._titles = TitleFinder(_own_titles(documents))
        self._places: dict[str, list[tuple[str, Span]]] = {}
        named: Counter[str] = Counter()
        for document in documents:
            for unit in document.units:
                places = [(other, span) for other, span in self._titles.find(unit.text) if other != document.id]
                if places:
                    self._places[unit.id] = places
                    named.update({other for other, _ in places})
        self._common = frozenset(other for other, count in named.items() if count > _MOST_TITLED)

    def titles_in(self, unit: str) -> list[tuple[str, Span]]:
        """Return the other documents that a unit names by title, and where."""
        return [(other, span) for other, span in self._places.get(unit, ()) if other not in self._common]

    def edges(self, document: ReadDocument) -> Iterator[Edge]:
        """Yield the edges from what the units of a document cite, and from the documents that they name."""
        for number, (unit, reading) in enumerate(zip(document.units, document.readings, strict=True)):
            reached: set[str] = set()
            for citation in reading.citations:
                other = self._document_after(unit.text, unit.id, citation)
                for target_document, target in self._targets(document, number, citation, other):
                    reached.add(target_document.id)
                    own = target_document is document
                    yield _edge(unit.id, target_document.units[target.unit].id, citation, target.confidence, own=own)
            for other, span in self.titles_in(unit.id):
                units = self._documents[other].units
                if other not in reached and units:
                    reached.add(other)
                    because = f"names the document {span.of(unit.text)!r}"
                    yield weighted_edge(unit.id, units[0].id, "refers_to", 0.6, because)

    def _targets(
        self, document: ParsedDocument, unit: int, citation: Citation, other: str | None
    ) -> list[tuple[ParsedDocument, Target]]:
        if other is not None:
            return [(self._documents[other], one) for one in self._index(other).resolve(citation, None)]
        return [(document, one) for one in self._index(document.id).resolve(citation, unit)]

    def _document_after(self, text: str, unit: str, citation: Citation) -> str | None:
        """Return the document that is named right after a citation: "clause 4 of the Master Agreement"."""
        if not citation.tail:
            return None
        start = text.find(citation.because) + len(citation.because)
        near = [other for other, span in self._places.get(unit, ()) if 0 <= span.start - start <= _NEAR]
        return near[0] if near else None

    def _index(self, document: str) -> NumberIndex:
        if document not in self._numbers:
            self._numbers[document] = NumberIndex(self._documents[document])
        return self._numbers[document]


def _own_titles(documents: Sequence[ParsedDocument]) -> Mapping[str, list[str]]:
    """Return titles and stems by document; a name that two documents share refers to neither."""
    forms = {document.id: _title_forms(document) for document in documents}
    bearers = Counter(form.lower() for given in forms.values() for form in {one.lower() for one in given})
    return {document: [form for form in given if bearers[form.lower()] == 1] for document, given in forms.items()}


def _title_forms(document: ParsedDocument) -> list[str]:
    stem = document.id.rpartition("/")[2]
    return [bare_title(document.title), stem.replace("_", " ").replace("-", " "), stem]


def _edge(unit: str, target: str, citation: Citation, confidence: float, *, own: bool) -> Edge:
    because = f"cites {citation.because!r}"
    if citation.relation == "excepted_by":
        if own:
            return weighted_edge(target, unit, "exception_to", confidence, because)
        # An edge is stored with the document that it leaves.
        return weighted_edge(unit, target, "refers_to", confidence, because)
    kind = "exception_to" if citation.relation == "overrides" else citation.relation
    return weighted_edge(unit, target, kind, confidence, because)
