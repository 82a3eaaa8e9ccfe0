"""Comma-separated values, for spreadsheets."""

from __future__ import annotations

import csv
import io

from constraintsuite.core.records.tables import Table, flat

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t")


def csv_table(table: Table) -> str:
    """One line per row; an interval takes four columns: value, low, high, n."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, fields in enumerate(flat(table)):
        if number == 0:
            writer.writerow(fields)
        writer.writerow([_safe(value) for value in fields.values()])
    if not table.rows:
        writer.writerow([column.title for column in table.columns])
    return text.getvalue()


def _safe(value: str | float | None) -> str | float | None:
    """Put an apostrophe, which spreadsheets hide, before a text that they would run as a formula; unify line ends."""
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(_STARTS_A_FORMULA) else text
