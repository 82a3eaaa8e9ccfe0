"""Which of a run's many figures are shown first, and in what unit."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.memory.runs.record import MemoryRun
from constraintsuite.records.figures import ColumnKind

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
"""`case_pass` comes last: modes that do not walk are asked fewer of its cases, so that it compares none of them."""
_FACTS = ("all_gold@{k}", "recall@{k}", "sp_f1@2", "title_recall@2", "mrr")
PUBLIC: Mapping[str, tuple[str, ...]] = {
    "hotpotqa": (*_FACTS, "answer_f1", "joint_f1@{k}"),
    "2wiki": (*_FACTS, "answer_f1"),
    "hover": (*_FACTS, "hover_evidence@{k}", "label_accuracy", "hover_score@{k}"),
    "musique": ("recall@{k}", "recall@5", "all_gold@{k}", "support_f1@{k}", "mrr", "answer_f1"),
    "longmemeval": ("recall_all@5", "recall_any@5", "ndcg_any@5", "recall_all@{k}", "ndcg_any@{k}"),
    "locomo": ("recall@{k}", "recall_as_filed@{k}", "hit@{k}", "mrr", "answer_f1"),
}
SIZES = ("units", "tokens")


def headlines(run: MemoryRun, budget: int) -> list[str]:
    """The metrics to show first at a budget, of those the run has a value for."""
    there = {figure.metric for figure in run.summary.figures if figure.budget == budget and figure.figure.n}
    wanted = STRUCTURED if is_structured(run) else PUBLIC.get(run.summary.benchmark, ("recall@{k}", "mrr"))
    names = dict.fromkeys(name.replace("{k}", str(budget)) for name in wanted)
    return [name for name in names if name in there]


def is_structured(run: MemoryRun) -> bool:
    """Whether it is of cases, and not of a public benchmark."""
    return any(figure.metric == "evidence_hit" for figure in run.summary.figures)


def kind_of(run: MemoryRun, metric: str) -> ColumnKind:
    """In per cent where all values lie between 0 and 1."""
    values = [figure.figure.value for figure in run.summary.figures if figure.metric == metric]
    known = [value for value in values if value is not None]
    return "number" if metric in SIZES or any(not 0 <= value <= 1 for value in known) else "share"
