"""What drift warns of, and how wide its tables are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from constraintsuite.app.views.mechanism.drift_sections import remarks_of
from constraintsuite.core.records.formats.text import text_parts
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.mechanism.drift.records import CheckpointDrift, CheckpointStep, Margins

ABOVE, AROUND, BELOW = Interval(0.5, 0.2, 0.8, 40), Interval(0.1, -0.1, 0.3, 40), Interval(-0.5, -0.8, -0.2, 40)
UNKNOWN = Interval(0.5, None, None, 2)


def drift(*margins: tuple[Interval, Interval]) -> CheckpointDrift:
    """Of checkpoints a, b, …, each by its clean margin and what separates it from the corrupt one."""
    labels = tuple("abc"[: len(margins)])
    found = tuple(
        Margins(label, clean, AROUND, difference, ABOVE)
        for label, (clean, difference) in zip(labels, margins, strict=True)
    )
    inside = replace(CheckpointStep((), (), (), ()), margins=found)
    return CheckpointDrift(labels, ("s",), ("test",), ("query",), 40, 40, 0, 3, 3, 4, {}, (), {}, (), inside)


@pytest.mark.parametrize(
    ("clean", "difference", "words"),
    [
        (ABOVE, ABOVE, ""),
        (
            ABOVE,
            AROUND,
            "b does not surely tell clean from corrupt runs: its clean margin minus its corrupt margin is 0.1 [−0.1 to 0.3]",
        ),
        (ABOVE, BELOW, "b does not surely tell clean from corrupt runs"),
        (
            ABOVE,
            UNKNOWN,
            "b does not surely tell clean from corrupt runs: its clean margin minus its corrupt margin is 0.5, from too few",
        ),
        (AROUND, ABOVE, "b may not be able to do the task: its clean margin, 0.1 [−0.1 to 0.3], is not surely above 0"),
    ],
)
def test_a_checkpoint_that_cannot_do_it_is_told(clean: Interval, difference: Interval, words: str) -> None:
    remarks = list(remarks_of(drift((ABOVE, ABOVE), (clean, difference), (ABOVE, ABOVE))))
    assert len(remarks) == bool(words)
    assert "".join(remarks).startswith(words)
    assert "start with" not in "".join(remarks)


def test_of_the_first_it_is_told_that_all_others_are_held_against_it() -> None:
    (remark,) = remarks_of(drift((AROUND, ABOVE), (ABOVE, ABOVE), (ABOVE, ABOVE)))
    assert remark.endswith("All others are compared with it: start with a checkpoint that can do the task.")


def test_a_wide_table_is_told_in_parts() -> None:
    columns = (Column("name"), *(Column(f"column {n}", "number") for n in range(7)))
    table = Table("wide", "What it is. " * 20, columns, (("a name", *[ABOVE] * 7),))
    parts = list(text_parts(table))
    assert len(parts) > 1
    assert all(len(line) <= 100 for part in parts for line in part.splitlines())
    assert all("a name" in part for part in parts)
    shown = [f"column {n}" for part in parts for n in range(7) if f"column {n}" in part]
    assert shown == [f"column {n}" for n in range(7)]
