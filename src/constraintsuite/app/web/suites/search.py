"""Search over the examples of a suite: filters, pages of results, and counts for further filters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlencode

import numpy as np

from constraintsuite.app.pages.marks import cut, query_marks
from constraintsuite.app.web.forms import read_whole
from constraintsuite.app.web.suites.facets import (
    Facet,
    FoldedTexts,
    Mask,
    find_texts,
    index_texts,
    make_facets,
    parse_terms,
)
from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.examples import Example
from constraintsuite.experiments.load import Suite, load_suite

SEARCH, PAGE = "q", "page"
_LAST_PAGE = 10**6


@dataclass(frozen=True)
class ExampleFilter:
    """Values of facets, words to search for, and a page number."""

    values: Mapping[str, str] = field(default_factory=dict)
    search: str = ""
    page: int = 1

    def at(self, page: int) -> ExampleFilter:
        """The same filter at another page."""
        return replace(self, page=page)

    def without(self, facet: str) -> ExampleFilter:
        """The filter without one facet, at the first page."""
        return ExampleFilter({name: value for name, value in self.values.items() if name != facet}, self.search)

    def unsearched(self) -> ExampleFilter:
        """The filter without its search words, at the first page."""
        return ExampleFilter(self.values)

    def query(self, **more: str) -> str:
        """The filter as the query part of an address, with its question mark; empty for the default."""
        page = {PAGE: str(self.page)} if self.page > 1 else {}
        search = {SEARCH: self.search} if self.search else {}
        query = urlencode({**more, **self.values, **search, **page})
        return f"?{query}" if query else ""


def read_choice(given: Iterable[tuple[str, str]], facets: Collection[str]) -> ExampleFilter:
    """The filter in an address. Raises UserError if a name is unknown."""
    values: dict[str, str] = {}
    search, page = "", 1
    for name, value in given:
        if name == SEARCH:
            search = value.strip()
        elif name == PAGE:
            page = read_page(value)
        elif name in facets:
            values |= {name: value} if value else {}
        else:
            raise UserError(f"Examples of this suite cannot be filtered by {name!r}. {hint_for(name, facets)}")
    return ExampleFilter(values, search, page)


def read_page(value: str) -> int:
    """The page number in an address."""
    return read_whole(value, "Page", 1, _LAST_PAGE)


PER_PAGE = 25
MOST_OFFERED = 300
"""A facet with more values is not offered as a list; addresses can still use it."""
T = TypeVar("T")


@dataclass(frozen=True)
class SuiteIndex:
    """The examples and controls of a suite, with their facets and folded texts."""

    suite: Suite
    examples: tuple[Example, ...]
    places: Mapping[str, int]
    facets: Mapping[str, Facet]
    texts: FoldedTexts
    among: Mask
    """The examples that a search may return."""

    def get(self, id: str) -> Example:
        """The example with this id."""
        if id not in self.places:
            raise UserError(f"No example of this suite has the id {id[:200]!r}.")
        return self.examples[self.places[id]]

    def find(self, choice: ExampleFilter) -> FoundExamples:
        """The examples that a filter finds, and how many each further value would leave."""
        return choose(self.facets, self.among & find_texts(self.texts, parse_terms(choice.search)), choice.values)


@dataclass(frozen=True)
class Offer:
    """A facet with the number of examples that each of its values would leave under the other filters."""

    facet: Facet
    counts: Mapping[str, int]
    chosen: str

    @property
    def listed(self) -> dict[str, int]:
        """The values to choose from, the most common first; the chosen value is always included."""
        ranked = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        chosen = {self.chosen: 0} if self.chosen and self.chosen not in self.counts else {}
        return dict(ranked) | chosen

    @property
    def useful(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self.chosen) or 1 <= len(self.counts) <= MOST_OFFERED


@dataclass(frozen=True)
class FoundExamples:
    """The positions of the examples found, and the offered facets."""

    members: tuple[int, ...]
    offers: tuple[Offer, ...]


@dataclass(frozen=True)
class Pagination(Generic[T]):
    """One page of a longer list."""

    items: Sequence[T]
    number: int
    pages: int
    first: int
    """Number of the first item, counted from 1."""
    total: int


def paginate(items: Sequence[T], number: int, per_page: int = PER_PAGE) -> Pagination[T]:
    """One page of a list. Raises UserError if the number is past the last page."""
    pages = max(1, -(-len(items) // per_page))
    if number > pages:
        raise UserError(f"There is no page {number:,}: the last is {pages:,}.")
    start = (number - 1) * per_page
    return Pagination(items[start : start + per_page], number, pages, start + 1, len(items))


def show_found(
    index: SuiteIndex,
    found: FoundExamples,
    choice: ExampleFilter,
    at_once: Collection[str],
    more: Callable[[Example], object],
    order: Callable[[Example], float] | None = None,
) -> dict[str, object]:
    """The template values for a page of found examples. Each example comes with its marked query and `more(example)`.

    Facets named in `at_once` are shown; the others are folded.
    """
    examples = [index.examples[member] for member in found.members]
    if order is not None:
        examples.sort(key=order)
    shown = paginate(examples, choice.page)
    offers = [offer for offer in found.offers if offer.useful]
    return {
        "choice": choice,
        "pagination": shown,
        "main": sum(member < len(index.suite.examples) for member in found.members),
        "rows": [(example, cut(example.query, query_marks(example)), more(example)) for example in shown.items],
        "first_offers": [offer for offer in offers if offer.facet.name in at_once],
        "more_offers": [offer for offer in offers if offer.facet.name not in at_once],
    }


def read_index(path: Path) -> SuiteIndex:
    """Read the suite in a folder and prepare it for search."""
    suite = load_suite(path)
    examples = (*suite.examples, *suite.controls)
    places = {example.id: place for place, example in enumerate(examples)}
    return SuiteIndex(
        suite, examples, places, make_facets(suite), index_texts(examples), np.ones(len(examples), dtype=bool)
    )


def choose(facets: Mapping[str, Facet], searched: Mask, values: Mapping[str, str]) -> FoundExamples:
    """The items in `searched` with these values, and how many items each other value would leave."""
    having = {name: facets[name].having(value) for name, value in values.items()}
    offers = []
    for name, facet in facets.items():
        others = [mask for other, mask in having.items() if other != name]
        left = np.logical_and.reduce([searched, *others])
        offers.append(Offer(facet, facet.counts(left), values.get(name, "")))
    found = np.logical_and.reduce([searched, *having.values()])
    return FoundExamples(tuple(np.flatnonzero(found).tolist()), tuple(offers))
