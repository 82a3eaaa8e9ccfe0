"""Published results on NevIR: compare a run with the published figure of its model, and list why the two may differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from constraintsuite.core.records.figures import percent, points, say
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.experiments.load import MODEL, Run, Suite
from constraintsuite.models.model_names import ModelName, parse_model

PAIRS = 1_383
"""The number of pairs in NevIR's test split."""


class Published(StrictModel):
    """A published result; `score` is in percent, as papers print it."""

    model: str
    score: float
    source: str
    kind: Literal["tfidf", "bm25", "random", "neural"] = "neural"
    families: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    length: int | None = None
    """The maximum number of tokens of a document."""
    protocol: str = ""
    note: str = ""


class PublishedResults(StrictModel):
    """All published results, and the largest difference of a run that needs no explanation."""

    gates: dict[str, float]
    """That difference in points, by kind of model."""
    sources: dict[str, str]
    results: tuple[Published, ...]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A run and the published result of its model: paired accuracy from 0 to 1, with strict ties."""

    model: str
    published: float
    source: str
    note: str
    ours: Interval
    difference: float
    gate: float
    within: bool
    causes: tuple[str, ...]
    """Facts about the run that may explain a large difference; empty if the difference is within the gate."""

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
    """Read the published results that come with the package."""
    return read_package_yaml(PublishedResults, "constraintsuite.experiments", "data", "nevir_published.yaml")


def find_reproduction(run: Run, suite: Suite) -> Reproduction | None:
    """Compare a run with the published result of its model; None without one, or if the suite is not NevIR's complete test split."""
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


_UNEXPLAINED = "no fact about the run explains it: look at the checkpoint, the pooling and the prompts"


def find_published(name: ModelName) -> Published | None:
    """The published result of a model, by its family and the last part of the checkpoint's name."""
    options = dict(name.options)
    said = (name.argument, options.get("model", ""), options.get("document", ""))
    called = {"*", *(part.rstrip("/").rpartition("/")[2].lower() for part in said)}
    if name.argument:
        called.discard("")
    return next((e for e in published_results().results if name.family in e.families and called & set(e.names)), None)


def _causes(run: Run, entry: Published, published: float, gate: float) -> Iterator[str]:
    file = run.artifact.path / MODEL
    facts: Any = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    precision, length = facts.get("precision"), facts.get("length")
    if isinstance(length, dict):  # one limit per role
        length = length.get("document")
    if precision not in (None, "fp32"):
        yield f"precision: {precision} here, fp32 in the published protocol"
    if entry.length is not None and length not in (None, entry.length):
        yield f"length: {length} tokens here, {entry.length} in the published protocol"
    audit = run.summary.truncation
    if audit is not None and audit.cut:
        tokens = f" ({length} tokens)" if length is not None else ""
        yield f"length: in {audit.cut} of {audit.examples:,} pairs the model does not read the deciding words{tokens}"
    for policy, interval in (run.summary.ties or {})["paired_accuracy"].items():
        if policy != "strict" and interval.value is not None and abs(interval.value - published) <= gate:
            yield f"ties: under the rule {policy} this run has {percent(interval.value)}, which would be within the gate"
    if entry.protocol:
        yield f"protocol: {entry.protocol}"
