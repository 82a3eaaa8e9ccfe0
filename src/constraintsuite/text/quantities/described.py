"""What a quantity measures, and of which thing."""

from __future__ import annotations

from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.scan import Pieces


def describe(pieces: Pieces, draft: Draft) -> tuple[str, str, str]:
    """The dimension, what is measured, and the thing; each from the words of the sentence."""
    return draft.dimension, "", ""
