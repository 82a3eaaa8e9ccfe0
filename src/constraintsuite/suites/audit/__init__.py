"""Can something win that does not understand? Solvers that see less than they should, and the balance of pairs."""

from constraintsuite.catalogue import Catalogue
from constraintsuite.suites.audit.solvers import Solver

SOLVERS: Catalogue[Solver] = Catalogue(
    "solver",
    {
        "shorter": "constraintsuite.suites.audit.solvers:SHORTER",
        "longer": "constraintsuite.suites.audit.solvers:LONGER",
        "bm25_query": "constraintsuite.suites.audit.solvers:BM25_QUERY",
        "bm25_opposite": "constraintsuite.suites.audit.solvers:BM25_OPPOSITE",
        "overlap": "constraintsuite.suites.audit.solvers:OVERLAP",
        "first_id": "constraintsuite.suites.audit.solvers:FIRST_ID",
        "edited_side": "constraintsuite.suites.audit.solvers:EDITED_SIDE",
    },
)
"""Those of every suite; constraint types add their own."""
