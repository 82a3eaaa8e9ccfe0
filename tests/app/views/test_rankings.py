"""The measures of a ranking as a table: numbers for programs, units for people."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.app.views.rankings import group_table, measure_table
from constraintsuite.core.records.scores import Interval
from constraintsuite.experiments.ranking.summary import RankingSummary


def table_rows(**measures: Interval) -> tuple[list[dict[str, object]], list[str]]:
    """The rows of these measures as records, and as the words of each line of text."""
    summary = RankingSummary("suite", "bm25", None, 9, 9, 20, 20, "queries", 0, 9, measures)
    table = measure_table(summary)
    return table.to_records(), [" ".join(line.split()) for line in str(table).splitlines()]


def test_programs_get_fractions_and_people_per_cent() -> None:
    records, lines = table_rows(RR=Interval(0.5, 0.25, 0.75, 20), first_violation=Interval(3.0, 1.0, 7.0, 20))
    assert records[0] == {"measure": "RR", "value": 0.5, "low": 0.25, "high": 0.75, "n": 20}
    assert "RR 50.0 % 25.0 % 75.0 % 20" in lines
    assert "first_violation 3 1 7 20" in lines


def test_only_a_median_is_deeper_than_what_was_looked_at() -> None:
    undefined, deep = Interval(None, None, None, 0), Interval(None, 4.0, None, 20)
    records, lines = table_rows(RR=undefined, first_violation=deep)
    assert records[0]["value"] is None
    assert records[1] == {"measure": "first_violation", "value": "deeper", "low": 4.0, "high": "deeper", "n": 20}
    assert "first_violation deeper 4 deeper 20" in lines
    alone, _ = table_rows(first_violation=Interval(2.0, None, None, 5))  # too few clusters for an interval
    assert alone[0] == {"measure": "first_violation", "value": 2.0, "low": None, "high": None, "n": 5}


def test_a_grouping_has_a_row_for_each_group() -> None:
    figure = Interval(0.5, 0.25, 0.75, 20)
    one = RankingSummary("suite", "bm25", None, 9, 9, 20, 20, "queries", 0, 9, {"violation@10": figure})
    both = replace(one, by={"constraint": {kind: {"violation@10": figure} for kind in ("exclude", "time")}})
    table = group_table(both, "constraint")
    assert [row[0] for row in table.rows] == ["exclude", "time"]
    assert table.columns[1].title == "violation@10"
