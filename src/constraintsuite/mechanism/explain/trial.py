"""How fast the machine at hand runs a model: a trial of about a second, for a dry run to speak of time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.patching.blocks import make_block
from constraintsuite.mechanism.patching.memory import Budget
from constraintsuite.mechanism.subject import Subject
from constraintsuite.models.torch.device import inference

SECONDS = 1.0
_MOST = 8  # contrasts, from the shortest to the longest


def passes_a_second(subject: Subject, contrasts: Sequence[TokenContrast], budget: Budget) -> float:
    """Forward passes of one row, in batches as large as those of the work."""
    block = make_block(subject, _sample(contrasts))
    inputs = block.inputs["clean"]
    copies = max(1, budget.stacked // inputs["input_ids"].numel())
    stacked = {name: rows.repeat(copies, 1) for name, rows in inputs.items()}

    def run() -> int:
        subject.scores(stacked).cpu()  # which waits for a device
        return len(stacked["input_ids"])

    with inference():
        return done_a_second(run)


def done_a_second(run: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> float:
    """How much is done in a second by `run`, which says how much it did; the first time also sets things up, and is not counted."""
    run()
    start, done = clock(), 0
    while not done or clock() - start < SECONDS:
        done += run()
    return done / (clock() - start)


def _sample(contrasts: Sequence[TokenContrast]) -> list[TokenContrast]:
    order = sorted(contrasts, key=lambda one: (one.longest, one.contrast.id))
    step = max(1, len(order) // _MOST)
    return order[step // 2 :: step][:_MOST]
