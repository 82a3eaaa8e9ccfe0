"""Controls: rewritings that must not change a ranking, and negation words that exclude nothing."""

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.suites.controls.own import OwnControls
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
OWN_CONTROLS: Catalogue[OwnControls] = Catalogue(
    "constraint type with controls of its own",
    {
        "number": "constraintsuite.suites.constraints.number_controls:CONTROLS",
        "time": "constraintsuite.suites.constraints.time_controls:CONTROLS",
        "place": "constraintsuite.suites.constraints.place_controls:CONTROLS",
        "one_of": "constraintsuite.suites.constraints.one_of_controls:CONTROLS",
    },
)
"""What a constraint type adds to the kinds above; a type that is not here has those alone."""


def load_rewriters(constraint_type: str) -> dict[str, Rewriter]:
    """The rewriters for a constraint type by kind: its own, then those of every type."""
    own = OWN_CONTROLS.load(constraint_type).rewriters if constraint_type in OWN_CONTROLS.names() else {}
    return {**own, **{kind: REWRITERS.load(kind) for kind in REWRITERS.names()}}
