"""Stage 8: makes controls from the main examples."""

from __future__ import annotations

from collections import Counter

from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.controls.adversarial import make_adversarial
from constraintsuite.suites.controls.distracted import make_distracted
from constraintsuite.suites.controls.nonflip import make_nonflip
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.recipe import Recipe


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `controls.jsonl`: the controls of the tagged examples."""
    examples = read_examples(job.inputs["tagged"])
    sizes, seed = job.recipe.sizes, job.recipe.seed
    controls = [
        *make_nonflip(examples, count=sizes.nonflip, seed=seed),
        *make_adversarial(examples, count=sizes.adversarial, seed=seed),
        *make_distracted(examples, count=sizes.adversarial, seed=seed),
    ]
    write_jsonl(job.out / "controls.jsonl", controls)
    kinds = Counter(f"{c.slice} ({c.control.kind})" for c in controls if c.control)
    return WorkCounts({"controls": len(controls), **dict(sorted(kinds.items()))})
