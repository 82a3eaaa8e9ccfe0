"""Filters for examples: by the values of facets, and by words in their texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from constraintsuite.app.pages.group_tables import words_for
from constraintsuite.app.pages.marks import Segment, TextMark, cut
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.experiments.load import Suite
from constraintsuite.experiments.pairs import group_examples

Mask = NDArray[np.bool_]
FoldedTexts = tuple[tuple[str, ...], ...]
_ORDER = (
    *("constraint", "slice", "split", "domain", "relation", "value", "cue", "document_cue", "pattern", "template"),
    *("edit", "edited", "difficulty", "overlap", "length", "explicitness", "denial"),
    *("satisfying_evidence", "violating_evidence", "control"),
)
"""The order of the facets on a page; facets of other tags and of notes follow."""
_TITLES = {
    "value": "value of the constraint",
    "pattern": "template",
    "template": "family of templates",
    "satisfying_evidence": "evidence in the satisfying document",
    "violating_evidence": "evidence in the violating document",
}
"""Titles of facets that differ from the names of groupings in a report."""
_OWN: Mapping[str, Callable[[Example], str]] = {
    "pattern": lambda e: e.template,
    "value": lambda e: e.constraint.value.casefold() if e.constraint else "",
    "satisfying_evidence": lambda e: _evidence(e, SATISFYING),
    "violating_evidence": lambda e: _evidence(e, VIOLATING),
}


@dataclass(frozen=True)
class Facet:
    """A property by which examples can be filtered: each example has one of its values, or none."""

    name: str
    title: str
    values: tuple[str, ...]
    codes: NDArray[np.int32]
    """The index of each example's value; -1 for none."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The labels of values that are not shown as they are."""

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {value: place for place, value in enumerate(self.values)}

    def label(self, value: str) -> str:
        """The label of a value."""
        return self.words.get(value, value)

    def having(self, value: str) -> Mask:
        """Which examples have a value; none for an unknown value."""
        found: Mask = self.codes == self._places.get(value, -2)
        return found

    def counts(self, among: Mask) -> dict[str, int]:
        """The number of these examples with each value, without values that none of them has."""
        codes = self.codes[among]
        found = np.bincount(codes[codes >= 0], minlength=len(self.values))
        return {self.values[place]: int(found[place]) for place in np.flatnonzero(found)}


def make_facets(suite: Suite) -> dict[str, Facet]:
    """The facets of a suite that distinguish its examples, by name; controls follow the main examples."""
    everything = [*suite.examples, *suite.controls]
    # The groupings that all commands use, here over examples and controls together.
    parts = group_examples(everything, ())
    parts["control"] = group_examples(suite.examples, suite.controls)["control"]
    facets = {name: _facet(name, members, len(everything)) for name, members in parts.items()}
    facets |= {name: facet_of(name, _title(name), [key(e) or None for e in everything]) for name, key in _OWN.items()}
    ordered = [facets[name] for name in dict.fromkeys((*_ORDER, *facets)) if name in facets]
    return {facet.name: facet for facet in ordered if len(facet.values) > 1 or (facet.values and -1 in facet.codes)}


def facet_of(name: str, title: str, values: Sequence[str | None], words: Mapping[str, str] | None = None) -> Facet:
    """A facet from the value of each item, or None; `words` gives all values in order with their labels."""
    known = words or {value: value for value in sorted({value for value in values if value is not None})}
    places = {value: place for place, value in enumerate(known)}
    codes = np.array([-1 if value is None else places[value] for value in values], dtype=np.int32)
    return Facet(name, title, tuple(known), codes, known)


def _facet(name: str, parts: Mapping[str, Sequence[int]], size: int) -> Facet:
    codes = np.full(size, -1, dtype=np.int32)
    for place, members in enumerate(parts.values()):
        codes[list(members)] = place
    return Facet(name, _title(name), tuple(parts), codes)


def _title(name: str) -> str:
    return _TITLES.get(name) or words_for(name)


def _evidence(example: Example, role: str) -> str:
    """What the evidence in a document says, such as "affirmed and negated"; empty without a constraint."""
    constraint = example.constraint
    if constraint is None:
        return ""
    return (
        " and ".join(sorted({constraint.verdict(one) for one in constraint.evidence if one.document == role})) or "none"
    )


MOST = 20
"""Words and phrases that one search may have."""
_AROUND = 70  # characters
_TERM = re.compile(r'"([^"]*)"|(\S+)')


def index_texts(examples: Sequence[Example]) -> FoldedTexts:
    """The folded texts of each example; a text that several examples share is folded once."""
    fold = cache(folded)
    return tuple(tuple(map(fold, _texts(example))) for example in examples)


def find_texts(texts: FoldedTexts, terms: Sequence[str]) -> Mask:
    """The examples whose texts contain all terms."""
    found = (all(any(term in text for text in own) for term in terms) for own in texts)
    return np.fromiter(found, dtype=bool, count=len(texts))


def parse_terms(search: str) -> tuple[str, ...]:
    """The words of a search; words in quotation marks are one term."""
    terms = (folded(phrase or word).strip() for phrase, word in _TERM.findall(search))
    return tuple(dict.fromkeys(term for term in terms if term))[:MOST]


def snippet(example: Example, terms: Sequence[str]) -> tuple[Segment, ...]:
    """The text around the first term in a document; empty if only a query has it."""
    wanted = re.compile("|".join(map(re.escape, terms)), re.IGNORECASE) if terms else None
    for text in (document.text for document in example.documents):
        found = wanted.search(text) if wanted else None
        if found:
            start = max(0, text.rfind(" ", 0, max(0, found.start() - _AROUND)) + 1)
            end = text.find(" ", found.end() + _AROUND)
            end = len(text) if end < 0 else end
            marks = [TextMark(found.start() - start, found.end() - start, "found")]
            before, after = "… " if start else "", " …" if end < len(text) else ""
            return (Segment(before), *cut(text[start:end], marks), Segment(after))
    return ()


def folded(text: str) -> str:
    """The text in the form that is compared: case-folded and composed."""
    return unicodedata.normalize("NFC", text).casefold()


def _texts(example: Example) -> tuple[str, ...]:
    asked = "\n".join((example.id, *example.queries.values()))
    return asked, *(f"{document.title}\n{document.text}" for document in example.documents)
