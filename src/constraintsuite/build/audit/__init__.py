"""Can something win that does not understand? Solvers that see less than they should, and the balance of pairs."""

from constraintsuite.build.audit.base import Solver
from constraintsuite.catalogue import Catalogue

SOLVERS: Catalogue[Solver] = Catalogue(
    "solver",
    {
        "shorter": "constraintsuite.build.audit.surface:SHORTER",
        "longer": "constraintsuite.build.audit.surface:LONGER",
        "fewer_cues": "constraintsuite.build.audit.surface:FEWER_CUES",
        "more_cues": "constraintsuite.build.audit.surface:MORE_CUES",
        "fewer_y": "constraintsuite.build.audit.surface:FEWER_Y",
        "more_y": "constraintsuite.build.audit.surface:MORE_Y",
        "position_of_y": "constraintsuite.build.audit.surface:POSITION_OF_Y",
        "bm25_negated": "constraintsuite.build.audit.lexical:BM25_NEGATED",
        "bm25_affirmative": "constraintsuite.build.audit.lexical:BM25_AFFIRMATIVE",
        "overlap": "constraintsuite.build.audit.lexical:OVERLAP",
        "first_id": "constraintsuite.build.audit.surface:FIRST_ID",
        "edited_side": "constraintsuite.build.audit.surface:EDITED_SIDE",
    },
)
