"""One way to write a draft, whatever its two texts were made by."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.records.examples import Edit, Slice
from constraintsuite.suites.pairs.records import Draft
from constraintsuite.suites.queries.records import Proposal


class Version(NamedTuple):
    """A text, and the document that it is or was made from."""

    document: str
    text: str


def make_draft(
    name: Slice,
    proposal: Proposal,
    pos: Version,
    neg: Version,
    *,
    cost: float,
    couple: str = "",
    edit: Edit | None = None,
) -> Draft:
    """A draft of the slice `name` in which `pos` should obey the proposal and `neg` break it."""
    return Draft(
        slice=name,
        proposal=proposal.id,
        relation=proposal.relation,
        split=proposal.split,
        couple=couple,
        pos=pos.document,
        neg=neg.document,
        pos_text=pos.text,
        neg_text=neg.text,
        cost=cost,
        edit=edit,
    )
