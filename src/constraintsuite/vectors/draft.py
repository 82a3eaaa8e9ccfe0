"""The choice of a subset, before it is written: its documents and queries, and what is left of the judgments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.text import Qrel
from constraintsuite.core.store.workspace import Workspace
from constraintsuite.corpora.base import BadRows, Source
from constraintsuite.vectors import judgments
from constraintsuite.vectors.first_pass import read_corpus
from constraintsuite.vectors.judgments import JudgedQueries
from constraintsuite.vectors.sampling import SampleRequest, Selection, select
from constraintsuite.vectors.settings import KEEPING, SubsetSettings
from constraintsuite.vectors.survey import Positions, Survey, TextHashes


@dataclass(frozen=True)
class SubsetDraft:
    """A chosen subset, with all that is needed to write it."""

    judged: JudgedQueries
    """Its queries and judgments; judgments of a twin are moved to the document that is kept."""
    survey: Survey
    """Of the complete source."""
    selection: Selection
    states: tuple[judgments.CoverageState, ...]
    """For each query: how many of its positives are in the subset."""
    coverage: judgments.QueryCoverage
    bytes: int
    """Approximate size of its texts."""
    bad: BadRows
    absent: frozenset[str]
    """Positive documents that the source lacks."""
    gaps: tuple[str, ...]
    """Notes about judgments and a run that do not match the source."""
    twins: Twins | None = None
    """The documents left out because of equal texts, if they are looked for."""
    moved: tuple[DocumentTwin, ...] = ()
    """Judged twins whose kept document is outside the subset."""
    judgments: tuple[int, int] = (0, 0)
    """Number of judgments moved to another document, and of those merged with a judgment of it."""


def draft_subset(
    source: Source, settings: SubsetSettings, skip_bad_rows: bool, reporter: Reporter, space: Workspace | None = None
) -> SubsetDraft:
    """Choose documents and queries, in one pass over the documents.

    With `space`, what the pass found is stored there, and a stored pass is not repeated.
    """
    bad = BadRows(skip=skip_bad_rows)
    judged = judgments.read_judged(source, settings, bad)
    hard = judgments.hard_negatives(settings, judged)
    wanted = judged.keep | hard
    if settings.dedup == "exact_text":
        wanted |= {qrel.document for qrel in judged.qrels}
    corpus = read_corpus(source, settings, wanted, bad, reporter, space)
    survey, strata, names, twins = corpus.survey, corpus.strata, dict[str, str](), None
    mask = np.ones(0, dtype=np.bool_)
    if corpus.hashes is not None:
        twins = _find_twins(corpus.hashes, survey, (judged.keep, hard) if settings.mode in KEEPING else ())
        mask = twins.mask(len(survey))
        strata = None if strata is None else strata[mask]
        survey, names = _leave_out_twins(survey, twins)
        if settings.size is not None and settings.size > len(survey):
            raise UserError(
                f"--size {settings.size:,} is more than the {len(survey):,} different texts among the "
                f"{len(corpus.survey):,} documents that the source holds."
            )
    own = _move_judgments(judged, names)
    chosen = select(SampleRequest(settings, survey, own.keep, _rename(hard, names), strata, corpus.names))
    inside = set(chosen.positions.tolist())
    there = {name for name, position in survey.found.items() if position in inside}
    if twins is not None:
        chosen = replace(chosen, positions=np.flatnonzero(mask)[chosen.positions])
    positives = own.positives()
    states = tuple(judgments.coverage_state(positives.get(query.id, frozenset()), there) for query in judged.queries)
    moved = [qrel for qrel in judged.qrels if qrel.document in names]
    outside = {qrel.document for qrel in moved if names[qrel.document] not in there}
    return SubsetDraft(
        judged=own,
        survey=corpus.survey,
        selection=chosen,
        states=states,
        coverage=judgments.measure_coverage(states, positives, there),
        bytes=round(corpus.bytes * len(chosen.positions) / len(corpus.survey)),
        bad=corpus.bad,
        absent=own.keep - survey.found.keys(),
        gaps=tuple(judgments.gaps(settings, judged, hard, corpus.survey.found)),
        twins=twins,
        moved=tuple(DocumentTwin(name, names[name], None) for name in sorted(outside)),
        judgments=(len(moved), len(judged.qrels) - len(own.qrels)),
    )


@dataclass(frozen=True, slots=True)
class DocumentTwin:
    """A document that was left out because another has the same text: a line of `twins.jsonl`."""

    id: str
    kept: str
    """Id of the document that was kept instead."""
    row: int | None
    """Row of the kept document; None if it is not in the subset, and only a judgment was moved."""


@dataclass(frozen=True)
class Twins:
    """Documents left out because of equal texts, as positions in the source: arrays, since there may be millions."""

    left_out: Positions  # ascending
    kept: Positions  # the document kept instead of each of `left_out`

    def mask(self, documents: int) -> npt.NDArray[np.bool_]:
        """For each document of the source: whether it is kept."""
        kept = np.ones(documents, dtype=np.bool_)
        kept[self.left_out] = False
        return kept


def _find_twins(hashes: TextHashes, survey: Survey, preferred: Sequence[Collection[str]] = ()) -> Twins:
    """For each group of equal texts, choose the document to keep: first by the collections of `preferred`, then by key."""
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))
    ordered = hashes[order]
    same = (ordered[1:] == ordered[:-1]).all(axis=1)
    del ordered
    shared = np.zeros(len(hashes), dtype=np.bool_)
    shared[1:] |= same
    shared[:-1] |= same
    positions = order[shared]
    text = np.cumsum(np.concatenate([[True], ~same]))[shared]
    ranks = _ranks(positions, survey)
    best = np.lexsort((ranks, _preference(positions, survey, preferred), text))
    positions, text = positions[best], text[best]
    first = np.concatenate([[True], text[1:] != text[:-1]]) if len(text) else np.zeros(0, dtype=np.bool_)
    kept = positions[first][np.cumsum(first) - 1] if len(text) else positions
    left_out = positions[~first]
    by_position = np.argsort(left_out)
    return Twins(left_out[by_position], kept[~first][by_position])


def _ranks(positions: Positions, survey: Survey) -> Positions:
    """The rank of each position in the order of keys and ids."""
    ascending = np.sort(positions)
    ranks = np.empty(len(positions), dtype=np.int64)
    ranks[np.searchsorted(ascending, survey.in_order(ascending))] = np.arange(len(positions))
    return ranks[np.searchsorted(ascending, positions)]


def _preference(positions: Positions, survey: Survey, preferred: Sequence[Collection[str]]) -> npt.NDArray[np.uint8]:
    grades = np.full(len(positions), len(preferred), dtype=np.uint8)
    for grade, ids in reversed(list(enumerate(preferred))):
        places = np.array([survey.found[name] for name in ids if name in survey.found], dtype=np.int64)
        grades[np.isin(positions, places)] = grade
    return grades


def _leave_out_twins(survey: Survey, twins: Twins) -> tuple[Survey, dict[str, str]]:
    """The survey as if the source held each text once; and for each wanted document left out, the id that was kept."""
    mask = twins.mask(len(survey))
    positions = np.array(list(survey.found.values()), dtype=np.int64)
    replaced = ~mask[positions]
    positions[replaced] = twins.kept[np.searchsorted(twins.left_out, positions[replaced])]
    known = {position: name for name, position in survey.found.items()}
    unknown = set(positions.tolist()) - known.keys()
    if unknown:  # read the ids again: a wanted document was replaced by one that no judgment names
        known |= {position: name for position, name in enumerate(survey.ids()) if position in unknown}
    kept = [known[position] for position in positions.tolist()]
    places = positions - np.searchsorted(twins.left_out, positions)  # positions among the kept documents
    ids: Callable[[], Iterable[str]] = lambda: compress(survey.ids(), mask)  # noqa: E731 - a field, not a function
    found = dict(zip(kept, places.tolist(), strict=True))
    names = {name: other for name, other in zip(survey.found, kept, strict=True) if other != name}
    return replace(survey, keys=survey.keys[mask], found=found, ids=ids), names


def _rename(ids: Iterable[str], names: Mapping[str, str]) -> frozenset[str]:
    """These ids, each twin replaced by the document that was kept."""
    return frozenset(names.get(name, name) for name in ids)


def _move_judgments(judged: JudgedQueries, names: Mapping[str, str]) -> JudgedQueries:
    """Move judgments of twins to the documents that were kept; of two judgments that meet, the higher grade counts."""
    grades: dict[tuple[str, str], int] = {}
    for qrel in judged.qrels:
        couple = (qrel.query, names.get(qrel.document, qrel.document))
        grades[couple] = max(qrel.grade, grades.get(couple, qrel.grade))
    qrels = tuple(Qrel(*couple, grades[couple]) for couple in sorted(grades))
    return replace(judged, qrels=qrels, keep=_rename(judged.keep, names))
