"""Models that score a query and a text: one file per family, and one line in `SCORERS`."""

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.models.base import ScorerFactory

SCORERS: Catalogue[ScorerFactory] = Catalogue(
    "model",
    {
        "bm25": "constraintsuite.models.lexical:make_bm25",
        "colbert": "constraintsuite.models.torch.colbert:make_colbert",
        "cross": "constraintsuite.models.cross:make_cross",
        "dense": "constraintsuite.models.dense:make_dense",
        "dpr": "constraintsuite.models.torch.dpr:make_dpr",
        "http": "constraintsuite.models.http.rerank:make_http",
        "listwise": "constraintsuite.models.http.listwise:make_listwise",
        "monot5": "constraintsuite.models.torch.monot5:make_monot5",
        "python": "constraintsuite.models.callable:make_python",
        "random": "constraintsuite.models.chance:make_random",
        "splade": "constraintsuite.models.torch.splade:make_splade",
        "tfidf": "constraintsuite.models.lexical:make_tfidf",
    },
)
