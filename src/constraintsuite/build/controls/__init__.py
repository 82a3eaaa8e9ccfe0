"""Controls of a negation suite: rewordings that must not change a ranking, and negation words that exclude nothing."""

from constraintsuite.build.controls.rewriting import Rewriter
from constraintsuite.catalogue import Catalogue

REWRITERS: Catalogue[Rewriter] = Catalogue(
    "kind of rewriting",
    {
        "word_order": "constraintsuite.build.controls.word_order:rewrite",
        "synonym": "constraintsuite.build.controls.synonym:rewrite",
        "punctuation": "constraintsuite.build.controls.punctuation:rewrite",
        "case": "constraintsuite.build.controls.case:rewrite",
    },
)
"""The scarcest kind first: where two kinds are equally far behind, the first is dealt."""
