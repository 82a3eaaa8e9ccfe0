"""Gold: examples of a suite. Is the query natural, which document satisfies it, are both on topic, is the edit grammatical?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.agreement import clusters_of
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.labels import Label, LabelledItem
from constraintsuite.suites.annotation.records import SIDES, AnnotationItem, AnnotationQuestion
from constraintsuite.suites.annotation.sample_size import CLAIM, ItemsNeeded, items_needed
from constraintsuite.suites.dropped import name_of_texts
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.stages.gold import sample_gold
from constraintsuite.text.terms import TermAnalyser

QUESTIONS = (
    AnnotationQuestion("natural", "Would a person type this query?", "choice", ("no", "awkward", "yes"), ordered=True),
    AnnotationQuestion("satisfies", "Which text does what the query asks?", "choice", (*SIDES, "both", "neither")),
    AnnotationQuestion(
        "on_topic", "Which texts are about what the query is about, leaving its constraint aside?", "choices", SIDES
    ),
    AnnotationQuestion("grammatical", "Which texts read as if a careful person had written them?", "choices", SIDES),
)
GoldVerdict = Literal["keep", "repair", "drop", "open"]
DECOYS = 0.05
"""Decoys beside every hundred examples, as a share."""


@dataclass(frozen=True)
class GoldItems:
    """A sample of a suite's examples, with decoys: the same query with one text of another topic."""

    examples: Sequence[Example]
    seed: int = 0
    decoys: float = DECOYS
    name: str = "gold"
    questions: tuple[AnnotationQuestion, ...] = QUESTIONS

    def items(self) -> Iterator[AnnotationItem]:
        """Examples in the order of their ids, then decoys."""
        for example in self.examples:
            yield _item(example, self.seed)
        yield from _decoys(self.examples, math.ceil(self.decoys * len(self.examples)), self.seed)


def read_suite(folder: Path, size: int, seed: int) -> tuple[GoldItems, str]:
    """A sample of the suite in a folder, 15/35/50 easy, medium and hard, and the name and hash of where it is from."""
    examples, source = unchanged_examples(folder)
    return GoldItems(sample_gold(examples, size, seed), seed), source


def unchanged_examples(folder: Path) -> tuple[list[Example], str]:
    """The examples of a suite as it was built, and its name and hash; a file that was changed since is a UserError."""
    artifact = Artifact.open(folder, "suite")
    if "examples.jsonl" not in artifact.manifest.files:
        raise UserError(f"{folder}: this suite has no pairs to judge.")
    return read_examples(folder), f"{artifact.manifest.name} {artifact.manifest.content}"


def verdict_of(item: AnnotationItem, labelled: LabelledItem) -> tuple[GoldVerdict, str]:
    """What to do with an example, and why: drop what is wrong, repair what is badly worded."""
    waiting = [question for question in labelled.labels if labelled.settled(question) is None]
    if waiting:
        return "open", f"not settled: {', '.join(waiting)}"
    wrong = []
    if labelled.settled("satisfies") != item.hidden["satisfies"]:
        wrong.append("the texts are not as labelled")
    if set(labelled.settled("on_topic") or ()) != set(SIDES):
        wrong.append("a text is off topic")
    if wrong:
        return "drop", "; ".join(wrong)
    worded = []
    if labelled.settled("natural") != "yes":
        worded.append(f"natural: {labelled.settled('natural')}")
    if set(labelled.settled("grammatical") or ()) != set(SIDES):
        worded.append("a text is not grammatical")
    return ("repair", "; ".join(worded)) if worded else ("keep", "")


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """One line of `gold.jsonl`: an example by its id, and what people made of it."""

    id: str
    texts: str
    """Names its query and texts; by this a build knows it again, whatever its id is there."""
    verdict: GoldVerdict
    reason: str
    right: bool | None
    """Whether people find the example's own label right; None where that is not settled."""
    labels: Mapping[str, Label]


@dataclass(frozen=True)
class GoldSummary:
    """What a batch says of its suite."""

    verdicts: Mapping[GoldVerdict, int]
    right: Interval
    """Share of examples whose label is right, of those that are settled."""
    needed: ItemsNeeded


def write_verdicts(batch: AnnotationBatch, labelled: Sequence[LabelledItem], folder: Path) -> list[JudgedExample]:
    """Write `gold.jsonl` with all examples, and `repair.jsonl` and `drop.jsonl` with those to mend or leave out."""
    judged = judge_all(batch, labelled)
    write_jsonl(folder / "gold.jsonl", judged)
    for verdict in ("repair", "drop"):
        write_jsonl(folder / f"{verdict}.jsonl", (one for one in judged if one.verdict == verdict))
    return judged


def judge_all(batch: AnnotationBatch, labelled: Sequence[LabelledItem]) -> list[JudgedExample]:
    """What people made of each example."""
    judged = []
    for one in labelled:
        item = batch.items[one.item]
        verdict, reason = verdict_of(item, one)
        chosen = one.settled("satisfies")
        right = None if chosen is None else chosen == item.hidden["satisfies"]
        judged.append(JudgedExample(one.item, _texts(item), verdict, reason, right, one.labels))
    return judged


def summarise(batch: AnnotationBatch, judged: Sequence[JudgedExample], claim: float = CLAIM) -> GoldSummary:
    """How many to keep, and how sure one may be of the labels; examples of near-duplicate documents are one cluster."""
    counts = Counter(one.verdict for one in judged)
    right = np.array([one.right for one in judged], dtype=np.float64)  # None is NaN
    (figure,) = mean_figures([right], clusters_of([batch.items[one.id] for one in judged]), batch.head.seed)
    return GoldSummary(
        {verdict: counts[verdict] for verdict in get_args(GoldVerdict)}, figure, items_needed(figure, claim)
    )


def _item(example: Example, seed: int) -> AnnotationItem:
    side = SIDES[stable_hash("side", str(seed), example.id) % 2]
    return AnnotationItem(
        example.id,
        fields={"query": example.query},
        sides=_sides(side, example.satisfying.text, example.violating.text),
        groups={
            "slice": example.slice,
            "difficulty": example.tags.get("difficulty", "unknown"),
            "relation": example.relation,
            "domain": example.domain,
        },
        links=example.clusters or (example.couple or example.id,),
        hidden={"satisfies": side},
    )


def _decoys(examples: Sequence[Example], count: int, seed: int) -> Iterator[AnnotationItem]:
    """A query with its satisfying text and a text that shares no word with its topic: only one can be on topic."""
    ordered = sorted(examples, key=lambda example: stable_hash("decoy", str(seed), example.id))
    made = 0
    held = {example.id: _terms(example.violating.text) for example in ordered}
    for example in ordered:
        topic = _terms(f"{example.topic} {example.query}")
        other = next((e for e in reversed(ordered) if not topic & held[e.id]), None)
        if made == count or other is None:
            continue
        made += 1
        own = SIDES[stable_hash("side", str(seed), "decoy", example.id) % 2]
        yield AnnotationItem(
            f"decoy-{stable_hash('decoy', str(seed), example.id):016x}",
            fields={"query": example.query},
            sides=_sides(own, example.satisfying.text, other.violating.text),
            expected={"on_topic": (own,)},
        )


def _texts(item: AnnotationItem) -> str:
    """As a build names the example that an item was made from."""
    assert item.sides is not None
    satisfying, violating = item.sides if item.hidden["satisfies"] == SIDES[0] else reversed(item.sides)
    return name_of_texts(item.fields["query"], satisfying, violating)


def _sides(first_of: str, one: str, other: str) -> tuple[str, str]:
    return (one, other) if first_of == SIDES[0] else (other, one)


def _terms(text: str) -> frozenset[str]:
    return frozenset(TermAnalyser().terms(text))
