"""Stage 6: judges every pair by its final texts, then selects as many as wanted from each slice and relation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.shards import shard_of
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.examples import SATISFYING, VIOLATING
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.balancing import measure_leans
from constraintsuite.suites.constraints.base import load_builder
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.dropped import DROPPED, name_of_texts, read_dropped
from constraintsuite.suites.filters import find_reasons
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

KEPT, REJECTED = "kept.jsonl", "rejected.jsonl"


@dataclass(frozen=True)
class CheckTask:
    """One shard of drafts to judge."""

    drafts: tuple[PairDraft, ...]
    proposals: dict[str, Proposal]
    titles: dict[str, str]
    recipe: Recipe
    passed: Path
    failed: Path


def work(job: Job[Recipe]) -> WorkCounts:
    """Check the drafts shard by shard, then write `kept.jsonl` and `rejected.jsonl`."""
    drafts = read_drafts(job.inputs["pairs"])
    proposals = read_chosen_proposals(job.inputs["queries"], {draft.proposal for draft in drafts})
    tasks = _make_tasks(job, drafts, proposals)
    checked = job.map_shards("kept", check_shard, tasks)
    accepted = {pair.draft: pair for task in tasks.values() for pair in read_jsonl(task.passed, AcceptedPair)}
    rejected = [pair for task in tasks.values() for pair in read_jsonl(task.failed, RejectedPair)]
    dropped = _find_dropped(job, drafts, proposals)
    wanted = [draft for draft in accepted if draft not in dropped]
    broken = _find_broken_couples(wanted, drafts)
    whole = [draft for draft in wanted if draft not in broken]
    chosen, surplus = _select([accepted[draft] for draft in whole], proposals, job.recipe)
    rejected += [RejectedPair(DROPPED, draft) for draft in accepted if draft in dropped]
    rejected += [RejectedPair("couple_broken", draft) for draft in wanted if draft in broken]
    rejected += [RejectedPair(reason, draft) for reason, draft in surplus]
    write_jsonl(job.out / KEPT, (accepted[draft] for draft in chosen))
    write_jsonl(job.out / REJECTED, rejected)
    slices = Counter(draft.slice for draft in chosen)
    return WorkCounts(
        {"checked": checked.counts.get("checked", 0), "kept": len(chosen), **dict(sorted(slices.items()))},
        {**checked.rejects, **Counter(pair.reason for pair in rejected)},
    )


def _select(
    pairs: Sequence[AcceptedPair], proposals: Mapping[str, Proposal], recipe: Recipe
) -> tuple[list[PairDraft], list[tuple[str, PairDraft]]]:
    """The drafts that are kept, type by type, and the others with the reason."""
    by_type: dict[str, list[AcceptedPair]] = defaultdict(list)
    for pair in pairs:
        by_type[pair.constraint.type].append(pair)
    stated = {proposal.relation for proposal in proposals.values() if not proposal.is_attribute}
    chosen: list[PairDraft] = []
    left_out: list[tuple[str, PairDraft]] = []
    for name in sorted(by_type):
        balanced = load_builder(name).balanced
        leans = measure_leans(by_type[name], proposals, balanced)
        picked, left = select([pair.draft for pair in by_type[name]], recipe.sizes, leans, stated, balanced)
        chosen += picked
        left_out += left
    return chosen, left_out


def _make_tasks(job: Job[Recipe], drafts: Sequence[PairDraft], proposals: dict[str, Proposal]) -> dict[str, CheckTask]:
    wanted = {source for draft in drafts for source in draft.sources}
    titles = {document.id: document.title for document in read_some(job.inputs["documents"], wanted)}
    count = job.recipe.documents.shards
    shards: dict[int, list[PairDraft]] = defaultdict(list)
    for draft in drafts:
        shards[shard_of(draft.unit, count)].append(draft)
    return {
        f"passed-{shard:05d}": CheckTask(
            tuple(shards[shard]),
            {draft.proposal: proposals[draft.proposal] for draft in shards[shard]},
            {source: titles[source] for draft in shards[shard] for source in draft.sources},
            job.recipe,
            job.out / f"passed-{shard:05d}.jsonl",
            job.out / f"failed-{shard:05d}.jsonl",
        )
        for shard in range(count)
    }


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
    write_jsonl(task.passed, passed)
    return WorkCounts({"checked": len(passed) + len(failed), "passed": len(passed)})


def _check(drafts: Sequence[PairDraft], task: CheckTask) -> Iterator[AcceptedPair | str]:
    """The accepted pair of each draft, or the reason to reject it."""
    texts = sorted({document.text for draft in drafts for document in draft.documents})
    analyses = dict(zip(texts, get_analyser(task.recipe.analysis.analyser).analyse(texts), strict=True))
    knowledge = load_knowledge(task.recipe.analysis.domains)
    for draft in drafts:
        pair = _analysed_pair(draft, task, analyses, knowledge)
        yield next(find_reasons(pair), None) or _accept(pair)


def _name(draft: PairDraft) -> str:
    return f"{draft.proposal} {draft.edit} {' '.join(draft.sources)}"


def _analysed_pair(
    draft: PairDraft, task: CheckTask, analyses: dict[str, Analysis], knowledge: Knowledge
) -> CheckedPair:
    proposal = task.proposals[draft.proposal]

    read = load_builder(proposal.constraint.type).read

    def analysed(role: str, document: DraftDocument) -> CheckedDocument:
        title = task.titles[document.source] if document.title is None else document.title
        analysis = analyses[document.text]
        return CheckedDocument(title, analysis, read(proposal.constraint, role, analysis, title, knowledge))

    documents = {role: analysed(role, document) for role, document in draft.roles.items()}
    satisfying, violating = documents.pop(SATISFYING), documents.pop(VIOLATING)
    return CheckedPair(draft, proposal, satisfying, violating, task.recipe.filters, task.recipe.pairs, documents)


def _accept(pair: CheckedPair) -> AcceptedPair:
    proposed = pair.proposal.constraint
    documents = {SATISFYING: pair.satisfying, VIOLATING: pair.violating, **pair.further}
    return AcceptedPair(pair.draft, load_builder(proposed.type).complete(proposed, documents))


def _find_dropped(
    job: Job[Recipe], drafts: Sequence[PairDraft], proposals: dict[str, Proposal]
) -> Collection[PairDraft]:
    """The drafts that people want left out. Raises UserError if no draft of a file is known."""
    names = read_dropped(job.recipe.drop)
    if not names:
        return ()
    found = defaultdict(set)
    for draft in drafts:
        for wording in proposals[draft.proposal].wordings:
            found[name_of_texts(wording.query, draft.satisfying.text, draft.violating.text)].add(draft)
    known = names & found.keys()
    job.reporter.note(f"drop: {len(known):,} of {len(names):,} examples that people want left out are known here")
    if not known:
        raise UserError(
            f"{', '.join(map(str, job.recipe.drop))}: none of these examples comes from this corpus with these settings. "
            "Was the file exported from a batch of another suite?"
        )
    return {draft for name in known for draft in found[name]}


def _find_broken_couples(passed: Collection[PairDraft], drafts: Sequence[PairDraft]) -> Collection[PairDraft]:
    """The drafts whose couple lost another draft: half a couple would bring back the preference that a couple cancels.

    Natural and edited texts of a couple are separate couples.
    """

    def couple(draft: PairDraft) -> tuple[str, str]:
        return draft.slice if draft.is_edited else "", draft.couple

    size, found = Counter(map(couple, drafts)), Counter(map(couple, passed))
    return {draft for draft in passed if draft.couple and found[couple(draft)] < size[couple(draft)]}


def read_kept(folder: Path) -> list[AcceptedPair]:
    """The pairs that the stage kept, in the order of its file."""
    return list(read_jsonl(folder / KEPT, AcceptedPair))


def count_rejects(folder: Path) -> dict[str, Counter[str]]:
    """For each proposal, how many of its pairs the stage rejected for each reason."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in read_jsonl(folder / REJECTED, RejectedPair):
        counts[pair.draft.proposal][pair.reason] += 1
    return counts
