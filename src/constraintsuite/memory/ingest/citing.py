"""Edges that rest on citations: inside the document first, then in the documents that are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from constraintsuite.memory.ingest.citations import Citation
from constraintsuite.memory.ingest.document import ParsedDocument
from constraintsuite.memory.ingest.linking import ReadDocument
from constraintsuite.memory.ingest.naming import TitleFinder, bare_title
from constraintsuite.memory.ingest.resolving import NumberIndex, Target
from constraintsuite.memory.records import EDGE_WEIGHTS, Edge
from constraintsuite.records.text import Span

_MOST_TITLED = 64
"""Units that may name a document; one that more name is too well known to be a link."""
_NEAR = 12
"""Characters between a number and the title of the document that it is a number of."""


class Citer:
    """Resolves citations over a whole collection."""

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
        """The other documents that a unit names by title, and where."""
        return [(other, span) for other, span in self._places.get(unit, ()) if other not in self._common]

    def edges(self, document: ReadDocument) -> Iterator[Edge]:
        """The edges that rest on what the units of a document cite, and on the documents they name."""
        for number, (unit, reading) in enumerate(zip(document.parsed.units, document.readings, strict=True)):
            reached: set[str] = set()
            for citation in reading.citations:
                other = self._named_behind(unit.text, unit.id, citation)
                for target_document, target in self._targets(document.parsed, number, citation, other):
                    reached.add(target_document.id)
                    own = target_document is document.parsed
                    yield _edge(unit.id, target_document.units[target.unit].id, citation, target.confidence, own=own)
            for other, span in self.titles_in(unit.id):
                units = self._documents[other].units
                if other not in reached and units:
                    reached.add(other)
                    yield Edge(
                        unit.id,
                        units[0].id,
                        "refers_to",
                        EDGE_WEIGHTS["refers_to"],
                        0.6,
                        f"names the document {span.of(unit.text)!r}",
                    )

    def _targets(
        self, document: ParsedDocument, unit: int, citation: Citation, other: str | None
    ) -> Iterator[tuple[ParsedDocument, Target]]:
        if other is not None:
            yield from ((self._documents[other], one) for one in self._index(other).resolve(citation, None))
            return
        yield from ((document, one) for one in self._index(document.id).resolve(citation, unit))

    def _named_behind(self, text: str, unit: str, citation: Citation) -> str | None:
        """The document that is named right behind a citation: "clause 4 of the Master Agreement"."""
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
    """Titles and stems by document; what two documents are called names neither."""
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
            return Edge(target, unit, "exception_to", EDGE_WEIGHTS["exception_to"], confidence, because)
        # Edges leave the document they are kept with.
        return Edge(unit, target, "refers_to", EDGE_WEIGHTS["refers_to"], confidence, because)
    kind = "exception_to" if citation.relation == "overrides" else citation.relation
    return Edge(unit, target, kind, EDGE_WEIGHTS[kind], confidence, because)
