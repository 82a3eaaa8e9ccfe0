"""The results of a memory benchmark as an outcome table: an item is a question at a budget, a system is a mode."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.outcome_table import Details, Item, StoredTable
from constraintsuite.memory.results import ItemResult

BUDGET, TAG, PHRASING = "budget", "tag", "phrasing"
SIZES = ("units", "tokens")
"""Metrics that count what was returned; all others lie between 0 and 1."""
CASE_VERDICTS = {"case_pass": "pass", "case_ranking_pass": "ranking_pass"}
"""Verdicts on cases, and the metric of their wordings that each is made from."""
STRUCTURED = (
    "case_ranking_pass",
    "evidence_recall",
    "evidence_hit",
    "path_hit",
    "hard_negatives_hit",
    "mrr",
    "probe_mrr",
    "case_pass",
)
"""`case_pass` comes last: it is undefined for more cases in modes that do not walk, so it cannot compare modes."""
_FACTS = ("all_gold@{k}", "recall@{k}", "sp_f1@2", "title_recall@2", "mrr")
PUBLIC: Mapping[str, tuple[str, ...]] = {
    "hotpotqa": (*_FACTS, "answer_f1", "joint_f1@{k}"),
    "2wiki": (*_FACTS, "answer_f1"),
    "hover": (*_FACTS, "hover_evidence@{k}", "label_accuracy", "hover_score@{k}"),
    "musique": ("recall@{k}", "recall@5", "all_gold@{k}", "support_f1@{k}", "mrr", "answer_f1"),
    "longmemeval": ("recall_all@5", "recall_any@5", "ndcg_any@5", "recall_all@{k}", "ndcg_any@{k}"),
    "locomo": ("recall@{k}", "recall_as_filed@{k}", "hit@{k}", "mrr", "answer_f1"),
}
_TAGS = "tags"  # in a result: all tags, separated by spaces


class MemoryTable(StoredTable):
    """All results of a benchmark. Budgets are never pooled, since with more units every mode finds more."""

    def __init__(self, benchmark: str, results: Sequence[ItemResult]) -> None:
        """Take results of any number of modes and budgets; the verdict on a case is a value of its first wording."""
        self.benchmark = benchmark
        self.budgets = tuple(dict.fromkeys(row.budget for row in results))
        self.questions = tuple(dict.fromkeys(row.item for row in results))
        first: dict[tuple[str, int], ItemResult] = {}
        for row in results:
            first.setdefault((row.item, row.budget), row)
        self._places = {key: place for place, key in enumerate(first)}
        self._returned = {(row.mode, self._places[row.item, row.budget]): row.returned for row in results}
        self.known: Mapping[int, tuple[str, ...]] = _known(results)
        """The metrics at each budget; a small budget has no large cut-offs."""
        names = dict.fromkeys(name for each in self.known.values() for name in each)
        super().__init__(
            items=[
                Item(f"{item}, {BUDGET} {budget}", (row.cluster,), (row.cluster,))
                for (item, budget), row in first.items()
            ],
            metrics={name: Metric(name=name, title=name, share=name not in SIZES) for name in names},
            values=self._columns(results),
            groups=_groups(list(first.values())),
            headline_metric="",
            within=BUDGET,
        )
        shown = self.headlines(min(self.budgets)) if self.budgets else []
        self.headline_metric = next(iter([*shown, *names]), "")

    @property
    def is_structured(self) -> bool:
        """Whether these are structured cases, and not a public benchmark."""
        return "evidence_hit" in self.metrics

    def at_budget(self, budget: int, **values: str) -> list[int]:
        """Return the items at a budget that are also in some groups, such as `tag="multi_hop"`."""
        chosen = (self.groups.get(grouping, {}).get(value, ()) for grouping, value in values.items())
        return sorted(set(self.groups[BUDGET].get(str(budget), ())).intersection(*chosen))

    def headlines(self, budget: int) -> list[str]:
        """Return the metrics to show first at a budget, of those that have a value."""
        wanted = STRUCTURED if self.is_structured else PUBLIC.get(self.benchmark, ("recall@{k}", "mrr"))
        names = dict.fromkeys(name.replace("{k}", str(budget)) for name in wanted)
        return [name for name in names if self.has_values(name, self.at_budget(budget))]

    def describe_outcome(self, system: str, item: int) -> Details:
        """Return the units that a mode returned, best first."""
        returned = self._returned.get((system, item))
        return {} if returned is None else {"returned": ", ".join(returned)}

    def _columns(self, results: Sequence[ItemResult]) -> dict[str, dict[str, FloatArray]]:
        columns: dict[str, dict[str, FloatArray]] = {}
        for row, values in _with_cases(results):
            own = columns.setdefault(row.mode, {})
            for name, value in values.items():
                column = own.setdefault(name, np.full(len(self._places), np.nan))
                column[self._places[row.item, row.budget]] = np.nan if value is None else value
        return columns


def _with_cases(results: Iterable[ItemResult]) -> Iterator[tuple[ItemResult, Mapping[str, float | None]]]:
    """Yield each result with its values; the first wording of a case also has the verdicts on the case."""
    cases: dict[tuple[str, int, str], list[ItemResult]] = defaultdict(list)
    for row in results:
        cases[row.mode, row.budget, row.cluster].append(row)
    for wordings in cases.values():
        yield wordings[0], {**wordings[0].values, **_case_verdicts(wordings)}
        yield from ((row, row.values) for row in wordings[1:])


def _case_verdicts(wordings: Sequence[ItemResult]) -> dict[str, float | None]:
    """Judge a case: it passes if more than half of its wordings do, and is undefined if one of them is."""
    verdicts: dict[str, float | None] = {}
    for name, metric in CASE_VERDICTS.items():
        if metric in wordings[0].values:
            marks = [wording.values[metric] for wording in wordings]
            passed = [mark for mark in marks if mark is not None]
            verdicts[name] = float(2 * sum(passed) > len(passed)) if len(passed) == len(marks) else None
    return verdicts


def _known(results: Iterable[ItemResult]) -> dict[int, tuple[str, ...]]:
    names: dict[int, dict[str, None]] = defaultdict(dict)
    for row in results:
        names[row.budget] |= dict.fromkeys(row.values)
    return {
        budget: (*each, *(name for name, metric in CASE_VERDICTS.items() if metric in each))
        for budget, each in names.items()
    }


def _groups(rows: Sequence[ItemResult]) -> dict[str, dict[str, list[int]]]:
    """Group items by budget, by each of their groupings, and by tag; an item may have several tags."""
    groups: dict[str, dict[str, list[int]]] = {BUDGET: defaultdict(list)}
    for place, row in enumerate(rows):
        groups[BUDGET][str(row.budget)].append(place)
    for name in sorted({name for row in rows for name in row.groups}):
        found: dict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            value = row.groups.get(name, "")
            for each in value.split() if name == _TAGS else [value]:
                found[each].append(place)
        groups[TAG if name == _TAGS else name] = dict(sorted(found.items()))
    return groups
