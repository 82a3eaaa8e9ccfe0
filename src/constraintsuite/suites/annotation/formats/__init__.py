"""What a sheet is written as, and read from: one file a format, one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.suites.annotation.formats.base import SheetFormat

_HERE = "constraintsuite.suites.annotation.formats"
FORMATS: Catalogue[type[SheetFormat]] = Catalogue(
    "sheet format",
    {
        "csv": f"{_HERE}.base:Spreadsheet",
        "label-studio": f"{_HERE}.labelstudio:LabelStudio",
        "argilla": f"{_HERE}.argilla:Argilla",
    },
)
