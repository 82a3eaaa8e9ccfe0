"""What another wording of the same question costs, on outcomes written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from constraintsuite.memory.results import ItemResult
from constraintsuite.memory.runs.effects import rewordings_of
from constraintsuite.memory.runs.table import MemoryTable
from memory.runs.made_outcomes import outcome


def wordings(marks: str, n: int) -> list[ItemResult]:
    return [outcome(f"tiny/{case}#{k}", {"pass": float(mark)}) for case in range(n) for k, mark in enumerate(marks)]


def renamed(row: ItemResult) -> ItemResult:
    """The same of another case."""
    return replace(row, item=f"x{row.item}", cluster=f"x{row.cluster}")


@pytest.mark.parametrize(
    ("rows", "value", "passed"),
    [
        (wordings("1111", 2), 0.0, False),  # two cases that agree rule out nothing
        (wordings("1111", 34), 0.0, False),
        (wordings("1111", 35), 0.0, True),
        (wordings("1000", 20), -1.0, False),
        (wordings("1111", 10) + [renamed(row) for row in wordings("1000", 10)], -0.5, False),
        (wordings("0111", 20), 1.0, False),  # nor does a gain in few
        (wordings("0111", 40), 1.0, True),
    ],
)
def test_paraphrases_against_the_original(rows: list[ItemResult], value: float, passed: bool) -> None:
    (found,) = rewordings_of(MemoryTable("tiny", rows))
    assert (found.difference.value, found.passed) == (value, passed)


def test_agreement_in_few_cases_has_a_wide_interval() -> None:
    (found,) = rewordings_of(MemoryTable("tiny", wordings("1111", 2)))
    assert (found.difference.low, found.difference.high) == pytest.approx((-0.6576, 0.6576), abs=1e-4)


def test_cases_that_fail_in_every_wording_do_not_hide_a_loss() -> None:
    hopeless = [renamed(row) for row in wordings("0000", 30)]
    (found,) = rewordings_of(MemoryTable("tiny", [*wordings("1100", 10), *hopeless]))
    assert (found.difference.value, found.solvable.value) == pytest.approx((-1 / 6, -2 / 3))
    assert (found.difference.n, found.solvable.n) == (40, 10)


def test_where_no_case_passes_in_any_wording_nothing_is_said_of_those_that_do() -> None:
    (found,) = rewordings_of(MemoryTable("tiny", wordings("0000", 20)))
    assert (found.solvable.value, found.solvable.n) == (None, 0)


def test_a_case_without_paraphrases_or_with_an_undefined_wording_says_nothing_about_rewording() -> None:
    undefined = [outcome("tiny/b#0", {"pass": 1.0}), outcome("tiny/b#1", {"pass": None})]
    assert rewordings_of(MemoryTable("tiny", [outcome("tiny/a#0", {"pass": 1.0}), *undefined])) == []


def test_a_benchmark_without_wordings_says_nothing_about_rewording() -> None:
    row = replace(outcome("tiny/a", {"recall@5": 1.0}), groups={"type": "bridge"})
    assert rewordings_of(MemoryTable("hotpotqa", [row])) == []
