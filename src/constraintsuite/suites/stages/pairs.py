"""Stage 5: drafts pairs of texts for every constraint type."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.constraints.base import load_builder
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.queries import read_buildable


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `drafts.jsonl`: every pair of texts that may become an example."""
    rejects: Counter[str] = Counter()
    by_type: dict[str, list[Proposal]] = defaultdict(list)
    for proposal in read_buildable(job.inputs["queries"]):
        by_type[proposal.constraint.type].append(proposal)
    found = [one for name in sorted(by_type) for one in load_builder(name).draft(by_type[name], job, rejects)]
    drafts, repeated = distinct(found)
    rejects["repeated"] += repeated
    write_jsonl(job.out / "drafts.jsonl", drafts)
    counts = Counter(f"{draft.slice} ({draft.edit.partition(':')[0]})" for draft in drafts)
    couples = len({draft.couple for draft in drafts if draft.couple and not draft.is_edited})
    return WorkCounts({"drafts": len(drafts), "couples": couples, **dict(sorted(counts.items()))}, dict(rejects))


def distinct(drafts: Sequence[PairDraft]) -> tuple[list[PairDraft], int]:
    """Drafts without repetitions, and how many were left out; a couple with a repeated draft is left out as a whole.

    Two couples can give the same edited text.
    """
    first: dict[tuple[str, str, str], PairDraft] = {}
    repeated: set[str] = set()
    for draft in drafts:
        if first.setdefault((draft.proposal, draft.satisfying.text, draft.violating.text), draft) is not draft:
            repeated.add(draft.couple)
    kept = [draft for draft in first.values() if not draft.couple or draft.couple not in repeated]
    return kept, len(drafts) - len(kept)


def read_drafts(folder: Path) -> list[PairDraft]:
    """The drafts of the stage."""
    return list(read_jsonl(folder / "drafts.jsonl", PairDraft))
