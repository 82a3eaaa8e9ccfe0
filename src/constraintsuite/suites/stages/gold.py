"""Stage 9: draws a seeded sample for people to judge: 15 % easy, 35 % medium and 50 % hard examples."""

from __future__ import annotations

from collections import Counter
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
    """Draw at most `size` examples, slices in turn; if a difficulty has too few, the others fill up."""
    shuffled = sorted(examples, key=lambda example: stable_hash("gold", str(seed), example.id))
    ordered = _slices_in_turn(shuffled)
    chosen: list[Example] = []
    for difficulty, share in MIX.items():
        stratum = [example for example in ordered if example.tags.get("difficulty") == difficulty]
        chosen += stratum[: round(share * size)]
    taken = {example.id for example in chosen}
    chosen += [example for example in ordered if example.id not in taken][: size - len(chosen)]
    return sorted(chosen[:size], key=lambda example: example.id)


def _slices_in_turn(examples: Sequence[Example]) -> list[Example]:
    slices = sorted({example.slice for example in examples})
    by_slice = [[example for example in examples if example.slice == name] for name in slices]
    return [example for turn in zip_longest(*by_slice) for example in turn if example is not None]
