"""Counts by name as a table."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.core.records.tables import Column, Table


def count_table(name: str, caption: str, counts: Mapping[str, int]) -> Table:
    """Counts as a table with one row per name."""
    return Table(name, caption, (Column(name.replace("_", " ")), Column("count", "count")), tuple(counts.items()))
