"""The reach of a cue by dependencies, and by word order where the parse says nothing."""

from __future__ import annotations

from constraintsuite.text.linear import LinearReach


class SyntaxReach(LinearReach):
    """Asks the parse at commas, coordinations and for subjects."""
