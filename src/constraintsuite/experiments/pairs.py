"""The results of a suite of pairs as an outcome table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.pairwise import METRICS, PairResult
from constraintsuite.experiments.groupings import split_up
from constraintsuite.experiments.headline import headline_members, headline_metric
from constraintsuite.experiments.outcome_table import Details, Item, ItemGroups, OutcomeTable
from constraintsuite.suites.audit.groups import narrow_links, wide_links

_AROUND = 60  # characters on each side of the words that decide


class PairTable(OutcomeTable):
    """The results of one system on examples and controls, in that order."""

    metrics = METRICS

    def __init__(
        self, system: str, examples: Sequence[Example], controls: Sequence[Example], results: Sequence[PairResult]
    ) -> None:
        self.systems = (system,) if results else ()
        self.examples = (*examples, *controls)
        self.results = results
        self.items = tuple(Item(one.id, wide_links(one), narrow_links(one)) for one in self.examples)
        self.main = range(len(examples))
        self.headline = headline_members(examples)
        paired = any(results[place].paired is not None for place in self.headline) if results else True
        self.headline_metric = headline_metric(examples).name if paired else "accuracy"

    @cached_property
    def groups(self) -> ItemGroups:
        """Positions by grouping and group; controls stand only under `slice` and `control`."""
        main = len(self.main)
        return split_up(self.examples[:main], self.examples[main:])

    def column(self, system: str, metric: str, members: Sequence[int]) -> FloatArray:
        """What some examples count; couples and the like are formed among them alone."""
        return METRICS[metric].column([self.results[i] for i in members])

    def texts(self, item: int) -> Details:
        """Its slice, its queries, its documents, and the words of each document that decide."""
        example = self.examples[item]
        said: dict[str, str | float] = {"slice": example.slice}
        said |= {str(role): query for role, query in example.queries.items()}
        said |= {document.role: document.text for document in example.documents}
        for evidence in example.constraint.evidence if example.constraint else ():
            text = example.document(evidence.document).text
            said.setdefault(f"{evidence.document} says", _excerpt(text, evidence.start, evidence.end))
        return said

    def seen(self, system: str, item: int) -> Details:
        """What came of each query, and the score gap between the two documents."""
        result = self.results[item]
        said: dict[str, str | float] = {role: outcome for role, outcome in result.outcomes.items()}
        return said | {f"gap under {role}": gap for role, gap in result.gaps.items()}

    def gaps(self, system: str, item: int) -> Mapping[str, float]:
        """The gaps in standard deviations of the system's own scores, for each query that states a preference."""
        result = self.results[item]
        return {role: result.gaps[role] / (result.unit or 1.0) for role in result.outcomes}


def _excerpt(text: str, start: int, end: int) -> str:
    """The words around a place in a text."""
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    return f"{'… ' if first else ''}{text[first:last].strip()}{' …' if last < len(text) else ''}"


def pair_table(
    system: str, examples: Sequence[Example], controls: Sequence[Example], results: Sequence[PairResult]
) -> PairTable:
    """The table of those examples that have a result, whatever the order of the results."""
    known = {result.id: result for result in results}
    main, rest = ([example for example in part if example.id in known] for part in (examples, controls))
    return PairTable(system, main, rest, [known[example.id] for example in (*main, *rest)])
