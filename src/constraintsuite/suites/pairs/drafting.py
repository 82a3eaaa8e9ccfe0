"""One way to write a draft, whatever its two texts were made by."""

from __future__ import annotations

from constraintsuite.suites.pairs.records import DraftDocument, PairDraft
from constraintsuite.suites.queries.records import Proposal


def make_draft(
    name: str,
    proposal: Proposal,
    satisfying: DraftDocument,
    violating: DraftDocument,
    *,
    cost: float,
    couple: str = "",
) -> PairDraft:
    """A draft of the slice `name` for one proposal."""
    return PairDraft(name, proposal.id, proposal.relation, proposal.split, couple, satisfying, violating, cost)
