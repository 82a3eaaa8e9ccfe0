"""The figures of a run, overall and by group, each with its interval; and what the model cannot know.

A model that reads only the beginning of a text cannot know what its end says: an example whose deciding words are cut off is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.pairwise import PairResult
from constraintsuite.core.statistics.resampling import DRAWS, mean_figures
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.experiments.figures import GroupFigures, generator, group_figures, rounded, table_figures
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.experiments.pairs import HEADLINE, PairTable


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The figures of a run. Controls stand only under `by.slice` and `by.control`, never among the main examples."""

    suite: str
    system: str
    """What was measured: the name of the model, or of the people."""
    seed: int
    draws: int
    headline_metric: str
    """The metric by which systems are put in order on this suite."""
    headline: GroupFigures
    """The main examples of all slices but Omission, which stands beside them under `by.slice`."""
    overall: GroupFigures
    """All main examples, Omission included."""
    by: dict[str, dict[str, GroupFigures]]
    rule: TieRule = STRICT
    """What a tie counts in `overall` and `by`."""
    ties: Mapping[str, Mapping[str, Interval]] | None = None
    """For comparison: metric by metric, the main examples under every policy for ties, whatever the rule is."""
    truncation: TruncationAudit | None = None
    """None if the model does not say how much of a text it reads."""


def summarise(suite: str, table: PairTable, *, seed: int, draws: int = DRAWS, rule: TieRule = STRICT) -> RunSummary:
    """All figures of a run; the draws of a group depend on the seed and its examples alone."""
    (system,) = table.systems
    totals = table_figures(table, {HEADLINE: table.headline, OVERALL: table.main}, seed=seed, draws=draws)[system]
    return RunSummary(
        suite,
        system,
        seed,
        draws,
        headline_metric=table.headline_metric,
        headline=totals[HEADLINE],
        overall=totals[OVERALL],
        by={
            name: table_figures(table, groups, seed=seed, draws=draws)[system] for name, groups in table.groups.items()
        },
        rule=rule,
    )


Visible = Mapping[tuple[str, str], int]
"""How many characters of the text a model reads, by query and text."""
_SHOWN = ("accuracy", "paired_accuracy")


@dataclass(frozen=True, slots=True)
class TruncationAudit:
    """How many main examples lose what decides them, and what difference that makes."""

    examples: int
    cut: int
    """Examples in which what decides stands, in either document, past the end of what is read."""
    share: Interval
    identical: int
    """Of these, examples whose two texts are the same in all that is read: they tie whatever the model knows."""
    ids: tuple[str, ...]
    """The examples that are cut."""
    with_cut: dict[str, Interval]
    """Figures of all examples."""
    without_cut: dict[str, Interval]
    """The same figures of the examples that are whole."""
    unheard: int = 0
    """Examples whose documents stand equally far apart under both of their queries: what sets the queries apart was cut
    off, or weighs nothing. A model that reads no query has this in all of them."""


def audit_truncation(
    examples: Sequence[Example], results: Sequence[PairResult], visible: Visible, *, seed: int, draws: int = DRAWS
) -> TruncationAudit:
    """The audit of the main examples, each with its result."""
    seen = [find_truncation(example, visible) for example in examples]
    table = PairTable("", examples, (), results)
    cut = np.array([one.cut for one in seen])
    chance = generator(seed, [example.id for example in examples])
    (share,) = mean_figures([cut], table.clusters(table.main).numbers, chance, draws=draws)
    whole = [i for i, one in enumerate(seen) if not one.cut]
    return TruncationAudit(
        examples=len(examples),
        cut=int(cut.sum()),
        share=rounded(share),
        identical=sum(one.identical for one in seen),
        ids=tuple(example.id for example, one in zip(examples, seen, strict=True) if one.cut),
        with_cut=group_figures(table, "", table.main, metrics=_SHOWN, seed=seed, draws=draws).metrics,
        without_cut=group_figures(table, "", whole, metrics=_SHOWN, seed=seed, draws=draws).metrics,
        unheard=sum(is_unheard(example, result) for example, result in zip(examples, results, strict=True)),
    )


def is_unheard(example: Example, result: PairResult) -> bool:
    """Whether two different queries move the documents by exactly the same; a tie under both has reasons of its own."""
    gap = result.gaps["query"]
    return gap != 0 and result.gaps.get("opposite") == gap and example.query != example.opposite


class ExampleTruncation(NamedTuple):
    """Whether what decides an example is past the end of what is read, and whether the two texts look the same then."""

    cut: bool
    identical: bool


def find_truncation(example: Example, visible: Visible) -> ExampleTruncation:
    """Whether what decides is read under every query that states a preference, and whether the texts still differ."""
    better, worse = example.satisfying.text, example.violating.text
    needed = deciding_places(example)
    cut = identical = False
    for query in dict.fromkeys(example.queries[preference.query] for preference in example.preferences):
        read, read_worse = visible[query, better], visible[query, worse]
        cut |= read < needed.satisfying or read_worse < needed.violating
        identical |= better != worse and better[:read] == worse[:read_worse]
    return ExampleTruncation(cut or identical, identical)


class CharactersNeeded(NamedTuple):
    """How many characters of each text must be read."""

    satisfying: int
    violating: int


def deciding_places(example: Example) -> CharactersNeeded:
    """Up to the first evidence and the first edited words; without either, to the first difference."""
    places = CharactersNeeded(_last(example, example.satisfying), _last(example, example.violating))
    return places if any(places) else _first_difference(example.satisfying.text, example.violating.text)


def _last(example: Example, document: ExampleDocument) -> int:
    evidence = example.constraint.evidence if example.constraint is not None else ()
    read = sorted((one.start, one.end) for one in evidence if one.document == document.role)
    edited = sorted(span for span in document.changed if span[1] > span[0])
    return max([end for _, end in (*read[:1], *edited[:1])], default=0)


def _first_difference(one: str, other: str) -> CharactersNeeded:
    shorter = min(len(one), len(other))
    shared = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    return CharactersNeeded(min(shared + 1, len(one)), min(shared + 1, len(other)))
