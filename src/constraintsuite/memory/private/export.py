"""Approved cases as a benchmark that `csuite memory bench` reads, with the documents of their version beside it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from constraintsuite.annotate.labels import label_all, write_labels
from constraintsuite.annotate.standing import standing
from constraintsuite.errors import UserError
from constraintsuite.memory.cases.model import Dataset
from constraintsuite.memory.private.acceptance import Approved, Criterion, approve, criteria
from constraintsuite.memory.private.cases import PrivateCase
from constraintsuite.memory.private.labelling import LEAST, evidence_agreement, judged_cases, pilot_batch
from constraintsuite.memory.private.versions import DOCUMENTS, Version, require_version
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import describe, write_jsonl
from constraintsuite.store.workspace import new_folder

GOLDEN = "golden.json"
SHADOW = "shadow.jsonl"


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
    said = standing(batch.store.events())
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
        raise UserError(f"{pilot}: no case is approved yet, so there is nothing to export: {_in_words(left_out)}.")
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


def _in_words(left_out: Mapping[str, int]) -> str:
    return "; ".join(f"{count} x {reason}" for reason, count in left_out.items())
