"""Published results on NevIR: what others report of the same model, and why a run may differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from constraintsuite.core.records.figures import percent, points, say
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.experiments.load import MODEL, Run, Suite
from constraintsuite.models.model_names import ModelName, parse_model

PAIRS = 1_383
"""In NevIR's test split."""


class Published(BaseModel):
    """One result that someone reported; `score` in per cent, as papers print it."""

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
    """Every published result that comes with the package, and how far a run may be off before it is looked into."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    gates: dict[str, float]
    """In points, by kind."""
    sources: dict[str, str]
    results: tuple[Published, ...]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A run beside what was published of its model: paired accuracy between 0 and 1, strict ties."""

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
        verdict = f"{'within' if self.within else 'beyond'} the gate of {points(self.gate)}"
        source = "; ".join(filter(None, (self.source, self.note)))
        head = (
            f"NevIR: {say(self.ours, 'share')}, reference for {self.model}: {percent(self.published)} ({source}); "
            f"difference {say(self.difference, 'points')}, {verdict}."
        )
        return "\n  ".join([head, *(f"- {cause}" for cause in self.causes)])


@cache
def published_results() -> PublishedResults:
    """The table that comes with the package."""
    return PublishedResults.model_validate(
        read_package_yaml("constraintsuite.experiments", "data", "nevir_published.yaml")
    )


def find_reproduction(run: Run, suite: Suite) -> Reproduction | None:
    """The run beside the published result of its model; None if there is none, or the suite is not all of NevIR's test."""
    manifest = suite.artifact.manifest
    is_test = manifest.name == "nevir" and manifest.settings.get("source_split") == "test"
    if not is_test or len(suite.examples) != PAIRS or run.summary.overall.items != PAIRS or run.summary.ties is None:
        return None
    entry = find_published(parse_model(run.summary.system))
    strict = run.summary.ties["paired_accuracy"]["strict"]
    if entry is None or strict.value is None:
        return None
    published, gate = (round(number / 100, 6) for number in (entry.score, published_results().gates[entry.kind]))
    difference = strict.value - published
    within = abs(difference) <= gate + 0.00005  # published figures are rounded
    return Reproduction(
        model=entry.model,
        published=published,
        source=published_results().sources[entry.source],
        note=entry.note,
        ours=strict,
        difference=round(difference, 6),
        gate=gate,
        within=within,
        causes=() if within else tuple(_causes(run, entry, published, gate)) or (_UNEXPLAINED,),
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


def _causes(run: Run, entry: Published, published: float, gate: float) -> Iterator[str]:
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
        if policy != "strict" and interval.value is not None and abs(interval.value - published) <= gate:
            yield f"ties: under the rule {policy} this run has {percent(interval.value)}, which would be within the gate"
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
