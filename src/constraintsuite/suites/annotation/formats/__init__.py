"""File formats of sheets: one file per format, and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.suites.annotation.formats.base import SheetFormat

_HERE = "constraintsuite.suites.annotation.formats"
FORMATS: Catalogue[SheetFormat] = Catalogue(
    "sheet format",
    {
        "csv": f"{_HERE}.base:CSV",
        "label-studio": f"{_HERE}.labelstudio:LABEL_STUDIO",
        "argilla": f"{_HERE}.argilla:ARGILLA",
    },
)
