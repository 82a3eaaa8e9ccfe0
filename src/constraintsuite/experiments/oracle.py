"""Published results on NevIR: what others report of the same model, and why a run may differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from constraintsuite.experiments.figures import round_off
from constraintsuite.experiments.load import MODEL, Run, Suite
from constraintsuite.models.naming import ModelName, parse_model
from constraintsuite.records.scores import Interval
from constraintsuite.store.yaml_files import read_package_yaml

PAIRS = 1_383
"""In NevIR's test split."""


class Published(BaseModel):
    """One result that someone reported, in per cent."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    model: str
    score: float
    source: str
    kind: Literal["tfidf", "bm25", "random", "neural"] = "neural"
    families: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    length: int | None = None
    """Most tokens of a document."""
    protocol: str = ""
    note: str = ""


class PublishedResults(BaseModel):
    """All of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    gates: dict[str, float]
    sources: dict[str, str]
    results: tuple[Published, ...]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A run beside what was published of its model: paired accuracy in per cent, strict ties."""

    model: str
    published: float
    source: str
    note: str
    ours: Interval
    difference: float
    gate: float
    within: bool
    causes: tuple[str, ...]
    """What the run says of itself that may explain the difference; empty where there is none to explain."""

    def __str__(self) -> str:
        verdict = f"within {self.gate:g}" if self.within else f"more than {self.gate:g} off"
        source = "; ".join(filter(None, (self.source, self.note)))
        head = (
            f"NevIR: {self.ours.value:.2f} [{self.ours.low:.2f}, {self.ours.high:.2f}], reference for {self.model}: "
            f"{self.published:g} ({source}); difference {self.difference:+.2f} points, {verdict}."
        )
        return "\n  ".join([head, *(f"- {cause}" for cause in self.causes)])


@cache
def published_results() -> PublishedResults:
    """The table that comes with the package."""
    return PublishedResults.model_validate(
        read_package_yaml("constraintsuite.experiments", "data", "nevir_published.yaml")
    )


def match(run: Run, suite: Suite) -> Reproduction | None:
    """The run beside the published result of its model; None if there is none, or the suite is not all of NevIR's test."""
    manifest = suite.artifact.manifest
    is_test = manifest.name == "nevir" and manifest.settings.get("source_split") == "test"
    if not is_test or len(suite.examples) != PAIRS or run.summary.overall.items != PAIRS or run.summary.ties is None:
        return None
    entry = find_published(parse_model(run.summary.system))
    strict = run.summary.ties["paired_accuracy"]["strict"]
    if entry is None or strict.value is None:
        return None
    ours = Interval(_percent(strict.value), _percent(strict.low), _percent(strict.high), strict.n)
    difference = 100 * strict.value - entry.score
    gate = published_results().gates[entry.kind]
    within = abs(difference) <= gate + 0.005  # published figures are rounded
    return Reproduction(
        model=entry.model,
        published=entry.score,
        source=published_results().sources[entry.source],
        note=entry.note,
        ours=ours,
        difference=round(difference, 4),
        gate=gate,
        within=within,
        causes=() if within else tuple(_causes(run, entry, gate)) or (_UNEXPLAINED,),
    )


_ANY = "*"
_UNEXPLAINED = "nothing that the run says of itself explains it: look at the checkpoint, the pooling and the prompts"


def find_published(name: ModelName) -> Published | None:
    """The result of a model string, by family and by the last part of the checkpoint's name."""
    options = dict(name.options)
    said = (name.argument, options.get("model", ""), options.get("document", ""))
    called = {_ANY, *(part.rstrip("/").rpartition("/")[2].lower() for part in said)}
    if name.argument:
        called.discard("")
    return next((e for e in published_results().results if name.family in e.families and called & set(e.names)), None)


def _percent(share: float | None) -> float | None:
    return None if share is None else round_off(100 * share)


def _causes(run: Run, entry: Published, gate: float) -> Iterator[str]:
    facts = _facts(run)
    precision, length = facts.get("precision"), _document_length(facts)
    if precision not in (None, "fp32"):
        yield f"precision: {precision} here, fp32 in the published protocol"
    if entry.length is not None and length not in (None, entry.length):
        yield f"length: {length} tokens here, {entry.length} in the published protocol"
    audit = run.summary.truncation
    if audit is not None and audit.cut:
        yield (
            f"length: in {audit.cut} of {audit.examples:,} pairs what decides lies past the end of what the model reads"
            + (f" ({length} tokens)" if length is not None else "")
        )
    for policy, interval in (run.summary.ties or {})["paired_accuracy"].items():
        if policy != "strict" and interval.value is not None and abs(100 * interval.value - entry.score) <= gate:
            yield f"ties: under the rule {policy} this run has {100 * interval.value:.2f}, which would be within the gate"
    if entry.protocol:
        yield f"protocol: {entry.protocol}"


def _document_length(facts: Mapping[str, Any]) -> Any:  # noqa: ANN401 - read from a file
    """Most tokens of a document, where a model may have one limit, or one for each role."""
    length = facts.get("length")
    return length.get("document") if isinstance(length, dict) else length


def _facts(run: Run) -> Mapping[str, Any]:
    file = run.artifact.path / MODEL
    found: Any = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found if isinstance(found, dict) else {}
