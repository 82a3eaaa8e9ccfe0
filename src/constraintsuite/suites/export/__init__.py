"""Exports a suite to other formats, one file per format."""

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.suites.export.base import SuiteExporter

EXPORTERS: Catalogue[SuiteExporter] = Catalogue(
    "export format",
    {
        "guide": "constraintsuite.suites.export.guide:export",
        "beir": "constraintsuite.suites.export.beir:export",
        "nevir": "constraintsuite.suites.export.nevir:export",
        "csv": "constraintsuite.suites.export.table:export",
        "hf": "constraintsuite.suites.export.huggingface:export",
    },
)
