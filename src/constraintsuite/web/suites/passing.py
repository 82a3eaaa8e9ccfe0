"""Why an example is in the suite: what the recipe asked of it, and what it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import ValidationError

from constraintsuite.records.examples import CONTROL_SLICES, Example
from constraintsuite.records.text import Span
from constraintsuite.reports.tables import Column, Table
from constraintsuite.suites.filters.topic import topic_share
from constraintsuite.suites.pairs.couples import length_ratio
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text.base import DocumentVerdict, Verdict
from constraintsuite.text.polarity import Judged, judge_document

_COLUMNS = (Column("filter"), Column("asks"), Column("satisfying document"), Column("violating document"))
_SAYS: Mapping[DocumentVerdict, str] = {
    "affirms": "affirms it",
    "negates": "negates it",
    "mixed": "says both",
    "uncertain": "leaves it open",
    "omits": "does not mention it",
}
_VERDICTS: Mapping[str, Verdict] = {"affirmed": "affirmed", "negated": "negated", "uncertain": "uncertain"}


def why_passed(example: Example, settings: Mapping[str, Any]) -> Table | None:
    """One row a filter; None for what no filter has seen: imported pairs, and controls, which are made of what passed."""
    if example.suite in CONTROL_SLICES:
        return None
    try:
        filters = FilterSettings.model_validate(settings["filters"])
        pairs = PairSettings.model_validate(settings["pairs"])
    except (KeyError, ValidationError):
        return None
    rows = tuple(_rows(example, filters, pairs))
    return Table("why_it_passed", "What the recipe asked, and what this example has.", _COLUMNS, rows)


def _rows(example: Example, filters: FilterSettings, pairs: PairSettings) -> Iterator[tuple[str, ...]]:
    pos, neg, topic = example.docs.pos, example.docs.neg, example.query.topic
    wanted: DocumentVerdict = "omits" if example.suite == "negation_omission" else "negates"
    asked = f"the first {_SAYS[wanted]}, the second {_SAYS['affirms']}, everywhere"
    yield "verdicts", asked, _verdict(example, "pos"), _verdict(example, "neg")
    first, second = len(pos.text.split()), len(neg.text.split())
    asked = f"the longer is at most {pairs.max_length_ratio:g} times the shorter: {length_ratio(first, second):.2f}"
    yield "length", asked, f"{first:,} words", f"{second:,} words"
    asked = f"holds at least {filters.min_topic_overlap:.0%} of the words of the topic"
    shares = [topic_share(topic, document.title, document.text) for document in (pos, neg)]
    yield "topic", asked, *("–" if share is None else f"{share:.0%}" for share in shares)
    if example.suite == "negation_minpairs":
        asked = "the two texts differ; a minimal pair may be as alike as it can be"
    else:
        asked = f"at most {filters.max_pair_similarity:.0%} of all words stand in both"
    yield "similarity", asked, f"{example.tags.jaccard:.0%} in both", f"{example.tags.jaccard:.0%} in both"
    if example.edit is not None:
        edited = {"pos": example.edit.spans_pos, "neg": example.edit.spans_neg}
        yield "wording", "the edit leaves no fault behind", *(_places(len(spans)) for spans in edited.values())


def _verdict(example: Example, side: Literal["pos", "neg"]) -> str:
    found = [one for one in example.evidence if one.document == side]
    judged = [
        Judged(Span(one.start, one.end), _VERDICTS[one.verdict], None, one.rule)
        for one in found
        if one.verdict in _VERDICTS
    ]
    count = f", {len(found)} {'mention' if len(found) == 1 else 'mentions'}" if found else ""
    return _SAYS[judge_document(judged)] + count


def _places(count: int) -> str:
    return f"{count} {'place' if count == 1 else 'places'} edited" if count else "not edited"
