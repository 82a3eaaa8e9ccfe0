"""What a sheet is written as, and read from: one file a format, one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.annotate.formats.base import SheetFormat

_HERE = "constraintsuite.annotate.formats"
FORMATS: Catalogue[type[SheetFormat]] = Catalogue(
    "sheet format",
    {
        "csv": f"{_HERE}.base:Spreadsheet",
        "label-studio": f"{_HERE}.labelstudio:LabelStudio",
        "argilla": f"{_HERE}.argilla:Argilla",
    },
)
