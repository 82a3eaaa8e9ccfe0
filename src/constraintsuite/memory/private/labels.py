"""From cases to labels: the batch of a version, its blind sheets, and how far annotators agree on the evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.agreement import agreement, jaccard_distance
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.core.store.files import write_text
from constraintsuite.memory.private.cases import CASES, CaseItems, PrivateCase, read_cases, reading_copy
from constraintsuite.memory.private.versions import Version, require_version
from constraintsuite.suites.annotation.agreement import clusters_of, ratings_of
from constraintsuite.suites.annotation.batch import AnnotationBatch, check_name, open_batch, write_batch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers, tasks_left
from constraintsuite.suites.annotation.records import AnnotationItem
from constraintsuite.suites.annotation.sheets import guide, write_sheet

BATCHES = "batches"
SHEETS = "sheets"
READING = "documents.md"
GUIDE = "guide.md"
LEAST = 0.85


@dataclass(frozen=True, slots=True)
class CaseAgreement:
    """The evidence of one case, averaged over pairs of annotators."""

    case: str
    jaccard: float
    f1: float


@dataclass(frozen=True)
class EvidenceAgreement:
    """How far people agree on what must be found."""

    cases: tuple[CaseAgreement, ...]
    jaccard: Interval
    f1: Interval
    exact: Interval
    """Share of pairs who named exactly the same units."""
    alpha_jaccard: Interval
    alpha_masi: Interval
    least: float

    @property
    def passed(self) -> bool:
        """Whether the lower bounds of the mean Jaccard index and of alpha both reach what is asked."""
        bounds = (self.jaccard.low, self.alpha_jaccard.low)
        return all(bound is not None and bound >= self.least for bound in bounds)


@dataclass(frozen=True)
class Sheets:
    """What was written for annotators."""

    batch: AnnotationBatch
    files: tuple[tuple[Path, int], ...]
    """Each sheet with its number of tasks; beside it lie the documents to read, and the guide."""
    done: tuple[str, ...]
    """Annotators who have answered everything, and get none."""


def write_sheets(pilot: Path, annotators: Sequence[str], *, seed: int = 0) -> Sheets:
    """For each annotator a folder of their own: a blind sheet, the documents with the ids of their units, and a guide."""
    people = list(dict.fromkeys(map(check_name, annotators)))
    if len(people) < 2:
        raise UserError("Evidence is labelled by two people or more, each alone: give --annotator NAME twice.")
    version = require_version(pilot)
    batch, cases = _batch(pilot, version, seed)
    said = current_answers(batch.store.events())
    left = [name for name in people if tasks_left(batch, name, said)]
    if not left:
        raise UserError(f"{batch.path}: {' and '.join(people)} have answered everything; there is nothing to ask.")
    folder = pilot / SHEETS / str(version.number)
    places = {name: folder / name / f"{name}.csv" for name in left}
    lying = next((place for place in places.values() if place.exists()), None)
    if lying is not None:
        raise UserError(f"{lying}: is there already. Import it and move it away, and you get a sheet of what is left.")
    named = {document for case in cases for document in case.documents}
    decoyed = {item.fields["documents"] for item in batch.items.values() if item.expected}
    reading = reading_copy(version, sorted(named | decoyed))
    for place in places.values():
        write_text(place.with_name(READING), reading)
        write_text(place.with_name(GUIDE), guide(batch))
    files = tuple((place, write_sheet(batch, name, place)) for name, place in places.items())
    return Sheets(batch, files, tuple(name for name in people if name not in left))


def pilot_batch(pilot: Path, version: Version) -> AnnotationBatch:
    """The batch of a version; that there is none is a UserError."""
    path = pilot / BATCHES / str(version.number)
    if not path.is_dir():
        raise UserError(
            f"{pilot}: version {version.number} has no sheets yet. Write them: "
            f"csuite memory private sheet {pilot} --annotator A --annotator B"
        )
    return open_batch(path)


def judged_cases(pilot: Path, version: Version, batch: AnnotationBatch) -> list[PrivateCase]:
    """The cases of a pilot, if people judged the golden ones as they stand there; one that was changed since is a UserError."""
    cases = read_cases(pilot, version)
    items = {item.id: item for item in CaseItems(cases, version).items() if not item.expected}
    before = {item.id: item for item in batch.judged}
    changed = sorted(name for name in items.keys() | before.keys() if items.get(name) != before.get(name))
    if changed:
        raise UserError(
            f"{pilot / CASES}: {len(changed)} cases are not as they were when sheets were first written: "
            f"{', '.join(changed[:10])}. Undo that, or begin a new version: csuite memory private freeze {pilot} --new-version"
        )
    return cases


def evidence_agreement(batch: AnnotationBatch, said: CurrentAnswers, least: float = LEAST) -> EvidenceAgreement:
    """Over the cases that two people or more have labelled; documents are resampled, with all their cases."""
    question = batch.questions["evidence"]
    ratings = ratings_of(question, batch.judged, said)
    clusters = clusters_of(batch.judged)
    sets = [[value for value in item.values() if isinstance(value, frozenset)] for item in ratings]
    jaccard = _by_case(sets, lambda one, other: 1 - jaccard_distance(one, other))
    f1 = _by_case(sets, _f1)

    def rng(name: str) -> np.random.Generator:
        return np.random.default_rng(stable_hash("evidence", str(batch.head.seed), name))

    mean_jaccard, mean_f1 = mean_figures([jaccard, f1], clusters, rng("means"))
    by_jaccard = agreement(ratings, "jaccard", rng=rng("jaccard"), clusters=clusters)
    by_masi = agreement(ratings, "masi", rng=rng("masi"), clusters=clusters)
    return EvidenceAgreement(
        tuple(_case_agreements(batch.judged, jaccard, f1)),
        mean_jaccard,
        mean_f1,
        by_jaccard.raw,
        by_jaccard.alpha,
        by_masi.alpha,
        least,
    )


def _batch(pilot: Path, version: Version, seed: int) -> tuple[AnnotationBatch, list[PrivateCase]]:
    """The batch of a version, made when it is first asked for, and its cases, which stay as they are from then on."""
    path = pilot / BATCHES / str(version.number)
    if path.is_dir():
        batch = open_batch(path)
        return batch, judged_cases(pilot, version, batch)
    cases = read_cases(pilot, version)
    source = f"{pilot.resolve().name} {version.artifact.manifest.content}"
    return write_batch(path, CaseItems(cases, version), source, seed=seed), cases


def _by_case(
    sets: Sequence[Sequence[AbstractSet[object]]], likeness: Callable[[AbstractSet[object], AbstractSet[object]], float]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The mean over pairs of annotators, NaN for a case that fewer than two have labelled."""
    means = [[likeness(one, other) for one, other in combinations(each, 2)] for each in sets]
    return np.array([sum(values) / len(values) if values else np.nan for values in means])


def _f1(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def _case_agreements(
    items: Sequence[AnnotationItem],
    jaccard: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    f1: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> list[CaseAgreement]:
    """The worst first."""
    found = [
        CaseAgreement(item.id, float(one), float(two))
        for item, one, two in zip(items, jaccard, f1, strict=True)
        if not np.isnan(one)
    ]
    return sorted(found, key=lambda case: (case.jaccard, case.f1, case.case))
