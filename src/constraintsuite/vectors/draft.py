"""A subset that is chosen and not yet written: which documents and queries, and what that means for the judgments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

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
from constraintsuite.vectors.twins import DocumentTwin, Twins, find_twins, leave_out_twins, move_judgments, rename


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
    survey, names, twins = seen.survey, dict[str, str](), None
    if seen.hashes is not None:
        preferred = (judged.keep, hard) if settings.mode in KEEPING else ()
        twins = find_twins(seen.hashes, seen.survey, preferred)
        survey, names = leave_out_twins(seen.survey, twins)
        if settings.size is not None and settings.size > len(survey):
            raise UserError(
                f"--size {settings.size:,} is more than the {len(survey):,} different texts among the "
                f"{len(seen.survey):,} documents that the source holds."
            )
    return _choose(seen, survey, names, twins, settings, judged, hard)


def _choose(
    seen: FirstPass,
    survey: Survey,
    names: Mapping[str, str],
    twins: Twins | None,
    settings: SubsetSettings,
    judged: JudgedQueries,
    hard: frozenset[str],
) -> SubsetDraft:
    """Choose from `survey`: the whole corpus, or without its twins, which others stand for by `names`."""
    mask = slice(None) if twins is None else twins.mask(len(seen.survey))
    strata = None if seen.strata is None else seen.strata[mask]
    own = move_judgments(judged, names)
    chosen = select(SampleRequest(settings, survey, own.keep, rename(hard, names), strata, seen.names))
    inside = set(chosen.positions.tolist())
    there = {name for name, position in survey.found.items() if position in inside}
    if twins is not None:
        chosen = replace(chosen, positions=np.flatnonzero(mask)[chosen.positions])
    positives = own.positives()
    states = tuple(state_of(positives.get(query.id, frozenset()), there) for query in judged.queries)
    moved = [qrel for qrel in judged.qrels if qrel.document in names]
    outside = {qrel.document for qrel in moved if names[qrel.document] not in there}
    return SubsetDraft(
        own,
        seen.survey,
        chosen,
        states,
        measure_coverage(states, positives, there),
        round(seen.bytes * len(chosen.positions) / len(seen.survey)),
        seen.bad,
        twins,
        tuple(DocumentTwin(name, names[name], None) for name in sorted(outside)),
        (len(moved), len(judged.qrels) - len(own.qrels)),
    )
