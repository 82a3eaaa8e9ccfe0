"""Stage 6: every pair judged by the texts it really has; then as many as wanted, of every slice and relation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.shards import shard_of
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.dropped import DROPPED, name_of_texts, read_dropped
from constraintsuite.suites.filters import reasons
from constraintsuite.suites.pairs.records import (
    AcceptedPair,
    CheckedDocument,
    CheckedPair,
    DraftDocument,
    PairDraft,
    RejectedPair,
)
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.selection import select
from constraintsuite.suites.stages.documents import read_some
from constraintsuite.suites.stages.pairs import read_drafts
from constraintsuite.suites.stages.queries import read_chosen_proposals
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import JudgedMention, judge_mentions


@dataclass(frozen=True)
class CheckTask:
    """One shard of drafts to judge."""

    drafts: tuple[PairDraft, ...]
    proposals: dict[str, Proposal]
    titles: dict[str, str]
    recipe: Recipe
    target: Path
    failed: Path


def work(job: Job[Recipe]) -> WorkCounts:
    """Check the drafts shard by shard, then write `kept.jsonl` and `rejected.jsonl`."""
    drafts = read_drafts(job.inputs["pairs"])
    checked = job.map_shards("kept", check_shard, _tasks(job, drafts))
    passed: list[AcceptedPair] = []
    rejected: list[RejectedPair] = []
    for path in sorted(job.out.glob("passed-*.jsonl")):
        passed += read_jsonl(path, AcceptedPair)
        rejected += read_jsonl(path.with_name(path.name.replace("passed", "failed")), RejectedPair)
    passed, unwanted = _without_dropped(job, passed, drafts)
    whole, broken = _whole_couples(passed, drafts)
    accepted = {kept.draft: kept for kept in whole}
    drawn, surplus = select(list(accepted), job.recipe.sizes)
    chosen = [accepted[draft] for draft in drawn]
    rejected += [RejectedPair(DROPPED, kept.draft) for kept in unwanted]
    rejected += [RejectedPair("couple_broken", kept.draft) for kept in broken]
    rejected += [RejectedPair(reason, draft) for reason, draft in surplus]
    write_jsonl(job.out / "kept.jsonl", chosen)
    write_jsonl(job.out / "rejected.jsonl", rejected)
    slices = Counter(kept.draft.slice for kept in chosen)
    reasons = Counter(one.reason for one in rejected)
    return WorkCounts(
        {"checked": checked.counts.get("checked", 0), "kept": len(chosen), **dict(sorted(slices.items()))},
        {**checked.rejects, **reasons},
    )


def _tasks(job: Job[Recipe], drafts: Sequence[PairDraft]) -> dict[str, CheckTask]:
    proposals = read_chosen_proposals(job.inputs["queries"], {draft.proposal for draft in drafts})
    wanted = {source for draft in drafts for source in draft.sources}
    titles = {document.id: document.title for document in read_some(job.inputs["documents"], wanted)}
    shards: dict[int, list[PairDraft]] = defaultdict(list)
    count = job.recipe.documents.shards
    for draft in drafts:
        shards[shard_of(draft.unit, count)].append(draft)
    tasks = {}
    for shard in range(count):
        part = tuple(shards[shard])
        target = job.out / f"passed-{shard:05d}.jsonl"
        tasks[target.stem] = CheckTask(
            part,
            {draft.proposal: proposals[draft.proposal] for draft in part},
            {source: titles[source] for draft in part for source in draft.sources},
            job.recipe,
            target,
            target.with_name(target.name.replace("passed", "failed")),
        )
    return tasks


def check_shard(task: CheckTask, isolation: RecordIsolation) -> WorkCounts:
    """Analyse the texts of one shard and put every pair through the filters."""
    passed: list[AcceptedPair] = []
    failed: list[RejectedPair] = []
    for draft, verdict in isolation.map_blocks(task.drafts, _name, lambda drafts: _check(drafts, task)):
        if isinstance(verdict, AcceptedPair):
            passed.append(verdict)
        else:
            failed.append(RejectedPair(verdict, draft))
    write_jsonl(task.failed, failed)
    write_jsonl(task.target, passed)
    return WorkCounts({"checked": len(passed) + len(failed), "passed": len(passed)})


def _check(drafts: Sequence[PairDraft], task: CheckTask) -> Iterator[AcceptedPair | str]:
    """What is kept of each draft, or the reason why it is not."""
    texts = sorted({document.text for draft in drafts for document in draft.documents})
    analyses = dict(zip(texts, get_analyser(task.recipe.analysis.analyser).analyse(texts), strict=True))
    for draft in drafts:
        pair = _pair(draft, task, analyses)
        yield next(reasons(pair), None) or _kept(pair)


def _name(draft: PairDraft) -> str:
    return f"{draft.proposal} {draft.edit} {' '.join(draft.sources)}"


def _pair(draft: PairDraft, task: CheckTask, analyses: dict[str, Analysis]) -> CheckedPair:
    proposal = task.proposals[draft.proposal]

    def checked(document: DraftDocument) -> CheckedDocument:
        analysis = analyses[document.text]
        mentions = find_forms(document.text, proposal.constraint.forms)
        return CheckedDocument(task.titles[document.source], analysis, judge_mentions(mentions, analysis.scopes))

    return CheckedPair(
        draft, proposal, checked(draft.satisfying), checked(draft.violating), task.recipe.filters, task.recipe.pairs
    )


def _kept(pair: CheckedPair) -> AcceptedPair:
    documents = {SATISFYING: pair.satisfying, VIOLATING: pair.violating}
    evidence = [_evidence(role, judged, one.text) for role, one in documents.items() for judged in one.mentions]
    return AcceptedPair(pair.draft, tuple(evidence), {role: _cues(one.analysis) for role, one in documents.items()})


def _evidence(role: str, judged: JudgedMention, text: str) -> Evidence:
    cue = judged.cue.of(text) if judged.cue is not None else None
    return Evidence(role, judged.span.start, judged.span.end, judged.verdict, judged.rule, cue)


def _cues(analysis: Analysis) -> tuple[str, ...]:
    spans = sorted({(s.cue_start, s.cue_end) for s in analysis.scopes if s.kind == "negated"})
    return tuple(analysis.text[start:end].lower() for start, end in spans)


def _without_dropped(
    job: Job[Recipe], passed: Sequence[AcceptedPair], drafts: Sequence[PairDraft]
) -> tuple[list[AcceptedPair], list[AcceptedPair]]:
    """What nobody wants left out, and the rest; a file of which nothing is known here is a UserError."""
    names = read_dropped(job.recipe.drop)
    if not names:
        return list(passed), []
    proposals = read_chosen_proposals(job.inputs["queries"], {draft.proposal for draft in drafts})

    def name(draft: PairDraft) -> str:
        return name_of_texts(proposals[draft.proposal].query, draft.satisfying.text, draft.violating.text)

    known = names & {name(draft) for draft in drafts}
    job.reporter.note(f"drop: {len(known):,} of {len(names):,} examples that people want left out are known here")
    if not known:
        raise UserError(
            f"{', '.join(map(str, job.recipe.drop))}: none of these examples comes from this corpus with these settings. "
            "Was the file exported from a batch of another suite?"
        )
    unwanted = [kept for kept in passed if name(kept.draft) in names]
    return [kept for kept in passed if name(kept.draft) not in names], unwanted


def _whole_couples(
    passed: Sequence[AcceptedPair], drafts: Sequence[PairDraft]
) -> tuple[list[AcceptedPair], list[AcceptedPair]]:
    """A couple is kept whole or not at all: one half alone would bring back what the couple cancels."""
    size = Counter(_couple(draft) for draft in drafts)
    found = Counter(_couple(kept.draft) for kept in passed)
    whole: list[AcceptedPair] = []
    broken: list[AcceptedPair] = []
    for kept in passed:
        couple = _couple(kept.draft)
        (whole if not kept.draft.couple or found[couple] == size[couple] else broken).append(kept)
    return whole, broken


def _couple(draft: PairDraft) -> tuple[str, str]:
    """The couple that a draft is half of; its natural texts and its edited ones count apart."""
    return draft.slice if draft.is_edited else "", draft.couple


def read_kept(folder: Path) -> list[AcceptedPair]:
    """The pairs that the stage kept, in the order of its file."""
    return list(read_jsonl(folder / "kept.jsonl", AcceptedPair))
