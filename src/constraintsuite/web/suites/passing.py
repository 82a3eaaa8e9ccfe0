"""Why an example is in the suite: what the recipe asked of it, and what it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from constraintsuite.records.constraints import Constraint
from constraintsuite.records.examples import MINPAIRS, OMISSION, Example, ExampleDocument
from constraintsuite.records.figures import percent
from constraintsuite.records.tables import Column, Table
from constraintsuite.suites.filters import topic_share
from constraintsuite.suites.pairs.couples import length_ratio
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import words

_COLUMNS = (Column("filter"), Column("asks"), Column("satisfying document"), Column("violating document"))


def why_passed(example: Example, settings: Mapping[str, Any]) -> Table | None:
    """One row a filter; None for what no filter has seen: imported pairs, and controls, which are made of what passed."""
    if example.control is not None:
        return None
    try:
        filters = FilterSettings.model_validate(settings["filters"])
        pairs = PairSettings.model_validate(settings["pairs"])
    except (KeyError, ValidationError):
        return None
    rows = tuple(_rows(example, filters, pairs))
    return Table("why_it_passed", "What the recipe asked, and what this example has.", _COLUMNS, rows)


def _rows(example: Example, filters: FilterSettings, pairs: PairSettings) -> Iterator[tuple[str, ...]]:
    documents = (example.satisfying, example.violating)
    if example.slice == OMISSION:
        asked = "the satisfying document has no evidence, and none in the violating one meets the constraint"
    else:
        asked = "all evidence in the satisfying document meets the constraint, and none in the violating one"
    if example.constraint is not None:
        yield "verdicts", asked, *(_evidence(example.constraint, document.role) for document in documents)
    first, second = (len(document.text.split()) for document in documents)
    asked = f"the longer is at most {pairs.max_length_ratio:g} times the shorter: {length_ratio(first, second):.2f}"
    yield "length", asked, f"{first:,} words", f"{second:,} words"
    asked = f"holds at least {percent(filters.min_topic_overlap)} of the words of the topic"
    shares = [topic_share(example.topic or "", document.title, document.text) for document in documents]
    yield "topic", asked, *("–" if share is None else percent(share) for share in shares)
    if example.slice == MINPAIRS:
        asked = "the two texts differ; a minimal pair may be as alike as it can be"
    else:
        asked = f"at most {percent(filters.max_pair_similarity)} of all words stand in both"
    alike = jaccard(*(set(words(document.text)) for document in documents))
    yield "similarity", asked, f"{percent(alike)} in both", f"{percent(alike)} in both"
    if example.is_edited:
        yield "wording", "the edit leaves no fault behind", *map(_edited, documents)


def _evidence(constraint: Constraint, role: str) -> str:
    """What was read in a document, and in how many places."""
    found = [one.value for one in constraint.evidence if one.document == role]
    return f"{' and '.join(dict.fromkeys(found))}, {_places(len(found))}" if found else "no evidence"


def _edited(document: ExampleDocument) -> str:
    where = f"differs in {_places(len(document.changed))}" if document.changed else "differs nowhere"
    return f"edited, {where}" if document.edit else f"not edited, {where}"


def _places(count: int) -> str:
    return f"{count} {'place' if count == 1 else 'places'}"
