"""The figures of a run, overall and by group, under every rule for ties, and without truncated examples.

Some models read only the beginning of a text. An example whose deciding words come after that point is truncated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.pairwise import PairResult, Scores, Visible, judge_all
from constraintsuite.core.statistics.resampling import DRAWS, mean_figures
from constraintsuite.core.statistics.ties import STRICT, TIE_POLICIES, TieRule
from constraintsuite.experiments.figures import GroupFigures, generator, group_figures, rounded, table_figures
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.experiments.pairs import HEADLINE, PairTable

_TIE_METRICS = ("accuracy", "opposite_accuracy", "paired_accuracy")
_TRUNCATION_METRICS = ("accuracy", "paired_accuracy")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The figures of a run. Controls count only in groups under `by.slice` and `by.control`."""

    suite: str
    system: str
    """The name of the model, or of the people."""
    seed: int
    draws: int
    headline_metric: str
    """The metric that ranks systems on this suite."""
    headline: GroupFigures
    """Main examples of all slices except Omission."""
    overall: GroupFigures
    """All main examples, including Omission."""
    by: dict[str, dict[str, GroupFigures]]
    rule: TieRule = STRICT
    """The rule for ties in `headline`, `overall` and `by`."""
    ties: Mapping[str, Mapping[str, Interval]] | None = None
    """By metric and policy: the figures of all main examples under every policy for ties."""
    truncation: TruncationAudit | None = None
    """None if the model does not say how much of a text it reads."""


def summarise(suite: str, table: PairTable, *, seed: int, draws: int = DRAWS, rule: TieRule = STRICT) -> RunSummary:
    """All figures of a run; the draws for a group depend only on the seed and its examples."""
    (system,) = table.systems
    groupings = {"": {HEADLINE: table.headline, OVERALL: table.main}, **table.groups}
    by = {name: table_figures(table, groups, seed=seed, draws=draws)[system] for name, groups in groupings.items()}
    totals = by.pop("")
    return RunSummary(
        suite,
        system,
        seed,
        draws,
        headline_metric=table.headline_metric,
        headline=totals[HEADLINE],
        overall=totals[OVERALL],
        by=by,
        rule=rule,
    )


def tie_figures(examples: Sequence[Example], scores: Scores, *, seed: int) -> Mapping[str, Mapping[str, Interval]]:
    """The accuracies of the main examples under every policy for ties, by metric and policy."""
    found = {}
    for policy in TIE_POLICIES:
        table = PairTable(policy, examples, (), judge_all(examples, (), scores, TieRule(policy)))
        found[policy] = group_figures(table, policy, table.main, metrics=_TIE_METRICS, seed=seed).metrics
    return {name: {policy: found[policy][name] for policy in TIE_POLICIES} for name in _TIE_METRICS}


@dataclass(frozen=True, slots=True)
class TruncationAudit:
    """How many main examples are truncated, and how that changes the figures."""

    examples: int
    cut: int
    """Examples with deciding words, in either document, that the model does not read."""
    share: Interval
    identical: int
    """Of these, examples whose two texts are equal in what the model reads: they always tie."""
    ids: tuple[str, ...]
    """The truncated examples."""
    with_cut: dict[str, Interval]
    """Figures of all examples."""
    without_cut: dict[str, Interval]
    """Figures of the examples that are not truncated."""
    unheard: int = 0
    """Examples with the same score gap under both queries: what distinguishes the queries was not read, or has no weight.
    With a model that reads no query, this is true of all examples."""


def audit_truncation(
    examples: Sequence[Example], results: Sequence[PairResult], visible: Visible, *, seed: int
) -> TruncationAudit:
    """Audit the main examples, given the result of each."""
    found = [find_truncation(example, visible) for example in examples]
    table = PairTable("", examples, (), results)
    cut = np.array([one.cut for one in found])
    rng = generator(seed, [example.id for example in examples])
    (share,) = mean_figures([cut], table.clusters(table.main).numbers, rng)
    whole = [i for i, one in enumerate(found) if not one.cut]
    with_cut, without_cut = (
        group_figures(table, "", members, metrics=_TRUNCATION_METRICS, seed=seed).metrics
        for members in (table.main, whole)
    )
    return TruncationAudit(
        examples=len(examples),
        cut=int(cut.sum()),
        share=rounded(share),
        identical=sum(one.identical for one in found),
        ids=tuple(example.id for example, one in zip(examples, found, strict=True) if one.cut),
        with_cut=with_cut,
        without_cut=without_cut,
        unheard=sum(_ignores_query(example, result) for example, result in zip(examples, results, strict=True)),
    )


def _ignores_query(example: Example, result: PairResult) -> bool:
    """Whether two different queries give exactly the same gap; gaps of zero are ties, which have other causes."""
    gap = result.gaps["query"]
    return gap != 0 and result.gaps.get("opposite") == gap and example.query != example.opposite


class ExampleTruncation(NamedTuple):
    """Whether deciding words of an example are not read, and whether the texts then look the same."""

    cut: bool
    identical: bool


def find_truncation(example: Example, visible: Visible) -> ExampleTruncation:
    """Check every query of an example that states a preference."""
    better, worse = example.satisfying.text, example.violating.text
    needed = deciding_places(example)
    cut = identical = False
    for query in dict.fromkeys(example.queries[preference.query] for preference in example.preferences):
        read, read_worse = visible[query, better], visible[query, worse]
        cut |= read < needed.satisfying or read_worse < needed.violating
        identical |= better != worse and better[:read] == worse[:read_worse]
    return ExampleTruncation(cut or identical, identical)


class CharactersNeeded(NamedTuple):
    """How many characters of each text a model must read."""

    satisfying: int
    violating: int


def deciding_places(example: Example) -> CharactersNeeded:
    """The ends of the first evidence and the first edited words; without either, the first difference."""
    better, worse = example.satisfying, example.violating
    places = CharactersNeeded(_end_of_evidence(example, better), _end_of_evidence(example, worse))
    if any(places):
        return places
    characters = zip(better.text, worse.text, strict=False)
    shorter = min(len(better.text), len(worse.text))
    shared = next((i for i, (one, other) in enumerate(characters) if one != other), shorter)
    return CharactersNeeded(min(shared + 1, len(better.text)), min(shared + 1, len(worse.text)))


def _end_of_evidence(example: Example, document: ExampleDocument) -> int:
    evidence = example.constraint.evidence if example.constraint is not None else ()
    read = sorted((one.start, one.end) for one in evidence if one.document == document.role)
    edited = sorted(span for span in document.changed if span[1] > span[0])
    return max([end for _, end in (*read[:1], *edited[:1])], default=0)
