"""Tables on what parts of a memory contribute: ablations, hypotheses, replayed paths and rewordings."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.core.records.figures import CellValue, UnitValue, percent
from constraintsuite.core.records.tables import Column, ItemColumns, Table, columns, tabulate
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
    """The ablations for which the run has both modes."""
    found = [ablate(run.table, family) for family in families(encoder="encoder" in run.inputs)]
    return [each for each in found if each.findings]


def ablation_tables(run: MemoryRun) -> Iterator[Table]:
    """A table of what each part of a memory contributes: one row per effect, overall and by fixture."""
    found = ablations_of(run)
    if not found:
        return
    rows = tuple(
        (
            each.name,
            f"{finding.pair.whole} less {finding.pair.reduced}",
            effect.group,
            each.metric,
            effect.direction,
            finding.budget,
            effect.test.difference,
            effect.test.holm,
        )
        for each in found
        for finding in each.findings
        for effect in (finding.overall, *finding.fixtures)
    )
    heads = columns("text", "part removed", "modes", "cases", "metric", "direction")
    figures = (Column("budget", "count"), Column("difference", "points"), Column("Holm", "p"))
    verdicts = " ".join(each.sentence for each in found)
    caption = f"Figure with the part minus figure without it, paired, with 95 % intervals. {verdicts}"
    yield Table("ablations", caption, (*heads, *figures), rows)


def claims_of(run: MemoryRun, budget: int) -> tuple[HypothesisResult, ...]:
    """The hypotheses at one budget, judged on the complete run."""
    return judge_claims(run.table, budget, timing=run.timing, replays=run.replays)


def claim_tables(run: MemoryRun) -> Iterator[Table]:
    """One table per budget, with a row per piece of evidence; a hypothesis without evidence has one row."""
    heads = (*columns("text", "claim", "verdict", "evidence"), Column("figure", "number"), Column("Holm", "p"))
    for budget in run.summary.budgets:
        claims = claims_of(run, budget)
        rows: list[tuple[CellValue, ...]] = []
        for claim in claims:
            name = f"{claim.name}: {claim.claim}"
            rows += [
                (name, claim.judgement, each.what, UnitValue(each.figure, each.kind), each.p, each.judgement)
                for each in claim.evidence
            ] or [(name, claim.judgement, claim.sentence, None, None, "")]
        verdicts = "; ".join(f"{claim.name} {claim.judgement}" for claim in claims)
        caption = f"At a budget of {budget}: {verdicts}."
        yield Table(f"claims_at_{budget}", caption, (*heads, Column("by itself")), tuple(rows))


def replay_tables(run: MemoryRun) -> Iterator[Table]:
    """A table of how the unit at the end of a path fares without the last edge of the path, and without another edge."""
    if not run.replays:
        return
    rows = tuple(
        (each.mode, name, each.budget, effect.traced, effect.untraced, effect.test.difference)
        for each in run.replays
        for name, effect in (("score falls", each.fall), ("its rank changes as well", each.move))
    )
    heads = (*columns("text", "mode", "effect on the unit"), Column("budget", "count"))
    shares = columns("share", "without the last edge", "without another edge")
    caption = (
        "The best path of each case was replayed without its last edge, and without other edges of the same unit that the answer "
        "does not name. The shares say how often the unit at the end of the path loses score, and also changes its rank."
    )
    yield Table("replays", caption, (*heads, *shares, Column("difference", "points")), rows)


_REWORDINGS: ItemColumns[ParaphraseCost] = {
    "mode": ("text", lambda cost: cost.mode),
    "budget": ("count", lambda cost: cost.budget),
    "original wording": ("share", lambda cost: cost.original),
    "paraphrased": ("points", lambda cost: cost.difference),
    "where a wording passes": ("points", lambda cost: cost.solvable),
    f"loss >{percent(TOLERATED)} ruled out": ("text", lambda cost: "yes" if cost.passed else "no"),
}


def rewordings(run: MemoryRun) -> list[ParaphraseCost]:
    """What another wording of the same question costs, for everything that a case asks for and for its ranking alone."""
    return [each for metric in ("pass", "ranking_pass") for each in rewordings_of(run.table, metric)]


def rewording_tables(run: MemoryRun) -> Iterator[Table]:
    """The costs of another wording, one table per metric."""
    costs = rewordings(run)
    for metric in dict.fromkeys(cost.metric for cost in costs):
        caption = (
            f"{metric} of paraphrases minus {metric} of the original wording, by case. The figure over all cases decides. The other "
            "is over cases where at least one wording passes, since a case that never passes has nothing to lose."
        )
        own = [cost for cost in costs if cost.metric == metric]
        yield tabulate(f"rewordings_{metric}", caption, own, _REWORDINGS)
