"""Ablations, claims and rewordings as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraintsuite.memory.runs.ablations import Ablation, ablate, families
from constraintsuite.memory.runs.hypotheses import Claim, judge_claims
from constraintsuite.memory.runs.record import MemoryRun
from constraintsuite.memory.runs.robustness import TOLERATED, rewordings_of
from constraintsuite.reports.figures import Value
from constraintsuite.reports.tables import Column, Table


def ablations_of(run: MemoryRun) -> list[Ablation]:
    """The families that the run has the modes for."""
    found = [ablate(run.outcomes, family) for family in families(encoder="encoder" in run.inputs)]
    return [each for each in found if each.findings]


def ablation_tables(run: MemoryRun) -> Iterator[Table]:
    """What parts of a memory are worth."""
    found = ablations_of(run)
    if found:
        yield ablation_table(found)


def ablation_table(found: Sequence[Ablation]) -> Table:
    """One row an effect: overall and by fixture."""
    rows = tuple(
        (
            each.name,
            f"{finding.pair.whole} less {finding.pair.reduced}",
            finding.budget,
            effect.group,
            each.metric,
            effect.contrast.difference,
            effect.contrast.holm,
            effect.direction,
        )
        for each in found
        for finding in each.findings
        for effect in (finding.overall, *finding.fixtures)
    )
    columns = (
        Column("taken away"),
        Column("modes"),
        Column("budget", "count"),
        Column("cases"),
        Column("metric"),
        Column("difference", "points"),
        Column("Holm", "p"),
        Column("direction"),
    )
    verdicts = " ".join(each.sentence for each in found)
    return Table("ablations", f"With the part less without it, paired, 95 % intervals. {verdicts}", columns, rows)


def claim_tables(run: MemoryRun) -> Iterator[Table]:
    """The hypotheses at each budget."""
    for budget in run.summary.budgets:
        yield claim_table(judge_claims(run.outcomes, budget, timing=run.timing), budget)


def claim_table(claims: Sequence[Claim], budget: int) -> Table:
    """One row a piece of evidence, or a claim without any."""
    columns = (
        Column("claim"),
        Column("verdict"),
        Column("evidence"),
        Column("figure", "number"),
        Column("Holm", "p"),
        Column("by itself"),
    )
    rows: list[tuple[Value, ...]] = []
    for claim in claims:
        name = f"{claim.name}: {claim.claim}"
        rows += [(name, claim.judgement, each.what, each.figure, each.p, each.judgement) for each in claim.evidence]
        if not claim.evidence:
            rows.append((name, claim.judgement, claim.sentence, None, None, ""))
    verdicts = "; ".join(f"{claim.name} {claim.judgement}" for claim in claims)
    return Table(f"claims_at_{budget}", f"At a budget of {budget}: {verdicts}.", columns, tuple(rows))


def rewording_table(run: MemoryRun) -> Iterator[Table]:
    """What another wording of the same question costs."""
    columns = (
        Column("mode"),
        Column("budget", "count"),
        Column("as it stands, %", "share"),
        Column("paraphrased less that", "points"),
        Column(f"loss above {TOLERATED:.0%} ruled out"),
    )
    for metric in ("pass", "ranking_pass"):
        found = rewordings_of(run.outcomes, metric)
        if found:
            rows = tuple((f.mode, f.budget, f.original, f.difference, "yes" if f.passed else "no") for f in found)
            caption = f"{metric} of paraphrases less that of the question as it stands, by case where it is defined."
            yield Table(f"rewordings_{metric}", caption, columns, rows)
