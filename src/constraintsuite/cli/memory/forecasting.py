"""What a run of structured cases would do, before it does it."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from constraintsuite.cli.output import emit

if TYPE_CHECKING:
    from constraintsuite.memory.cases.grounding import Grounded


def tell_forecast(
    datasets: Sequence[Grounded], modes: Sequence[str], budgets: Sequence[int], repeats: int, as_json: bool
) -> None:
    """Print the modes, the cases, and how many searches they come to."""
    from constraintsuite.memory.runs.replay import CONTROLS, MOST_CASES, WALKING

    cases = {data.dataset.dataset_id: len(data.dataset.cases) for data in datasets}
    wordings = sum(len(case.phrasings) for data in datasets for case in data.dataset.cases)
    walks = sum(min(count, MOST_CASES) for count in cases.values()) * sum(mode in WALKING for mode in modes)
    record = {
        "cases": cases,
        "wordings": wordings,
        "modes": list(modes),
        "budgets": list(budgets),
        "searches": wordings * len(modes) * len(budgets),
        "repeats": repeats,
        "replayed": walks * len(budgets) * (2 + CONTROLS),
    }
    lines = [
        *(f"{count:>6} cases of {name}" for name, count in cases.items()),
        f"{wordings:>6} wordings, {len(modes)} modes, {len(budgets)} budgets: {record['searches']:,} searches",
        f"{repeats:>6} more passes for warm times; about {record['replayed']:,} searches to replay walks",
        f"       modes: {', '.join(modes)}",
    ]
    emit(record, as_json, lines)
