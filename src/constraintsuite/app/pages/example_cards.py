"""The examples that most systems get wrong, to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean
from typing import ClassVar

from constraintsuite.app.pages.marks import LONG, NEAR, MarkedDocument, Segment, cut, excerpt, marks_of, query_marks
from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.pairwise import PairResult, pair_class
from constraintsuite.experiments.load import Run

_CARD, _NEAR_ON_CARD = 320, 100  # characters of a text on a card, and on either side of its marks
_PREFERRED = {
    "sticks_to_violating": "preferred the text that violates the query, and the same text when asked for the opposite",
    "sticks_to_satisfying": "preferred the text that satisfies the query, but also when asked for the opposite",
    "reversed": "preferred the wrong text both times: for the query, and when asked for the opposite",
    "paired_tie": "gave both texts the same score, for the query or when asked for the opposite",
}


@dataclass(frozen=True)
class ShownExample:
    """One example with its marks, and what systems did with it."""

    example: Example
    documents: tuple[MarkedDocument, ...]
    outcomes: tuple[tuple[str, PairResult], ...] = ()
    """The result of each system, by its label."""
    preferred: str = ""
    """Which text a system that fails the example preferred, in words."""

    @property
    def query(self) -> tuple[Segment, ...]:
        """The query with the words of its constraint."""
        return cut(self.example.query, query_marks(self.example))


@dataclass(frozen=True)
class ExampleCards:
    """A block of a section that shows examples to be read."""

    kind: ClassVar[str] = "reading"
    examples: tuple[ShownExample, ...]


def show_failures(examples: Sequence[Example], runs: Mapping[str, Run], count: int) -> list[ShownExample]:
    """At most `count` failures of the first run, as unlike as can be: by slice, then by class of error; the hardest first."""
    label, run = next(iter(runs.items()))
    results = {result.id: result for result in run.results}
    failed = [e for e in examples if e.id in results and _fails(results[e.id])]
    waiting = _unlike(_by_hardness(failed, runs))
    chosen: list[Example] = []
    while waiting and len(chosen) < count:
        slices = {example.slice for example in chosen}
        classes = {pair_class(results[example.id]) for example in chosen}
        best = min(waiting, key=lambda e: (e.slice in slices, pair_class(results[e.id]) in classes))
        chosen.append(best)
        waiting.remove(best)
    return [
        ShownExample(e, show_documents(e, _CARD, _NEAR_ON_CARD), preferred=f"{label} {_preferred(e, results[e.id])}.")
        for e in chosen
    ]


def _preferred(example: Example, result: PairResult) -> str:
    found = pair_class(result)
    if found is not None:
        return f"{_PREFERRED[found]}, “{example.opposite}”"
    tied = result.outcomes["query"] == "tie"
    return "gave both texts the same score" if tied else "preferred the text that violates the query"


def show_hardest(examples: Sequence[Example], runs: Mapping[str, Run], count: int) -> list[ShownExample]:
    """At most `count` examples, by turns from each slice, those first that most systems fail, and fail by most.

    Of a couple, and of a slice's examples with the same query, one is shown.
    """
    known = {label: {result.id: result for result in run.results} for label, run in runs.items()}
    chosen = _by_turns(_unlike(_by_hardness(examples, runs)))
    return [
        ShownExample(
            example,
            show_documents(example),
            tuple((label, found[example.id]) for label, found in known.items() if example.id in found),
        )
        for example in chosen[:count]
    ]


def _by_hardness(examples: Sequence[Example], runs: Mapping[str, Run]) -> list[Example]:
    """The examples that any run has a result for: those first that most runs fail, and fail by most."""
    known = [{result.id: result for result in run.results} for run in runs.values()]

    def hardness(example: Example) -> tuple[int, float, str]:
        found = [results[example.id] for results in known if example.id in results]
        failures = sum(map(_fails, found))
        return -failures, fmean(map(_margin, found)), example.id

    return sorted((e for e in examples if any(e.id in results for results in known)), key=hardness)


def _unlike(examples: Sequence[Example]) -> list[Example]:
    seen: set[str] = set()
    kept = []
    for example in examples:
        marks = {f"{example.slice} {example.query}", f"couple {example.couple or example.id}"}
        if not marks & seen:
            kept.append(example)
        seen |= marks
    return kept


def _by_turns(examples: Sequence[Example]) -> list[Example]:
    slices: dict[str, list[Example]] = {}
    for example in examples:
        slices.setdefault(example.slice, []).append(example)
    return [example for turn in zip_longest(*slices.values()) for example in turn if example is not None]


def show_documents(example: Example, most: int = LONG, near: int = NEAR) -> tuple[MarkedDocument, ...]:
    """The satisfying document and the violating one; of more than `most` characters only what is near a mark."""
    return tuple(
        MarkedDocument(document, excerpt(cut(document.text, marks_of(example, document.role)), most, near))
        for document in (example.satisfying, example.violating)
    )


def _fails(result: PairResult) -> bool:
    """Wrong or a tie under either query."""
    turned = result.outcomes["opposite"] if result.paired is not None else "right"
    return result.outcomes["query"] != "right" or turned != "right"


def _margin(result: PairResult) -> float:
    """By how much the worse of the two queries is right, in standard deviations of the system's scores."""
    gaps = [result.gaps["query"]]
    if result.paired is not None:
        gaps.append(-result.gaps["opposite"])
    return min(gaps) / (result.unit or 1.0)
