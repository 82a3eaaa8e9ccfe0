"""Ablations, claims and rewordings as tables."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.core.records.figures import CellValue, UnitValue, percent
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.memory.runs.effects import (
    TOLERATED,
    AblationResult,
    ParaphraseCost,
    ablate,
    families,
    rewordings_of,
)
from constraintsuite.memory.runs.experiment import MemoryRun
from constraintsuite.memory.runs.hypotheses import HypothesisResult, judge_claims


def ablations_of(run: MemoryRun) -> list[AblationResult]:
    """The families that the run has the modes for."""
    found = [ablate(run.table, family) for family in families(encoder="encoder" in run.inputs)]
    return [each for each in found if each.findings]


def ablation_tables(run: MemoryRun) -> Iterator[Table]:
    """What parts of a memory are worth: one row per effect, overall and by fixture."""
    found = ablations_of(run)
    if not found:
        return
    rows = tuple(
        (
            each.name,
            f"{finding.pair.whole} less {finding.pair.reduced}",
            finding.budget,
            effect.group,
            each.metric,
            effect.test.difference,
            effect.test.holm,
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
    yield Table("ablations", f"With the part less without it, paired, 95 % intervals. {verdicts}", columns, rows)


def claims_of(run: MemoryRun, budget: int) -> tuple[HypothesisResult, ...]:
    """The hypotheses at one budget, on all that the run holds."""
    return judge_claims(run.table, budget, timing=run.timing, replays=run.replays)


def claim_tables(run: MemoryRun) -> Iterator[Table]:
    """The hypotheses at each budget: one row per piece of evidence, or per claim without any."""
    columns = (
        Column("claim"),
        Column("verdict"),
        Column("evidence"),
        Column("figure", "number"),
        Column("Holm", "p"),
        Column("by itself"),
    )
    for budget in run.summary.budgets:
        claims = claims_of(run, budget)
        rows: list[tuple[CellValue, ...]] = []
        for claim in claims:
            name = f"{claim.name}: {claim.claim}"
            rows += [
                (name, claim.judgement, each.what, UnitValue(each.figure, each.kind), each.p, each.judgement)
                for each in claim.evidence
            ]
            if not claim.evidence:
                rows.append((name, claim.judgement, claim.sentence, None, None, ""))
        verdicts = "; ".join(f"{claim.name} {claim.judgement}" for claim in claims)
        yield Table(f"claims_at_{budget}", f"At a budget of {budget}: {verdicts}.", columns, tuple(rows))


def replay_tables(run: MemoryRun) -> Iterator[Table]:
    """What becomes of the unit at the end of a walk, without the walk's last edge and without another."""
    if not run.replays:
        return
    columns = (
        Column("mode"),
        Column("budget", "count"),
        Column("effect on the unit"),
        Column("last edge of the walk", "share"),
        Column("another edge", "share"),
        Column("difference", "points"),
    )
    rows = tuple(
        (each.mode, each.budget, name, effect.traced, effect.untraced, effect.test.difference)
        for each in run.replays
        for name, effect in (("score falls", each.fall), ("and its place changes", each.move))
    )
    caption = (
        "The best walk of each case, replayed without its last edge, and without other edges at the same unit that the answer did "
        "not tell: how often the unit that it leads to loses score, and its place in the ranking too."
    )
    yield Table("replays", caption, columns, rows)


def rewordings(run: MemoryRun) -> list[ParaphraseCost]:
    """What another wording of the same question costs: in all that a case asks for, and in the ranking alone."""
    return [each for metric in ("pass", "ranking_pass") for each in rewordings_of(run.table, metric)]


def rewording_tables(run: MemoryRun) -> Iterator[Table]:
    """The same, a table for each."""
    columns = (
        Column("mode"),
        Column("budget", "count"),
        Column("as it stands", "share"),
        Column("paraphrased", "points"),
        Column("where one passes", "points"),
        Column(f"loss >{percent(TOLERATED)} ruled out"),
    )
    every = rewordings(run)
    for metric in dict.fromkeys(each.metric for each in every):
        rows = tuple(
            (f.mode, f.budget, f.original, f.difference, f.solvable, "yes" if f.passed else "no")
            for f in every
            if f.metric == metric
        )
        caption = (
            f"{metric} of paraphrases less that of the question as it stands, by case where it is defined: over all "
            "cases, which decide, and over those where one wording passes, since a case that fails in all cannot lose."
        )
        yield Table(f"rewordings_{metric}", caption, columns, rows)
