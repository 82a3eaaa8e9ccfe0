"""What an edge of each kind is worth: how much of what is asked of one unit bears on the other, if the edge is right.

How sure a rule is that the edge is right is its confidence, and no part of this.
"""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.memory.records import EdgeKind

WORTH: Mapping[EdgeKind, float] = {
    "exception_to": 1.0,  # either alone is a wrong answer
    "contradicts": 1.0,  # either alone hides that the other is there
    "depends_on": 0.9,  # what is said holds only with the other, which often answers something else as well
    "part_of": 0.8,  # an item is half a sentence without what announces it; its fellows are another matter
    "refers_to": 0.7,  # somebody points there, and does not say why
    "next": 0.4,  # says where a unit stands, not that the two have to do with each other
}
"""The most telling first. A mention weighs what the unit names it, once or more, and is in no such order."""
