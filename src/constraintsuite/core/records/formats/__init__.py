"""The formats in which a table can be written: one file per format, and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.core.records.tables import Table

    Format = Callable[[Table], str]

FORMATS: Catalogue[Format] = Catalogue(
    "format",
    {
        "csv": "constraintsuite.core.records.formats.csv:csv_table",
        "html": "constraintsuite.core.records.formats.html:html_table",
        "json": "constraintsuite.core.records.formats.json:json_table",
        "latex": "constraintsuite.core.records.formats.latex:latex_table",
        "markdown": "constraintsuite.core.records.formats.markdown:markdown_table",
        "text": "constraintsuite.core.records.formats.text:text_table",
    },
)
EXPORTED: Mapping[str, str] = {"csv": "csv", "json": "json", "markdown": "md", "latex": "tex"}
"""The formats in which reports write their tables to files, with the endings of the file names."""
