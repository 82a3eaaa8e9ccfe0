"""Other people's test sets as suites, one file a format."""

from constraintsuite.build.importers.base import Importer
from constraintsuite.catalogue import Catalogue

IMPORTERS: Catalogue[Importer] = Catalogue(
    "test set",
    {
        "nevir": "constraintsuite.build.importers.nevir:read",
        "excluir": "constraintsuite.build.importers.excluir:read",
        "negconstraint": "constraintsuite.build.importers.beir:read_negconstraint",
        "beir": "constraintsuite.build.importers.beir:read_beir",
    },
)
