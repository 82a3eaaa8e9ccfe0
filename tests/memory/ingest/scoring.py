"""Ingestion against labelled examples: how many of what it says is right, and how much of what is there it says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.memory.ingest.collection import ingest
from constraintsuite.memory.ingest.unit_reader import read_units

DATA = Path(__file__).parent / "data"
EDGES, OVERRIDING = "edges.yaml", "overriding.yaml"
"""All kinds of edges; rules that are cited and set aside, or only look so."""


class Tally(NamedTuple):
    """Counts of one role or kind of edge."""

    right: int
    said: int
    there: int

    @property
    def precision(self) -> Interval:
        return wilson(self.right, self.said)

    @property
    def recall(self) -> Interval:
        return wilson(self.right, self.there)


@dataclass(frozen=True)
class Scored:
    """What was said and what is there, over all examples of a half."""

    tallies: dict[str, Tally]
    wrong: list[str]


def score_roles(half: str) -> Scored:
    """Roles of the labelled units of a half (`dev` or `test`)."""
    rows = [json.loads(line) for line in (DATA / "roles.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["half"] == half]
    pairs = []
    for row, reading in zip(rows, read_units((row.get("lead", ""), row["text"]) for row in rows), strict=True):
        gold = {(role, row["text"]) for role in row["roles"]}
        said = {(str(role), str(row["text"])) for role in reading.roles}
        pairs.append((said, gold))
    return _scored(pairs)


def score_edges(half: str, folder: Path, labels: str = EDGES) -> Scored:
    """Edges of the labelled documents of a half; every pair of their units that bears no label has no edge."""
    pairs = []
    for example in labelled_documents(half, labels):
        file = folder / f"{example['name']}.md"
        file.write_text(example["text"], encoding="utf-8")
        (part,) = ingest([file])
        said = {
            _labelled(edge.kind, edge.source, edge.target)
            for edge in part.edges
            if edge.kind not in ("next", "part_of")
        }
        there = {
            _labelled(kind, f"{part.id}:{source}", f"{part.id}:{target}")
            for source, kind, target in (label.split() for label in example["edges"])
        }
        pairs.append((said, there))
    return _scored(pairs)


def labelled_documents(half: str, labels: str = EDGES) -> Iterator[dict[str, Any]]:
    """The labelled documents of a half."""
    examples = yaml.safe_load((DATA / labels).read_text(encoding="utf-8"))
    return (example for example in examples if example["half"] == half)


def _labelled(kind: str, source: str, target: str) -> tuple[str, str]:
    """A contradiction has no direction."""
    ends = sorted((source, target)) if kind == "contradicts" else [source, target]
    return kind, " ".join(ends)


def _scored(pairs: list[tuple[set[tuple[str, str]], set[tuple[str, str]]]]) -> Scored:
    right, said, there = Counter[str](), Counter[str](), Counter[str]()
    wrong = []
    for found, gold in pairs:
        right.update(kind for kind, _ in found & gold)
        said.update(kind for kind, _ in found)
        there.update(kind for kind, _ in gold)
        wrong += [f"not there: {kind} {what}" for kind, what in sorted(found - gold)]
        wrong += [f"missed: {kind} {what}" for kind, what in sorted(gold - found)]
    kinds = sorted(said.keys() | there.keys())
    return Scored({kind: Tally(right[kind], said[kind], there[kind]) for kind in kinds}, wrong)
