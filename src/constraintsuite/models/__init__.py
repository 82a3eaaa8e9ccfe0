"""What gives a score to a query and a text: one file a model, one line here."""

from constraintsuite.catalogue import Catalogue
from constraintsuite.models.base import ScorerFactory

SCORERS: Catalogue[ScorerFactory] = Catalogue(
    "model",
    {
        "bm25": "constraintsuite.models.bm25:make_bm25",
        "random": "constraintsuite.models.chance:make_random",
        "tfidf": "constraintsuite.models.tfidf:make_tfidf",
    },
)
