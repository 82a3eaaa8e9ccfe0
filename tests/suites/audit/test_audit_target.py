"""The target: at chance, not at chance, or too few examples to tell."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.suites.audit.results import AuditRow, TargetVerdict
from constraintsuite.suites.audit.target import FIRST, count_needed, is_clear_miss, judge_paired, judge_share


@pytest.mark.parametrize(
    ("share", "verdict"),
    [
        (Interval(0.52, 0.47, 0.57, 399), "met"),
        (Interval(0.56, 0.49, 0.63, 399), "met"),
        (Interval(0.56, 0.49, 0.63, 400), "not_met"),  # with 400 the share must lie from 45 to 55 %
        (Interval(0.52, 0.51, 0.53, 2000), "not_met"),
        (Interval(0.40, 0.32, 0.49, 120), "not_met"),  # the opposite choice wins
        (Interval(0.50, 0.39, 0.61, 80), "too_few"),
        (Interval(0.90, 0.70, 1.00, 10), "not_met"),
        (Interval(None, None, None, 0), "undefined"),
    ],
)
def test_a_share_is_at_chance_from_both_sides(share: Interval, verdict: TargetVerdict) -> None:
    assert judge_share(share) == verdict


@pytest.mark.parametrize(
    ("share", "verdict"),
    [
        (Interval(0.2, 0.1, 0.4, 30), "met"),  # it learnt what does not hold elsewhere
        (Interval(0.4, 0.38, 0.42, 900), "met"),
        (Interval(0.6, 0.51, 0.69, 90), "not_met"),
        (Interval(0.5, 0.39, 0.61, 80), "too_few"),
    ],
)
def test_a_classifier_that_was_trained_to_be_right_may_be_below_chance(share: Interval, verdict: TargetVerdict) -> None:
    assert judge_share(share, is_trained=True) == verdict


@pytest.mark.parametrize(
    ("share", "verdict"),
    [
        (Interval(0.0, 0.0, 0.1, 50), "met"),
        (Interval(0.27, 0.22, 0.32, 300), "met"),
        (Interval(0.31, 0.26, 0.36, 300), "not_met"),
        (Interval(0.3, 0.15, 0.45, 30), "too_few"),
        (Interval(None, None, None, 0), "undefined"),
    ],
)
def test_a_paired_accuracy_may_be_below_chance_and_not_above(share: Interval, verdict: TargetVerdict) -> None:
    assert judge_paired(share) == verdict


def _row(accuracy: Interval, paired: Interval | None = None) -> AuditRow:
    verdict = judge_share(accuracy) if paired is None else judge_paired(paired)
    return AuditRow("explicit", "shorter", accuracy, 0.0, verdict, "why" if paired else "", paired, "clusters")


@pytest.mark.parametrize(
    ("row", "tries", "clear"),
    [
        (_row(Interval(0.60, 0.52, 0.68, 150)), 1, True),
        (_row(Interval(0.60, 0.52, 0.68, 150)), 60, False),  # one of sixty is as far off by chance
        (_row(Interval(0.04, 0.01, 0.08, 184)), 60, True),
        (_row(Interval(0.53, 0.52, 0.54, 5000)), 60, False),  # certain, and of no use
        (_row(Interval(0.50, 0.47, 0.53, 900)), 60, False),
        (_row(Interval(0.9, 0.8, 1.0, 90), Interval(0.05, 0.0, 0.1, 90)), 60, False),
        (_row(Interval(0.9, 0.8, 1.0, 90), Interval(0.8, 0.7, 0.9, 90)), 60, True),
    ],
)
def test_a_clear_miss_is_large_and_beyond_what_so_many_tries_give_by_chance(
    row: AuditRow, tries: int, clear: bool
) -> None:
    assert is_clear_miss(row, tries) == clear


@pytest.mark.parametrize(
    ("share", "needed"),
    [
        (Interval(0.5, 0.3, 0.7, 25), 100),  # half of the width takes four times as many
        (Interval(None, None, None, 0), FIRST),
    ],
)
def test_how_many_examples_are_needed_follows_from_the_width(share: Interval, needed: int) -> None:
    assert count_needed(_row(share)) == needed
    assert FIRST == 97
