"""The examples that most models get wrong, to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean

from constraintsuite.experiments.load import Run
from constraintsuite.metrics.pairwise import PairResult
from constraintsuite.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.reports.marks import Segment, cut, excerpt, marks_of, query_marks

_CHANCE = "random"


@dataclass(frozen=True)
class ReportDocument:
    """One of the two documents, cut at what decides."""

    title: str
    role: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class ReportOutcome:
    """What one model made of an example."""

    model: str
    query: str
    """Under the query."""
    opposite: str | None
    """Under the opposite, where the preference turns round."""
    gap: float
    cut: bool

    @property
    def failed(self) -> bool:
        """Wrong or a tie under either query."""
        return self.query != "right" or self.opposite not in (None, "right")


@dataclass(frozen=True)
class ShownExample:
    """One example with what each model did."""

    example: Example
    query: tuple[Segment, ...]
    documents: tuple[ReportDocument, ReportDocument]
    outcomes: tuple[ReportOutcome, ...]


def show_hardest(examples: Sequence[Example], runs: Mapping[str, Run], count: int) -> list[ShownExample]:
    """At most `count` examples, by turns from each slice, those first that most models fail, and fail by most.

    Of a couple, and of a slice's examples with the same query, one is shown. What a model of random scores fails says nothing of
    an example, so it is asked only where there is no other.
    """
    known = {label: {result.id: result for result in run.results} for label, run in runs.items()}
    judges = [label for label, run in runs.items() if run.summary.model.partition(":")[0] != _CHANCE] or list(runs)
    asked = [e for e in examples if any(e.id in results for results in known.values())]

    def hardness(example: Example) -> tuple[int, float, str]:
        found = [known[label][example.id] for label in judges if example.id in known[label]]
        failures = sum(_outcome("", result).failed for result in found)
        return -failures, fmean(map(_margin, found)) if found else 0.0, example.id

    chosen = _by_turns(_unlike(sorted(asked, key=hardness)))
    return [
        ShownExample(
            example,
            cut(example.query, query_marks(example)),
            show_documents(example),
            tuple(_outcome(label, found[example.id]) for label, found in known.items() if example.id in found),
        )
        for example in chosen[:count]
    ]


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


def show_documents(example: Example) -> tuple[ReportDocument, ReportDocument]:
    """The satisfying document and the violating one."""
    return _document(example, SATISFYING), _document(example, VIOLATING)


def _document(example: Example, role: str) -> ReportDocument:
    document = example.document(role)
    return ReportDocument(document.title, role, excerpt(cut(document.text, marks_of(example, role))))


def _outcome(label: str, result: PairResult) -> ReportOutcome:
    opposite = result.outcomes["opposite"] if result.paired is not None else None
    return ReportOutcome(label, result.outcomes["query"], opposite, result.gaps["query"], bool(result.cut))


def _margin(result: PairResult) -> float:
    """By how much the worse of the two queries is right, in standard deviations of the model's scores."""
    gaps = [result.gaps["query"]]
    if result.paired is not None:
        gaps.append(-result.gaps["opposite"])
    return min(gaps) / (result.unit or 1.0)
