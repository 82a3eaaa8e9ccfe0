"""Can something win that does not understand? Solvers that see less than they should, and the balance of pairs."""

from constraintsuite.catalogue import Catalogue
from constraintsuite.suites.audit.base import Solver

SOLVERS: Catalogue[Solver] = Catalogue(
    "solver",
    {
        "shorter": "constraintsuite.suites.audit.surface:SHORTER",
        "longer": "constraintsuite.suites.audit.surface:LONGER",
        "bm25_query": "constraintsuite.suites.audit.lexical:BM25_QUERY",
        "bm25_opposite": "constraintsuite.suites.audit.lexical:BM25_OPPOSITE",
        "overlap": "constraintsuite.suites.audit.lexical:OVERLAP",
        "first_id": "constraintsuite.suites.audit.surface:FIRST_ID",
        "edited_side": "constraintsuite.suites.audit.surface:EDITED_SIDE",
    },
)
"""Those of every suite; constraint types add their own."""
