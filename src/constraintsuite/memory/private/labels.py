"""The batch of a pilot's cases, and how far annotators agree on the evidence."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.agreement import agreement, jaccard_distance
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.memory.private.cases import CASES, NAME, PrivateCase, case_items, read_cases
from constraintsuite.memory.private.inventory import INVENTORY
from constraintsuite.memory.private.versions import VERSIONS, Version, open_version, require_version
from constraintsuite.suites.annotation.agreement import clusters_of, ratings_of
from constraintsuite.suites.annotation.batch import AnnotationBatch, open_batch, write_batch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers

BATCHES = "batches"
CLAIM = 0.85
"""Lower bound that the agreement on evidence must reach."""


@dataclass(frozen=True, slots=True)
class CaseAgreement:
    """Agreement on the evidence of one case, averaged over pairs of annotators."""

    case: str
    jaccard: float
    f1: float


@dataclass(frozen=True)
class EvidenceAgreement:
    """How far people agree on the evidence."""

    cases: tuple[CaseAgreement, ...]
    """The worst first."""
    jaccard: Interval
    f1: Interval
    exact: Interval
    """Share of pairs of annotators who named exactly the same units."""
    alpha_jaccard: Interval
    alpha_masi: Interval
    least: float

    @property
    def passed(self) -> bool:
        """Whether the lower bounds of the mean Jaccard index and of alpha both reach `least`."""
        bounds = (self.jaccard.low, self.alpha_jaccard.low)
        return all(bound is not None and bound >= self.least for bound in bounds)


def open_labels(folder: Path, *, draw: bool = False) -> tuple[AnnotationBatch, Version | None]:
    """Open the batch in a folder and, if its items are private cases, the frozen version that these are about.

    If the folder is a pilot, this is the batch of its newest version; with `draw` it is made if it does not exist.
    """
    if not (folder / INVENTORY).is_file():
        batch, place = open_batch(folder), folder.resolve()
        is_private = batch.head.kind == NAME
        return batch, open_version(place.parents[1] / VERSIONS / place.name) if is_private else None
    version = require_version(folder)
    path = folder / BATCHES / str(version.number)
    if path.is_dir():
        batch = open_batch(path)
        judged_cases(version, batch)
        return batch, version
    if not draw:
        raise UserError(
            f"{folder}: version {version.number} has no sheets yet. Write them: "
            f"csuite gold sheet {folder} --annotator NAME --out NAME.csv"
        )
    return write_batch(path, case_items(read_cases(version), version)), version


def judged_cases(version: Version, batch: AnnotationBatch) -> list[PrivateCase]:
    """Read the cases of a pilot; a UserError if golden cases differ from those that people judged."""
    cases = read_cases(version)
    now = {item.id: item for item in case_items(cases, version).items if not item.expected}
    before = {item.id: item for item in batch.judged}
    changed = sorted(name for name in now.keys() | before.keys() if now.get(name) != before.get(name))
    if changed:
        raise UserError(
            f"{version.pilot / CASES}: {len(changed)} cases are not as they were when sheets were first written: "
            f"{', '.join(changed[:10])}. Undo that, or begin a new version: csuite memory private freeze {version.pilot} --new-version"
        )
    return cases


def evidence_agreement(batch: AnnotationBatch, current: CurrentAnswers, claim: float = CLAIM) -> EvidenceAgreement:
    """Compare the evidence of all cases that two or more people labelled; whole documents are resampled."""
    ratings = ratings_of(batch.questions["evidence"], batch.judged, current)
    clusters = clusters_of(batch.judged)
    cases, undefined = [], CaseAgreement("", np.nan, np.nan)
    for item, answers in zip(batch.judged, ratings, strict=True):
        pairs = list(combinations([value for value in answers.values() if isinstance(value, frozenset)], 2))
        jaccard, f1 = [1 - jaccard_distance(*pair) for pair in pairs], [_f1(*pair) for pair in pairs]
        cases.append(CaseAgreement(item.id, fmean(jaccard), fmean(f1)) if pairs else undefined)

    def rng(name: str) -> np.random.Generator:
        return np.random.default_rng(stable_hash("evidence", str(batch.head.seed), name))

    columns = [np.array([case.jaccard for case in cases]), np.array([case.f1 for case in cases])]
    mean_jaccard, mean_f1 = mean_figures(columns, clusters, rng("means"))
    by_jaccard = agreement(ratings, "jaccard", rng=rng("jaccard"), clusters=clusters)
    by_masi = agreement(ratings, "masi", rng=rng("masi"), clusters=clusters)
    worst_first = sorted(
        (case for case in cases if case is not undefined), key=lambda case: (case.jaccard, case.f1, case.case)
    )
    return EvidenceAgreement(
        tuple(worst_first), mean_jaccard, mean_f1, by_jaccard.raw, by_jaccard.alpha, by_masi.alpha, claim
    )


def _f1(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0
