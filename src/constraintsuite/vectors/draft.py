"""A subset that is chosen and not yet written: which documents and queries, and what that means for the judgments."""

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
from constraintsuite.vectors.first_pass import FirstPass, read_corpus
from constraintsuite.vectors.judgments import JudgedQueries
from constraintsuite.vectors.sampling import SampleRequest, Selection, select
from constraintsuite.vectors.settings import KEEPING, SubsetSettings
from constraintsuite.vectors.survey import Positions, Survey, TextHashes


@dataclass(frozen=True)
class SubsetDraft:
    """What a subset would hold."""

    judged: JudgedQueries
    survey: Survey
    selection: Selection
    states: tuple[judgments.CoverageState, ...]
    """Of each query."""
    coverage: judgments.QueryCoverage
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
    judged = judgments.read_judged(source, settings, bad)
    hard = judgments.hard_negatives(settings, judged)
    wanted = judged.keep | hard
    if settings.dedup == "exact_text":
        wanted |= {qrel.document for qrel in judged.qrels}
    seen = read_corpus(source, settings, wanted, bad, reporter, space)
    for gap in judgments.gaps(settings, judged, hard, seen.survey.found):
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
    mask = None if twins is None else twins.mask(len(seen.survey))
    strata = seen.strata if seen.strata is None or mask is None else seen.strata[mask]
    own = move_judgments(judged, names)
    chosen = select(SampleRequest(settings, survey, own.keep, rename(hard, names), strata, seen.names))
    inside = set(chosen.positions.tolist())
    there = {name for name, position in survey.found.items() if position in inside}
    if mask is not None:
        chosen = replace(chosen, positions=np.flatnonzero(mask)[chosen.positions])
    positives = own.positives()
    states = tuple(judgments.state_of(positives.get(query.id, frozenset()), there) for query in judged.queries)
    moved = [qrel for qrel in judged.qrels if qrel.document in names]
    outside = {qrel.document for qrel in moved if names[qrel.document] not in there}
    return SubsetDraft(
        own,
        seen.survey,
        chosen,
        states,
        judgments.measure_coverage(states, positives, there),
        round(seen.bytes * len(chosen.positions) / len(seen.survey)),
        seen.bad,
        twins,
        tuple(DocumentTwin(name, names[name], None) for name in sorted(outside)),
        (len(moved), len(judged.qrels) - len(own.qrels)),
    )


@dataclass(frozen=True, slots=True)
class DocumentTwin:
    """A document that was left out, as a line of `twins.jsonl`."""

    id: str
    kept: str
    """The document that stands for it."""
    row: int | None
    """Its row; None where that one was not chosen either, and only a judgment was moved."""


@dataclass(frozen=True)
class Twins:
    """Positions in the source, as arrays: of nine million documents, half may be twins."""

    left_out: Positions  # ascending
    kept: Positions  # by place in `left_out`: the one that stands for it

    def mask(self, documents: int) -> npt.NDArray[np.bool_]:
        """Which of all documents are kept."""
        kept = np.ones(documents, dtype=np.bool_)
        kept[self.left_out] = False
        return kept


def find_twins(hashes: TextHashes, survey: Survey, preferred: Sequence[Collection[str]] = ()) -> Twins:
    """Which documents give way to which; ids in an earlier collection of `preferred` are kept before all others."""
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
    """The place of each position in the order of keys and ids."""
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


def leave_out_twins(survey: Survey, twins: Twins) -> tuple[Survey, dict[str, str]]:
    """The corpus as if it held each text once; and of each wanted document that gave way, the id that stands for it."""
    mask = twins.mask(len(survey))
    positions = np.array(list(survey.found.values()), dtype=np.int64)
    given_way = ~mask[positions]
    positions[given_way] = twins.kept[np.searchsorted(twins.left_out, positions[given_way])]
    known = {position: name for name, position in survey.found.items()}
    unknown = set(positions.tolist()) - known.keys()
    if unknown:  # one more reading: a wanted document gave way to one of which nobody asked
        known |= {position: name for position, name in enumerate(survey.ids()) if position in unknown}
    kept = [known[position] for position in positions.tolist()]
    places = positions - np.searchsorted(twins.left_out, positions)  # if those that are left out are not counted
    ids: Callable[[], Iterable[str]] = lambda: compress(survey.ids(), mask)  # noqa: E731 - a field, not a function
    found = dict(zip(kept, places.tolist(), strict=True))
    names = {name: other for name, other in zip(survey.found, kept, strict=True) if other != name}
    return replace(survey, keys=survey.keys[mask], found=found, ids=ids), names


def rename(ids: Iterable[str], names: Mapping[str, str]) -> frozenset[str]:
    """The documents that stand for these."""
    return frozenset(names.get(name, name) for name in ids)


def move_judgments(judged: JudgedQueries, names: Mapping[str, str]) -> JudgedQueries:
    """The same judgments on the documents that are kept; where two fall together, the higher grade counts."""
    grades: dict[tuple[str, str], int] = {}
    for qrel in judged.qrels:
        couple = (qrel.query, names.get(qrel.document, qrel.document))
        grades[couple] = max(qrel.grade, grades.get(couple, qrel.grade))
    qrels = tuple(Qrel(*couple, grades[couple]) for couple in sorted(grades))
    return replace(judged, qrels=qrels, keep=rename(judged.keep, names))
