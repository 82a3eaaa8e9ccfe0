"""What a reader asked for, as it stands in the address: a filter can be kept, sent and come back to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from constraintsuite.errors import UserError, hint_for

SEARCH, PAGE = "q", "page"
_LAST, _DIGITS = 10**6, 7


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
    if not (value.isascii() and value.isdecimal() and len(value) <= _DIGITS and 1 <= int(value) <= _LAST):
        raise UserError(f"{value[:40]!r} is not the number of a page.")
    return int(value)
