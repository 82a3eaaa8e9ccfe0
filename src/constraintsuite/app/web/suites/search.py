"""A suite in memory, made to be searched: what a filter finds, page by page, and how many each other filter would."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar
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
    """A value for some facets, words to look for, and a page of what was found."""

    values: Mapping[str, str] = field(default_factory=dict)
    search: str = ""
    page: int = 1

    def at(self, page: int) -> ExampleFilter:
        """Another page of the same."""
        return replace(self, page=page)

    def without(self, facet: str) -> ExampleFilter:
        """The same with one filter less, from the first page."""
        return ExampleFilter({name: value for name, value in self.values.items() if name != facet}, self.search)

    def unsearched(self) -> ExampleFilter:
        """The same without words to look for."""
        return ExampleFilter(self.values)

    def query(self, **more: str) -> str:
        """How it is written in an address, with its question mark; empty where there is nothing to say."""
        page = {PAGE: str(self.page)} if self.page > 1 else {}
        search = {SEARCH: self.search} if self.search else {}
        said = urlencode({**more, **self.values, **search, **page})
        return f"?{said}" if said else ""


def read_choice(given: Iterable[tuple[str, str]], facets: Collection[str]) -> ExampleFilter:
    """What an address says; a name that no facet has is a UserError, since it would silently choose nothing."""
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
            raise UserError(f"Examples of this suite cannot be chosen by {name!r}. {hint_for(name, facets)}")
    return ExampleFilter(values, search, page)


def read_page(value: str) -> int:
    """The number of a page."""
    return read_whole(value, "Page", 1, _LAST_PAGE)


PER_PAGE = 25
MOST_OFFERED = 300
"""Values of a facet; one with more is not offered as a list, but can be asked for."""
T = TypeVar("T")


@dataclass(frozen=True)
class SuiteIndex:
    """All examples, controls after the rest, and what they are found by."""

    suite: Suite
    examples: tuple[Example, ...]
    places: Mapping[str, int]
    facets: Mapping[str, Facet]
    texts: FoldedTexts
    among: Mask
    """Examples that can be found at all."""

    def get(self, id: str) -> Example:
        """The example of that id."""
        if id not in self.places:
            raise UserError(f"No example of this suite has the id {id[:200]!r}.")
        return self.examples[self.places[id]]

    def find(self, choice: ExampleFilter) -> FoundExamples:
        """All that fits a choice, and what each facet would leave of it."""
        return choose(self.facets, self.among & find_texts(self.texts, parse_terms(choice.search)), choice.values)

    def parts(self, found: FoundExamples) -> Parts:
        """What was found, counted as the suite's own manifest counts."""
        main = sum(place < len(self.suite.examples) for place in found.members)
        return Parts(main, len(found.members) - main)


@dataclass(frozen=True)
class Offer:
    """A facet with how many examples each of its values would leave, beside what else is chosen."""

    facet: Facet
    counts: Mapping[str, int]
    chosen: str

    @property
    def listed(self) -> dict[str, int]:
        """The values to choose from: the most common first, and what is chosen even where it leaves nothing."""
        ranked = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        chosen = {self.chosen: 0} if self.chosen and self.chosen not in self.counts else {}
        return dict(ranked) | chosen

    @property
    def useful(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self.chosen) or 1 <= len(self.counts) <= MOST_OFFERED


class Parts(NamedTuple):
    """How many of some examples are main examples, and how many controls."""

    main: int
    controls: int


@dataclass(frozen=True)
class FoundExamples:
    """Places of examples in their order, and what could be chosen next."""

    members: tuple[int, ...]
    offers: tuple[Offer, ...]


@dataclass(frozen=True)
class Pagination(Generic[T]):
    """One page of many things."""

    things: Sequence[T]
    number: int
    pages: int
    first: int
    """Number of the first thing, counted from 1."""
    total: int


def paginate(things: Sequence[T], number: int, per_page: int = PER_PAGE) -> Pagination[T]:
    """A page; one past the last is a UserError."""
    pages = max(1, -(-len(things) // per_page))
    if number > pages:
        raise UserError(f"There is no page {number:,}: the last is {pages:,}.")
    start = (number - 1) * per_page
    return Pagination(things[start : start + per_page], number, pages, start + 1, len(things))


def show_found(
    index: SuiteIndex,
    found: FoundExamples,
    choice: ExampleFilter,
    at_once: Collection[str],
    more: Callable[[Example], object],
    order: Callable[[Example], float] | None = None,
) -> dict[str, object]:
    """What a page says of the examples of a filter: some of them, each with its marked query and `more`, and what else
    could be chosen; filters of which `at_once` has the name are not folded."""
    examples = [index.examples[member] for member in found.members]
    if order is not None:
        examples.sort(key=order)
    shown = paginate(examples, choice.page)
    offers = [offer for offer in found.offers if offer.useful]
    return {
        "choice": choice,
        "pagination": shown,
        "parts": index.parts(found),
        "rows": [(example, cut(example.query, query_marks(example)), more(example)) for example in shown.things],
        "first_offers": [offer for offer in offers if offer.facet.name in at_once],
        "more_offers": [offer for offer in offers if offer.facet.name not in at_once],
    }


def read_index(path: Path) -> SuiteIndex:
    """The suite in a folder, ready to be searched."""
    suite = load_suite(path)
    examples = (*suite.examples, *suite.controls)
    places = {example.id: place for place, example in enumerate(examples)}
    return SuiteIndex(
        suite, examples, places, make_facets(suite), index_texts(examples), np.ones(len(examples), dtype=bool)
    )


def choose(facets: Mapping[str, Facet], searched: Mask, values: Mapping[str, str]) -> FoundExamples:
    """What has a value of some facets, among what was `searched`, and how many there would be under each other value."""
    having = {name: facets[name].having(value) for name, value in values.items()}
    offers = []
    for name, facet in facets.items():
        others = [mask for other, mask in having.items() if other != name]
        offers.append(Offer(facet, facet.counts(_all(searched, others)), values.get(name, "")))
    return FoundExamples(tuple(np.flatnonzero(_all(searched, having.values())).tolist()), tuple(offers))


def _all(searched: Mask, having: Iterable[Mask]) -> Mask:
    found = searched
    for mask in having:
        found = found & mask
    return found
