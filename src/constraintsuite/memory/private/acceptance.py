"""Approved cases, what a golden set must have, and its export as a benchmark that `csuite memory bench` reads."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import percent
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import describe, write_jsonl
from constraintsuite.core.store.workspace import new_folder
from constraintsuite.memory.cases.model import Dataset
from constraintsuite.memory.private.cases import SHARES, PrivateCase
from constraintsuite.memory.private.labels import (
    LEAST,
    EvidenceAgreement,
    evidence_agreement,
    judged_cases,
    pilot_batch,
)
from constraintsuite.memory.private.versions import DOCUMENTS, Version, require_version
from constraintsuite.suites.annotation.current_answers import current_answers
from constraintsuite.suites.annotation.labels import LabelledItem, label_all, write_labels

APPROVED = 120
NON_TRIVIAL = 0.3
HARD_NEGATIVES = 10
GOLDEN = "golden.json"
SHADOW = "shadow.jsonl"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the list."""

    name: str
    met: bool
    found: str
    wanted: str
    binding: bool = True
    """Whether a set without it is not accepted; the shares of families are advice."""


@dataclass(frozen=True, slots=True)
class Approved:
    """A case that may be exported, with its settled labels."""

    case: PrivateCase
    labels: LabelledItem
    evidence: tuple[str, ...]


def approve(
    cases: Iterable[PrivateCase], labelled: Mapping[str, LabelledItem]
) -> tuple[list[Approved], dict[str, int]]:
    """The cases that people settled as good, with evidence; and why the others are not among them."""
    found: list[Approved] = []
    left: Counter[str] = Counter()
    for case in cases:
        labels = labelled[case.case]
        reason = _reason(labels)
        if not reason:
            evidence = labels.settled("evidence")
            assert isinstance(evidence, tuple)
            found.append(Approved(case, labels, evidence))
        else:
            left[reason] += 1
    return found, dict(sorted(left.items()))


def criteria(approved: Sequence[Approved], agreed: EvidenceAgreement, units: frozenset[str]) -> list[Criterion]:
    """The acceptance list, and the shares of families."""
    n = len(approved)
    harder = sum(one.labels.settled("difficulty") in ("medium", "hard") for one in approved)
    negatives = sum(len(one.case.hard_negatives) for one in approved)
    lost = sorted({name for one in approved for name in ids_of(one)} - units)
    bounds = (agreed.jaccard.low, agreed.alpha_jaccard.low)
    lower = "–" if None in bounds else f"{min(bound for bound in bounds if bound is not None):.3f}"
    families: Counter[str] = Counter(one.case.family for one in approved)
    return [
        Criterion("approved cases", n >= APPROVED, str(n), f"{APPROVED} or more"),
        Criterion("lower bound of agreement on evidence", agreed.passed, lower, f"{agreed.least:.2f} or more"),
        Criterion("ids that do not resolve", not lost, ", ".join(lost[:3]) or "0", "none"),
        Criterion(
            "share that is medium or hard",
            n > 0 and harder >= NON_TRIVIAL * n,
            _share(harder, n),
            f"{percent(NON_TRIVIAL)} or more",
        ),
        Criterion("hard-negative pairs", negatives >= HARD_NEGATIVES, str(negatives), f"{HARD_NEGATIVES} or more"),
        *(
            Criterion(
                f"share of {name}",
                n > 0 and low * n <= families[name] <= high * n,
                _share(families[name], n),
                f"{percent(low)} to {percent(high)}",
                binding=False,
            )
            for name, (low, high) in SHARES.items()
        ),
    ]


def ids_of(one: Approved) -> tuple[str, ...]:
    """All units that a case names."""
    named = [one.labels.settled(question) or () for question in ("path", "contradiction")]
    return (*one.evidence, *one.case.hard_negatives, *(name for value in named for name in value))


def _reason(labels: LabelledItem) -> str:
    for question in ("verdict", "evidence"):
        if labels.settled(question) is None:
            how = labels.labels[question].how
            return f"{question}: " + {"open": "annotators differ", "single": "only one has answered"}.get(
                how, "not answered"
            )
    if labels.settled("verdict") != "good":
        return f"verdict: {labels.settled('verdict')}"
    return "" if labels.settled("evidence") else "evidence: none"


def _share(part: int, n: int) -> str:
    return percent(part / n) if n else "–"


@dataclass(frozen=True, slots=True)
class ShadowCase:
    """A question that is replayed, not scored; its evidence, if any, was labelled lightly."""

    case: str
    query: str
    evidence: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    """Questions that share one are not independent."""


@dataclass(frozen=True)
class BenchmarkExport:
    """What was written, and whether it may be relied on."""

    golden: int
    shadow: int
    left_out: dict[str, int]
    """Golden cases that are not approved, by reason."""
    criteria: tuple[Criterion, ...]

    @property
    def accepted(self) -> bool:
        """Whether every criterion that binds is met."""
        return all(one.met for one in self.criteria if one.binding)


def export(
    pilot: Path, out: Path, *, least: float = LEAST, require: bool = False, number: int | None = None
) -> BenchmarkExport:
    """Write golden.json, shadow.jsonl, the documents, labels and events; with `require` only if the set is accepted."""
    version = require_version(pilot, number)
    batch = pilot_batch(pilot, version)
    cases = judged_cases(pilot, version, batch)
    said = current_answers(batch.store.events())
    with_labels = {one.item: one for one in label_all(batch, said)}
    approved, left_out = approve([case for case in cases if case.set == "golden"], with_labels)
    agreed = evidence_agreement(batch, said, least)
    listed = tuple(criteria(approved, agreed, frozenset(unit.id for unit in version.units)))
    shadow = [
        ShadowCase(case.case, case.query, case.evidence, case.documents) for case in cases if case.set == "shadow"
    ]
    exported = BenchmarkExport(len(approved), len(shadow), left_out, listed)
    if require and not exported.accepted:
        return exported
    if not approved and not shadow:
        reasons = "; ".join(f"{count} x {reason}" for reason, count in left_out.items())
        raise UserError(f"{pilot}: no case is approved yet, so there is nothing to export: {reasons}.")
    golden = json.dumps(benchmark(version, approved), indent=2, ensure_ascii=False) if approved else ""
    with new_folder(out) as new:
        shutil.copytree(version.documents, new / DOCUMENTS)
        if golden:
            write_text(new / GOLDEN, golden + "\n")
        if shadow:
            write_jsonl(new / SHADOW, shadow)
        write_labels(batch, new)
    return exported


def benchmark(version: Version, approved: Sequence[Approved]) -> dict[str, Any]:
    """The benchmark JSON; its documents lie beside it. Labels that contradict the case are a UserError."""
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
    case: PrivateCase = one.case
    expectation: dict[str, Any] = {
        "evidence_node_ids": list(one.evidence),
        "minimum_evidence_matches": len(one.evidence),
    }
    path = one.labels.settled("path")
    if path and len(path) > 1:
        expectation["path"] = {"match_mode": "subsequence", "steps": [{"node_id": name} for name in path]}
    for field, question in (("required_edge_types", "edge_types"), ("required_semantic_roles", "roles")):
        if one.labels.settled(question):
            expectation[field] = list(one.labels.settled(question) or ())
    pair = one.labels.settled("contradiction")
    if pair:
        expectation["required_contradiction_pairs"] = [list(pair)]
    found: dict[str, Any] = {
        "case_id": case.case,
        "query": case.query,
        "tags": list(dict.fromkeys((case.family, *case.tags))),
        "expectation": expectation,
    }
    found |= {"paraphrases": list(case.paraphrases)} if case.paraphrases else {}
    found |= {"hard_negatives": list(case.hard_negatives)} if case.hard_negatives else {}
    return found | ({"answer": case.answer} if case.answer else {})
