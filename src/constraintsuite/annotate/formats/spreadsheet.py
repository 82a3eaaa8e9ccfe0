"""CSV, for spreadsheets."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.annotate.formats.base import AnnotationSheet
from constraintsuite.annotate.tables import SheetRow, read_table, write_table


class Spreadsheet:
    """One line a row, one column a question, and one for notes."""

    def write(self, file: Path, sheet: AnnotationSheet) -> None:
        """Write the table; no cell is a formula."""
        columns = ("row", *sheet.shown, *(question.id for question in sheet.questions), "note")
        write_table(file, columns, sheet.rows)

    def read(self, file: Path) -> tuple[tuple[str, ...], list[SheetRow]]:
        """Read the table."""
        return read_table(file, ("row",))
