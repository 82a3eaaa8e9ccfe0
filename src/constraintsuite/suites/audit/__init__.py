"""Can something win that does not understand? Solvers that see less than they should, and the balance of pairs."""

from constraintsuite.catalogue import Catalogue
from constraintsuite.suites.audit.base import Solver

SOLVERS: Catalogue[Solver] = Catalogue(
    "solver",
    {
        "shorter": "constraintsuite.suites.audit.surface:SHORTER",
        "longer": "constraintsuite.suites.audit.surface:LONGER",
        "fewer_cues": "constraintsuite.suites.audit.surface:FEWER_CUES",
        "more_cues": "constraintsuite.suites.audit.surface:MORE_CUES",
        "fewer_y": "constraintsuite.suites.audit.surface:FEWER_Y",
        "more_y": "constraintsuite.suites.audit.surface:MORE_Y",
        "position_of_y": "constraintsuite.suites.audit.surface:POSITION_OF_Y",
        "bm25_negated": "constraintsuite.suites.audit.lexical:BM25_NEGATED",
        "bm25_affirmative": "constraintsuite.suites.audit.lexical:BM25_AFFIRMATIVE",
        "overlap": "constraintsuite.suites.audit.lexical:OVERLAP",
        "first_id": "constraintsuite.suites.audit.surface:FIRST_ID",
        "edited_side": "constraintsuite.suites.audit.surface:EDITED_SIDE",
    },
)
