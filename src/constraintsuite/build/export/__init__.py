"""A suite in other people's formats, one file a format."""

from constraintsuite.build.export.base import Exporter
from constraintsuite.catalogue import Catalogue

EXPORTERS: Catalogue[Exporter] = Catalogue(
    "export format",
    {
        "beir": "constraintsuite.build.export.beir:export",
        "nevir": "constraintsuite.build.export.nevir:export",
        "csv": "constraintsuite.build.export.table:export",
        "hf": "constraintsuite.build.export.huggingface:export",
    },
)
