"""Controls of the constraint type `time`: the year of a query and the dates of texts in other words, and years of something else."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from constraintsuite.core.records.examples import VIOLATING, Example
from constraintsuite.core.records.text import Span
from constraintsuite.suites.constraints.time import BUILDER, Time
from constraintsuite.suites.controls.own import OwnControls, read_words, restate, rewriters
from constraintsuite.suites.controls.rewrites import RewrittenExample, SpanRewrite, apply_changes, rewrite_documents
from constraintsuite.suites.queries.records import Wording

_FIRST_FOUNDED = 1700
_FIRST_LIVING, _LAST_GROWN = 1935, 2005


def fill_year(example: Example) -> dict[str, str]:
    """The slots of the year that a query names."""
    constraint = example.constraint
    assert isinstance(constraint, Time)
    year = int(constraint.limit)
    slots = {"n": constraint.value, "last": f"{year - 1}", "next": f"{year + 1}"}
    return slots | (
        {"decade": f"{year}s", "decade_before": f"{year - 10}s"} if year % 10 == 0 and year % 100 != 10 else {}
    )


def fill_other_year(example: Example) -> dict[str, str]:
    """The year of the violating text, which the control lets date something else."""
    constraint = example.constraint
    assert isinstance(constraint, Time)
    found = [one.value for one in constraint.evidence if one.document == VIOLATING]
    if not found or not found[0].isdigit() or int(found[0]) < _FIRST_FOUNDED:
        return {}
    slots = {"other": found[0]}
    lived = _FIRST_LIVING <= int(found[0]) <= _LAST_GROWN
    if lived:
        slots["lived"] = found[0]
    if constraint.position == "above":
        slots["past"] = found[0]
    elif lived:
        slots["over"] = found[0]
    return slots


def _wordings(example: Example) -> tuple[Wording, ...]:
    return BUILDER.wordings_of(example.constraint, example.topic or "")


def rewrite_dates(example: Example, rng: random.Random) -> RewrittenExample | None:
    """Days of both texts in the other order: "12 March 1954" and "March 12, 1954"."""
    return rewrite_documents(
        example, "stated_dates: days in the other order", lambda text: apply_changes(text, find_days(text))
    )


_MONTH = "(January|February|March|April|May|June|July|August|September|October|November|December)"
_DAY_FIRST = re.compile(rf"(?<![\w–—/.-])(\d{{1,2}}) {_MONTH} (\d{{4}})\b")
_MONTH_FIRST = re.compile(rf"(?<![\w–—/.-]){_MONTH} (\d{{1,2}}), (\d{{4}})\b")
_PART_OF_A_LIST = re.compile(rf"(?:\b\d{{1,2}}|{_MONTH})\s*(?:,|and|or|to|&|[–—-])\s*$")


def find_days(text: str) -> Iterator[SpanRewrite]:
    """Every full date of a text in the other order, unless it shares its month or year with another day."""
    for found in _DAY_FIRST.finditer(text):
        if not _PART_OF_A_LIST.search(text[: found.start()]):
            yield SpanRewrite(Span(*found.span()), f"{found[2]} {found[1]}, {found[3]}")
    for found in _MONTH_FIRST.finditer(text):
        if not _PART_OF_A_LIST.search(text[: found.start()]):
            yield SpanRewrite(Span(*found.span()), f"{found[2]} {found[1]} {found[3]}")


_WORDS = read_words("time_controls.yaml")
CONTROLS = OwnControls(
    rewriters={**rewriters(_WORDS, fill_year), "restated": restate(_wordings), "stated_dates": rewrite_dates},
    distraction="other_year",
    distractions=_WORDS.distractions,
    distract=fill_other_year,
)
