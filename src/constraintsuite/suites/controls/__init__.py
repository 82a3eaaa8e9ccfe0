"""Controls: rewritings that must not change a ranking, and negation words that exclude nothing."""

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.suites.controls.rewrites import Rewriter

REWRITERS: Catalogue[Rewriter] = Catalogue(
    "kind of rewriting",
    {
        "word_order": "constraintsuite.suites.controls.word_order:rewrite",
        "synonym": "constraintsuite.suites.controls.synonym:rewrite",
        "punctuation": "constraintsuite.suites.controls.typography:rewrite_punctuation",
        "case": "constraintsuite.suites.controls.typography:rewrite_case",
    },
)
"""Functions that rewrite an example, by kind. Of two kinds that are equally rare so far, the first is used."""
