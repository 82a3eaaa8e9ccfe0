"""Gold: people judge examples of a suite, and so tell which of its labels are right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
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
from constraintsuite.suites.annotation.labels import Label, LabelledItem, write_labels
from constraintsuite.suites.annotation.records import SIDES, AnnotationItem, AnnotationQuestion, ItemSet
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
NAME = "gold"
DECOYS = 0.05
"""Number of decoys, as a share of the examples."""


def sample_suite(folder: Path, size: int, seed: int) -> ItemSet:
    """Draw examples from the suite in a folder, 15/35/50 easy, medium and hard."""
    examples, source = unchanged_examples(folder)
    return gold_items(sample_gold(examples, size, seed), source, seed)


def gold_items(examples: Sequence[Example], source: str, seed: int = 0) -> ItemSet:
    """Examples as items, and decoys: the query of an example with one text of another topic."""
    decoys = _decoys(examples, math.ceil(DECOYS * len(examples)), seed)
    return ItemSet(NAME, source, QUESTIONS, [*(_item(example, seed) for example in examples), *decoys])


def unchanged_examples(folder: Path) -> tuple[list[Example], str]:
    """The examples of a suite, and its name and hash. Raises UserError if a file changed since the suite was built."""
    artifact = Artifact.open(folder, "suite")
    if "examples.jsonl" not in artifact.manifest.files:
        raise UserError(f"{folder}: this suite has no pairs to judge.")
    return read_examples(folder), f"{artifact.manifest.name} {artifact.manifest.content}"


def verdict_of(item: AnnotationItem, labelled: LabelledItem) -> tuple[GoldVerdict, str]:
    """Decide what to do with an example, and why: drop what is wrong, repair what is badly worded."""
    values = {question: labelled.settled(question) for question in labelled.labels}
    if waiting := [question for question, value in values.items() if value is None]:
        return "open", f"not settled: {', '.join(waiting)}"
    wrong = {
        "the texts are not as labelled": values["satisfies"] != item.hidden["satisfies"],
        "a text is off topic": set(values["on_topic"] or ()) != set(SIDES),
    }
    if any(wrong.values()):
        return "drop", "; ".join(fault for fault, found in wrong.items() if found)
    badly_worded = {
        f"natural: {values['natural']}": values["natural"] != "yes",
        "a text is not grammatical": set(values["grammatical"] or ()) != set(SIDES),
    }
    reason = "; ".join(fault for fault, found in badly_worded.items() if found)
    return "repair" if reason else "keep", reason


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """One line of `gold.jsonl`: the id of an example, the verdict on it, and its labels."""

    id: str
    texts: str
    """Hash of its query and texts. By it a build recognises the example, which may have another id there."""
    verdict: GoldVerdict
    reason: str
    right: bool | None
    """Whether people confirm the label of the example; None if that is not settled."""
    labels: Mapping[str, Label]


@dataclass(frozen=True)
class GoldSummary:
    """What a batch tells about its suite."""

    verdicts: Mapping[GoldVerdict, int]
    right: Interval
    """Share of right labels among the settled examples."""
    needed: ItemsNeeded


def write_verdicts(batch: AnnotationBatch, folder: Path, without: Collection[str] = ()) -> list[JudgedExample]:
    """Write labels and events, all examples to `gold.jsonl`, and those to mend to `repair.jsonl` and `drop.jsonl`."""
    judged = judge_examples(batch, write_labels(batch, folder, without))
    write_jsonl(folder / "gold.jsonl", judged)
    for verdict in ("repair", "drop"):
        write_jsonl(folder / f"{verdict}.jsonl", (one for one in judged if one.verdict == verdict))
    return judged


def judge_examples(batch: AnnotationBatch, labelled: Sequence[LabelledItem]) -> list[JudgedExample]:
    """Turn the labels of each example into a verdict on it."""
    judged = []
    for one in labelled:
        item = batch.items[one.item]
        chosen = one.settled("satisfies")
        right = None if chosen is None else chosen == item.hidden["satisfies"]
        judged.append(JudgedExample(one.item, _texts(item), *verdict_of(item, one), right, one.labels))
    return judged


def summarise(batch: AnnotationBatch, judged: Sequence[JudgedExample], claim: float = CLAIM) -> GoldSummary:
    """Count verdicts and estimate the share of right labels; examples of near-duplicate documents are one cluster."""
    counts = Counter(one.verdict for one in judged)
    right = np.array([one.right for one in judged], dtype=np.float64)  # None becomes NaN
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
            "constraint": example.constraint.type if example.constraint else "none",
            "slice": example.slice,
            "difficulty": example.tags.get("difficulty", "unknown"),
            "relation": example.relation,
            "domain": example.domain,
        },
        links=example.clusters or (example.couple or example.id,),
        hidden={"satisfies": side},
    )


def _decoys(examples: Sequence[Example], count: int, seed: int) -> Iterator[AnnotationItem]:
    """Pair a query and its satisfying text with a text that shares no word with the topic: only one is on topic."""
    ordered = sorted(examples, key=lambda example: stable_hash("decoy", str(seed), example.id))
    terms = {example.id: _terms(example.violating.text) for example in ordered}
    made = 0
    for example in ordered:
        topic = _terms(f"{example.topic} {example.query}")
        other = next((other for other in reversed(ordered) if not topic & terms[other.id]), None)
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
    """The name by which a build recognises the example that an item was made from."""
    assert item.sides is not None
    satisfying, violating = item.sides if item.hidden["satisfies"] == SIDES[0] else reversed(item.sides)
    return name_of_texts(item.fields["query"], satisfying, violating)


def _sides(side: str, text: str, other: str) -> tuple[str, str]:
    return (text, other) if side == SIDES[0] else (other, text)


def _terms(text: str) -> frozenset[str]:
    return frozenset(TermAnalyser().terms(text))
