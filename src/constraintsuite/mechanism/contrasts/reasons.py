"""Why contrasts are left out, in words."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.execution.spread import UNWORKABLE
from constraintsuite.mechanism.contrasts.halves import TORN

WORDS: Mapping[str, str] = {
    "twin_states_no_preference": "it has no opposite query that prefers the other text",
    "y_not_in_query": "the query does not name what it leaves out",
    "no_twin_query": "there is no other query to compare it with",
    "cue_not_found": "the negation is not found in the text",
    "texts_far_apart": "its two texts are more than one edit apart",
    "original_missing": "the example that the control was made of is not there",
    "both_sides_changed": "query and texts differ both",
    "negation_in_text": "a text negates what it lacks",
    "other_wording": "the two queries differ in more than the thing asked for",
    "repeated": "another one asks the same",
    "shares_a_document": "it shares a document with another that is asked",
    TORN: "its documents fell to both halves",
    "too_long": "the model cuts off what is marked",
    "same_tokens": "clean and corrupt are the same tokens to the model",
    UNWORKABLE: "the model breaks at it",
    "no_other_y": "no other of its template and half is about another Y",
}


def in_words(reason: str) -> str:
    """A reason as manifests count it, `query: same_tokens` or without a kind, as a person reads it."""
    kind, colon, code = reason.rpartition(": ")
    return f"{kind}{colon}{WORDS.get(code, code)}"
