"""Imports public test sets as suites, one file per format."""

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.suites.importers.base import Importer

IMPORTERS: Catalogue[Importer] = Catalogue(
    "test set",
    {
        "guide": "constraintsuite.suites.importers.guide:read",
        "nevir": "constraintsuite.suites.importers.nevir:read",
        "excluir": "constraintsuite.suites.importers.excluir:read",
        "negconstraint": "constraintsuite.suites.importers.beir:read_negconstraint",
        "beir": "constraintsuite.suites.importers.beir:read_beir",
        "boolquestions": "constraintsuite.suites.importers.boolquestions:read",
        "followir": "constraintsuite.suites.importers.followir:read",
        "quest": "constraintsuite.suites.importers.quest:read",
        "triples": "constraintsuite.suites.importers.triples:read",
    },
)
