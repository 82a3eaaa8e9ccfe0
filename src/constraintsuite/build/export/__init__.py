"""A suite in other people's formats, one file a format."""

from collections.abc import Callable, Sequence
from pathlib import Path

from constraintsuite.catalogue import Catalogue
from constraintsuite.records.examples import Example

Exporter = Callable[[Sequence[Example], Path, str], None]
"""Writes main examples and controls, each control slice apart from the rest, and the card into a folder."""

EXPORTERS: Catalogue[Exporter] = Catalogue(
    "export format",
    {
        "beir": "constraintsuite.build.export.beir:export",
        "nevir": "constraintsuite.build.export.nevir:export",
        "csv": "constraintsuite.build.export.table:export",
        "hf": "constraintsuite.build.export.huggingface:export",
    },
)
