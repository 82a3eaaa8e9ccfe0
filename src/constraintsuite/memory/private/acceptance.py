"""Measure agreement on evidence, check whether a set of cases is good enough, and export it as a benchmark."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.agreement import agreement, jaccard_distance
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import describe, write_jsonl
from constraintsuite.core.store.workspace import new_folder
from constraintsuite.memory.cases.model import Dataset
from constraintsuite.memory.private.cases import SHARES, PrivateCase, judged_cases
from constraintsuite.memory.private.versions import DOCUMENTS, Version
from constraintsuite.suites.annotation.agreement import clusters_of, ratings_of
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers, leave_out
from constraintsuite.suites.annotation.labels import LabelledItem, label_all, write_labels

CLAIM = 0.85
"""Lower bound that the agreement on evidence must reach."""
APPROVED = 120
NON_TRIVIAL = 0.3
HARD_NEGATIVES = 10
GOLDEN = "golden.json"
SHADOW = "shadow.jsonl"


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


def evidence_agreement(batch: AnnotationBatch, current: CurrentAnswers, claim: float = CLAIM) -> EvidenceAgreement:
    """Compare the evidence of all cases that two or more people labelled; whole documents are resampled."""
    ratings = ratings_of(batch.questions["evidence"], batch.judged, current)
    clusters = clusters_of(batch.judged)
    sets = [[value for value in answers.values() if isinstance(value, frozenset)] for answers in ratings]
    pairs = [list(combinations(each, 2)) for each in sets]
    jaccard = [fmean(1 - jaccard_distance(*pair) for pair in each) if each else np.nan for each in pairs]
    f1 = [fmean(_f1(*pair) for pair in each) if each else np.nan for each in pairs]
    cases = [CaseAgreement(item.id, *values) for item, *values in zip(batch.judged, jaccard, f1, strict=True)]

    def rng(name: str) -> np.random.Generator:
        return np.random.default_rng(stable_hash("evidence", str(batch.head.seed), name))

    mean_jaccard, mean_f1 = mean_figures([np.array(jaccard), np.array(f1)], clusters, rng("means"))
    by_jaccard = agreement(ratings, "jaccard", rng=rng("jaccard"), clusters=clusters)
    by_masi = agreement(ratings, "masi", rng=rng("masi"), clusters=clusters)
    compared = [case for case, each in zip(cases, pairs, strict=True) if each]
    worst_first = tuple(sorted(compared, key=lambda case: (case.jaccard, case.f1, case.case)))
    return EvidenceAgreement(worst_first, mean_jaccard, mean_f1, by_jaccard.raw, by_jaccard.alpha, by_masi.alpha, claim)


def _f1(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


@dataclass(frozen=True, slots=True)
class Criterion:
    """One condition of acceptance, and whether it is met."""

    name: str
    met: bool
    found: str
    wanted: str
    binding: bool = True
    """Whether the set is accepted only if this is met; the shares of families are advice."""


@dataclass(frozen=True, slots=True)
class Approved:
    """A case that may be exported, with its labels."""

    case: PrivateCase
    labels: LabelledItem

    def units(self, question: str) -> tuple[str, ...]:
        """The settled answer to a question for ids, or for any number of options."""
        return tuple(self.labels.settled(question) or ())


def approve(
    cases: Iterable[PrivateCase], labelled: Mapping[str, LabelledItem]
) -> tuple[list[Approved], dict[str, int]]:
    """The cases that people settled as good, with evidence; and how many are left out, by reason."""
    found: list[Approved] = []
    left_out: Counter[str] = Counter()
    for case in cases:
        labels = labelled[case.case]
        if reason := _reason_against(labels):
            left_out[reason] += 1
        else:
            found.append(Approved(case, labels))
    return found, dict(sorted(left_out.items()))


def _check_criteria(approved: Sequence[Approved], agreed: EvidenceAgreement) -> tuple[Criterion, ...]:
    """Check the conditions of acceptance, and the shares of families."""
    n = len(approved)
    harder = sum(one.labels.settled("difficulty") in ("medium", "hard") for one in approved)
    negatives = sum(len(one.case.hard_negatives) for one in approved)
    bounds = [bound for bound in (agreed.jaccard.low, agreed.alpha_jaccard.low) if bound is not None]
    lower = f"{min(bounds):.3f}" if len(bounds) == 2 else "–"
    families: Counter[str] = Counter(one.case.family for one in approved)
    return (
        Criterion("approved cases", n >= APPROVED, str(n), f"{APPROVED} or more"),
        Criterion("lower bound of agreement on evidence", agreed.passed, lower, f"{agreed.least:.2f} or more"),
        _share_criterion("share that is medium or hard", harder, n, NON_TRIVIAL),
        Criterion("hard-negative pairs", negatives >= HARD_NEGATIVES, str(negatives), f"{HARD_NEGATIVES} or more"),
        *(_share_criterion(f"share of {name}", families[name], n, *share) for name, share in SHARES.items()),
    )


def _share_criterion(name: str, part: int, n: int, least: float, most: float | None = None) -> Criterion:
    """A criterion for a share of the approved cases; one with an upper bound is only advice."""
    met = n > 0 and least * n <= part <= (1.0 if most is None else most) * n
    wanted = f"{percent(least)} or more" if most is None else f"{percent(least)} to {percent(most)}"
    return Criterion(name, met, percent(part / n) if n else "–", wanted, binding=most is None)


def _reason_against(labels: LabelledItem) -> str:
    """Why a case is not approved; empty if it is."""
    for question in ("verdict", "evidence"):
        if labels.settled(question) is None:
            known = {"open": "annotators differ", "single": "only one has answered"}
            return f"{question}: {known.get(labels.labels[question].how, 'not answered')}"
    if labels.settled("verdict") != "good":
        return f"verdict: {labels.settled('verdict')}"
    return "" if labels.settled("evidence") else "evidence: none"


@dataclass(frozen=True, slots=True)
class ShadowCase:
    """A question that `csuite memory private drift` replays. It is not scored, and may have no evidence."""

    case: str
    query: str
    evidence: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    """Questions that share a document are not independent."""


@dataclass(frozen=True)
class BenchmarkExport:
    """The result of an export, and whether the set is accepted."""

    golden: int
    shadow: int
    left_out: dict[str, int]
    """Golden cases that are not approved, by reason."""
    criteria: tuple[Criterion, ...]

    @property
    def accepted(self) -> bool:
        """Whether every binding criterion is met."""
        return all(one.met for one in self.criteria if one.binding)


def export(
    batch: AnnotationBatch,
    version: Version,
    out: Path,
    *,
    claim: float = CLAIM,
    require: bool = False,
    without: Collection[str] = (),
) -> BenchmarkExport:
    """Write golden.json, shadow.jsonl, the documents, labels and events; with `require`, only if the set is accepted."""
    cases = judged_cases(version, batch)
    current = current_answers(leave_out(batch.store.events(), without))
    golden = [case for case in cases if case.set == "golden"]
    approved, left_out = approve(golden, {one.item: one for one in label_all(batch, current)})
    criteria = _check_criteria(approved, evidence_agreement(batch, current, claim))
    shadow = [
        ShadowCase(case.case, case.query, case.evidence, case.documents) for case in cases if case.set == "shadow"
    ]
    exported = BenchmarkExport(len(approved), len(shadow), left_out, criteria)
    if require and not exported.accepted:
        return exported
    if not approved and not shadow:
        reasons = "; ".join(f"{count} x {reason}" for reason, count in left_out.items())
        raise UserError(f"{version.pilot}: no case is approved yet, so there is nothing to export: {reasons}.")
    benchmark = json.dumps(_make_benchmark(version, approved), indent=2, ensure_ascii=False) if approved else ""
    with new_folder(out) as new:
        shutil.copytree(version.documents, new / DOCUMENTS)
        if benchmark:
            write_text(new / GOLDEN, benchmark + "\n")
        if shadow:
            write_jsonl(new / SHADOW, shadow)
        write_labels(batch, new, without)
    return exported


def _make_benchmark(version: Version, approved: Sequence[Approved]) -> dict[str, Any]:
    """The content of the benchmark file. Raises UserError if labels contradict their case."""
    name = version.artifact.manifest.name
    found = {
        "dataset_id": f"{name}-v{version.number}",
        "dataset_name": f"{name}, version {version.number}",
        "domain_pack_name": "contract_pack",
        "document_directory": DOCUMENTS,
        "cases": [_case(one) for one in approved],
    }
    try:
        Dataset.model_validate(found)
    except ValidationError as error:
        place = error.errors()[0]["loc"]
        case = f"the case {approved[place[1]].case.case!r}" if len(place) > 1 and isinstance(place[1], int) else name
        raise UserError(f"{case} cannot be exported: {describe(error)} Mend its row, or have it ruled on.") from None
    return found


def _case(one: Approved) -> dict[str, Any]:
    case, evidence, path = one.case, one.units("evidence"), one.units("path")
    steps = [{"node_id": name} for name in path]
    optional = {
        "path": {"match_mode": "subsequence", "steps": steps} if len(path) > 1 else None,
        "required_edge_types": list(one.units("edge_types")),
        "required_semantic_roles": list(one.units("roles")),
        "required_contradiction_pairs": [list(one.units("contradiction"))] if one.units("contradiction") else None,
    }
    expectation = {"evidence_node_ids": list(evidence), "minimum_evidence_matches": len(evidence)}
    found = {
        "case_id": case.case,
        "query": case.query,
        "tags": list(dict.fromkeys((case.family, *case.tags))),
        "expectation": expectation | {field: value for field, value in optional.items() if value},
    }
    more = {"paraphrases": list(case.paraphrases), "hard_negatives": list(case.hard_negatives), "answer": case.answer}
    return found | {field: value for field, value in more.items() if value}
