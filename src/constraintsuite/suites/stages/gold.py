"""Stage 9: draws a seeded sample for people to judge: slices in turn, 15 % easy, 35 % medium and 50 % hard examples."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import zip_longest

from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.recipe import Recipe

MIX = {"easy": 0.15, "medium": 0.35, "hard": 0.5}


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `gold.jsonl`: the examples that people should judge."""
    sample = sample_gold(read_examples(job.inputs["tagged"]), job.recipe.sizes.gold, job.recipe.seed)
    write_jsonl(job.out / "gold.jsonl", sample)
    return WorkCounts({"gold": len(sample), **dict(sorted(Counter(e.slice for e in sample).items()))})


def sample_gold(examples: Sequence[Example], size: int, seed: int) -> list[Example]:
    """Draw at most `size` examples, as many of each slice as there are; within a slice the difficulties have their shares.

    A slice may lack a difficulty (only Omission has hard examples), and the others fill up.
    """
    slices: dict[str, list[Example]] = defaultdict(list)
    for example in sorted(examples, key=lambda example: stable_hash("gold", str(seed), example.id)):
        slices[example.slice].append(example)
    turns = zip_longest(*(_in_proportion(slices[name]) for name in sorted(slices)))
    ordered = [example for turn in turns for example in turn if example is not None]
    return sorted(ordered[:size], key=lambda example: example.id)


def _in_proportion(examples: Sequence[Example]) -> list[Example]:
    """The examples in an order in which every beginning has the shares of `MIX`, as long as there are enough of each."""
    drawn: Counter[str] = Counter()
    places: dict[str, float] = {}
    for example in examples:
        difficulty = example.tags.get("difficulty", "")
        places[example.id] = (drawn[difficulty] + 0.5) / MIX[difficulty] if difficulty in MIX else math.inf
        drawn[difficulty] += 1
    return sorted(examples, key=lambda example: places[example.id])
