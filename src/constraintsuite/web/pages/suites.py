"""Suites: their examples by filter and full text, one example in full, the suite as a whole, and what was rejected."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.errors import UserError
from constraintsuite.reports.marks import cut, query_marks
from constraintsuite.web.artifact_index import Shelved, WebShelf
from constraintsuite.web.pages import Page
from constraintsuite.web.rendering import render
from constraintsuite.web.runs.outcomes import outcomes_in
from constraintsuite.web.suites.about import MOST, has_pairs, read_about, read_collection, read_rejects, show_reject
from constraintsuite.web.suites.details import LONGEST, describe_example, raw_json
from constraintsuite.web.suites.facets import parse_terms, snippet
from constraintsuite.web.suites.search import PAGE, PER_PAGE, SuiteIndex, leaf, read_choice, read_index, read_page

KIND = "suite"
_SHOWN_AT_ONCE = ("slice", "split", "domain", "relation", "cue", "pattern", "control")
"""Filters that stand beside the search; the others are folded."""
_OfSuite = Callable[[Request, WebShelf, Shelved], Response]


def show_suite(request: Request, shelf: WebShelf) -> Response:
    """A suite's examples; of one without pairs, what is known of it."""
    one = shelf.get(request.path_params["place"], KIND)
    return _examples(request, shelf, one) if has_pairs(one) else _about(request, shelf, one)


def _examples(request: Request, shelf: WebShelf, one: Shelved) -> Response:
    index = shelf.load(one, read_index)
    given = request.query_params.multi_items()
    choice = read_choice(given, index.facets)
    if any(not value for _, value in given):  # a form sends empty fields too; the address that stays has none
        return RedirectResponse(_address(one) + choice.query(), 303)
    found = index.find(choice)
    shown, terms = leaf(found.members, choice.page), parse_terms(choice.search)
    examples = [index.examples[place] for place in shown.things]
    rows = [(example, cut(example.query, query_marks(example)), snippet(example, terms)) for example in examples]
    offers = [offer for offer in found.offers if offer.useful]
    return _render(
        request,
        one,
        "suite.html.jinja",
        choice=choice,
        leaf=shown,
        parts=index.parts(found),
        rows=rows,
        first_offers=[offer for offer in offers if offer.facet.name in _SHOWN_AT_ONCE],
        more_offers=[offer for offer in offers if offer.facet.name not in _SHOWN_AT_ONCE],
    )


def _example(request: Request, shelf: WebShelf, one: Shelved) -> Response:
    index = shelf.load(one, read_index)
    given = [(name, value) for name, value in request.query_params.multi_items() if name != "id" and value]
    choice = read_choice(given, index.facets).at(1)
    example = index.get(_id(request))
    around = index.find(choice).members
    place = index.places[example.id]
    at = around.index(place) if place in around else None
    beside = {
        "before": index.examples[around[at - 1]] if at else None,
        "after": index.examples[around[at + 1]] if at is not None and at + 1 < len(around) else None,
    }
    return _render(
        request,
        one,
        "suite_example.html.jinja",
        choice=choice.at(1 if at is None else at // PER_PAGE + 1),
        shown=describe_example(index, example),
        at=at,
        total=len(around),
        longest=LONGEST,
        runs=outcomes_in(shelf, one, example.id),
        **beside,
    )


def _raw(request: Request, shelf: WebShelf, one: Shelved) -> Response:
    index: SuiteIndex = shelf.load(one, read_index)
    return Response(raw_json(index.get(_id(request))), media_type="application/json")


def _about(request: Request, shelf: WebShelf, one: Shelved) -> Response:
    sections = shelf.load(one, read_about if has_pairs(one) else read_collection)
    rejects = shelf.load(one, read_rejects)
    return _render(request, one, "suite_about.html.jinja", sections=sections, rejects=rejects)


def _rejects(request: Request, shelf: WebShelf, one: Shelved) -> Response:
    rejects = shelf.load(one, read_rejects)
    reason = request.query_params.get("reason", "")
    if reason not in rejects.counts:
        raise UserError(f"Nothing was rejected for the reason {reason[:200]!r}.")
    shown = leaf(rejects.drafts.get(reason, ()), read_page(request.query_params.get(PAGE, "1")))
    return _render(
        request,
        one,
        "suite_rejects.html.jinja",
        reason=reason,
        count=rejects.counts[reason],
        most=MOST,
        leaf=shown,
        rows=[show_reject(rejects, draft) for draft in shown.things],
    )


def _render(request: Request, one: Shelved, template: str, **values: object) -> Response:
    shared = {"one": one, "address": _address(one), "pairs": has_pairs(one)}
    return render(request, template, status=200, title=one.label, **shared, **values)


def _address(one: Shelved) -> str:
    return f"/{KIND}/{quote(one.place)}"


def _id(request: Request) -> str:
    return request.query_params.get("id", "")


def _under(verb: str, view: _OfSuite) -> Page:
    """A page below a suite's own."""

    def show(request: Request, shelf: WebShelf) -> Response:
        return view(request, shelf, shelf.get(request.path_params["place"], KIND))

    return Page(f"/{KIND}/{{place:path}}/{verb}", show)


PAGES = (
    _under("example", _example),
    _under("example.json", _raw),
    _under("about", _about),
    _under("rejects", _rejects),
    Page(f"/{KIND}/{{place:path}}", show_suite),
)
