"""What became of every attribute that was looked at: proposed, doubtful or dropped, why, and what would help."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from constraintsuite.suites.recipe import QuerySettings

CONSIDERED = "considered.jsonl"
AttributeOutcome = Literal["proposed", "doubtful", "dropped"]


@dataclass(frozen=True, slots=True)
class ConsideredAttribute:
    """An attribute of a topic with its counts, what became of it, and what would help."""

    topic: str
    y: str
    affirming: int
    """Documents that affirm it."""
    denying: int
    """Documents that deny it."""
    outcome: AttributeOutcome
    reason: str
    """Short name of the reason; empty if it is proposed."""
    help: str
    """What would help, in words; empty if it is proposed."""
    deniable: bool = True
    """Whether texts affirm or deny it; a value such as a price is stated or not."""

    def in_words(self) -> str:
        """One line for people."""
        counts = (
            f"{self.affirming:,} texts affirm, {self.denying:,} deny"
            if self.deniable
            else f"{self.affirming:,} texts state it"
        )
        return f"{self.topic}, {self.y}: {counts}; {self.help or self.outcome}"


def find_shortage(affirming: int, denying: int, settings: QuerySettings) -> tuple[str, str] | None:
    """The reason why counts are too low for an attribute, and what would help; None if they are high enough."""
    if denying < settings.min_denying:
        return "few_denials", (
            f"{settings.min_denying} denials are needed. Silence is no denial: add texts that say that there is none, "
            "or lower queries.min_denying."
        )
    if affirming < settings.min_affirming:
        return "few_affirmations", (
            f"{settings.min_affirming} affirmations are needed: add texts that have it, or lower queries.min_affirming."
        )
    if denying < settings.min_denying_share * (affirming + denying):
        return "rarely_denied", (
            f"denials must be {settings.min_denying_share:.0%} of the texts that mention it: add denials, or lower "
            "queries.min_denying_share."
        )
    return None


NOT_LISTED = (
    "no domain file lists it as something that people leave out of this class, and no text calls itself free of it. "
    "If somebody would ask for it, accept it by hand, or add it to left_out in a domain file."
)
LONGER = "nearly all of these texts mean a longer noun, which is asked instead."
WHOLE_TEXT = (
    "over the whole text too few are clear: some affirm and deny it, or name it in another way. Add clear texts."
)
BAD_WORDING = "its query would be badly worded: {fault}. Reword it by hand in a domain file."


def sort_considered(found: Iterable[ConsideredAttribute]) -> list[ConsideredAttribute]:
    """Those with most denials first: they are nearest to a query."""
    return sorted(found, key=lambda one: (-one.denying, -one.affirming, one.topic, one.y))
