"""The guide's tags: overlap, length, who mentions Y, and a rule of thumb for difficulty."""

from __future__ import annotations

from typing import Literal

from constraintsuite.records.examples import Tags
from constraintsuite.suites.pairs.records import Kept
from constraintsuite.suites.recipe import TagSettings
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import words


def make_tags(kept: Kept, settings: TagSettings) -> Tags:
    """The tags of one kept pair."""
    draft = kept.draft
    overlap = jaccard(set(words(draft.pos_text)), set(words(draft.neg_text)))
    mean_words = (len(words(draft.pos_text)) + len(words(draft.neg_text))) / 2
    pos_mentions = any(one.document == "pos" for one in kept.evidence)
    return Tags(
        difficulty=_difficulty(overlap_bin(overlap, settings), pos_mentions=pos_mentions),
        doc_pos_mentions_y=pos_mentions,
        doc_neg_mentions_y=any(one.document == "neg" for one in kept.evidence),
        y_negated_in_doc_pos=pos_mentions,
        lexical_overlap_bin=overlap_bin(overlap, settings),
        doc_length_bin=length_bin(mean_words, settings),
        negation_explicitness="explicit" if pos_mentions else "implicit",
        edited=draft.edit is not None,
        cues_in_doc_pos=kept.cues_pos,
        cues_in_doc_neg=kept.cues_neg,
        jaccard=round(overlap, 4),
    )


def overlap_bin(jaccard_index: float, settings: TagSettings) -> Literal["low", "medium", "high"]:
    """How many of their distinct words two texts share."""
    low, high = settings.overlap_bins
    return "low" if jaccard_index < low else "medium" if jaccard_index < high else "high"


def length_bin(mean_words: float, settings: TagSettings) -> Literal["short", "medium", "long"]:
    """How long two texts are in the mean."""
    short, long = settings.length_bins
    return "short" if mean_words < short else "medium" if mean_words < long else "long"


def _difficulty(overlap: str, *, pos_mentions: bool) -> Literal["easy", "medium", "hard"]:
    """The guide's rule, kept as a tag only: nothing in a build depends on it but the mix of the gold sample."""
    if overlap == "high":
        return "hard"
    if overlap == "low" and not pos_mentions:
        return "easy"
    return "medium"
