"""A subset that is chosen and not yet written: which documents and queries, and what that means for the judgments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from constraintsuite.corpora.base import BadRows, Source
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.store.workspace import Workspace
from constraintsuite.vectors.first_pass import FirstPass, read_corpus
from constraintsuite.vectors.judged import (
    CoverageState,
    JudgedQueries,
    QueryCoverage,
    gaps,
    hard_negatives,
    measure_coverage,
    read_judged,
    state_of,
)
from constraintsuite.vectors.sampling import SampleRequest, Selection, select
from constraintsuite.vectors.settings import KEEPING, SubsetSettings
from constraintsuite.vectors.survey import Survey
from constraintsuite.vectors.twins import DocumentTwin, Merged, Twins, find_twins, in_source, merge


@dataclass(frozen=True)
class SubsetDraft:
    """What a subset would hold."""

    judged: JudgedQueries
    survey: Survey
    selection: Selection
    states: tuple[CoverageState, ...]
    """Of each query."""
    coverage: QueryCoverage
    bytes: int
    """What its texts come to, about."""
    bad: BadRows
    twins: Twins | None = None
    """Where equal texts are taken out."""
    moved: tuple[DocumentTwin, ...] = ()
    """Judged documents that gave way to others outside the subset."""
    judgments: tuple[int, int] = (0, 0)
    """How many judgments were moved to another document, and how many fell together with one that was there."""


@dataclass(frozen=True)
class _Choosable:
    """The corpus that is chosen from: the whole, or one document a text."""

    survey: Survey
    judged: JudgedQueries
    hard: frozenset[str]
    twins: Twins | None = None
    merged: Merged | None = None


def draft_subset(
    source: Source, settings: SubsetSettings, skip_bad_rows: bool, reporter: Reporter, space: Workspace | None = None
) -> SubsetDraft:
    """Choose documents and queries; with `space`, a pass over the documents that was made before is not made again."""
    bad = BadRows(skip=skip_bad_rows)
    judged = read_judged(source, settings, bad)
    hard = hard_negatives(settings, judged)
    wanted = judged.keep | hard
    if settings.dedup == "exact_text":
        wanted |= {qrel.document for qrel in judged.qrels}
    seen = read_corpus(source, settings, wanted, bad, reporter, space)
    for gap in gaps(settings, judged, hard, seen.survey.found):
        reporter.note(f"Note: {gap}")
    pool = _choosable(seen, settings, judged, hard)
    strata = seen.strata
    if strata is not None and pool.twins is not None:
        strata = strata[pool.twins.mask(len(seen.survey))]
    chosen = select(SampleRequest(settings, pool.survey, pool.judged.keep, pool.hard, strata, seen.names))
    inside = set(chosen.positions.tolist())
    there = {name for name, position in pool.survey.found.items() if position in inside}
    positives = pool.judged.positives()
    states = tuple(state_of(positives.get(query.id, frozenset()), there) for query in judged.queries)
    size = round(seen.bytes * len(chosen.positions) / len(seen.survey))
    coverage = measure_coverage(states, positives, there)
    draft = SubsetDraft(pool.judged, seen.survey, chosen, states, coverage, size, seen.bad)
    return draft if pool.merged is None else _with_twins(draft, pool, judged, there)


def _choosable(seen: FirstPass, settings: SubsetSettings, judged: JudgedQueries, hard: frozenset[str]) -> _Choosable:
    if seen.hashes is None:
        return _Choosable(seen.survey, judged, hard)
    preferred = (judged.keep, hard) if settings.mode in KEEPING else ()
    twins = find_twins(seen.hashes, seen.survey, preferred)
    merged = merge(seen.survey, twins)
    if settings.size is not None and settings.size > len(merged.survey):
        raise UserError(
            f"--size {settings.size:,} is more than the {len(merged.survey):,} different texts among the "
            f"{len(seen.survey):,} documents that the source holds."
        )
    return _Choosable(merged.survey, merged.moved(judged), merged.renamed(hard), twins, merged)


def _with_twins(draft: SubsetDraft, pool: _Choosable, judged: JudgedQueries, there: set[str]) -> SubsetDraft:
    assert pool.twins is not None
    assert pool.merged is not None
    names = pool.merged.names
    moved = [qrel for qrel in judged.qrels if qrel.document in names]
    return replace(
        draft,
        selection=in_source(draft.selection, pool.twins, len(draft.survey)),
        twins=pool.twins,
        moved=tuple(sorted(_outside({qrel.document for qrel in moved}, pool.merged, there), key=lambda twin: twin.id)),
        judgments=(len(moved), len(judged.qrels) - len(pool.judged.qrels)),
    )


def _outside(documents: set[str], merged: Merged, there: set[str]) -> Iterator[DocumentTwin]:
    return (DocumentTwin(name, merged.names[name], None) for name in documents if merged.names[name] not in there)
