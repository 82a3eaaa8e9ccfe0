"""What a person may put into other words in a proposal, by the same rules on a page and in a sheet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from constraintsuite.annotate.kinds.query_rules import tidy
from constraintsuite.annotate.records import AnnotationItem, EventDraft
from constraintsuite.errors import UserError
from constraintsuite.text.choice import get_analyser

NAME = "proposals"
"""Of the kind."""
WORDS = ("topic", "value", "query", "opposite")
"""What may be reworded; an empty answer leaves it as it was proposed."""
LONGEST = 300
"""Characters of each."""
VERDICTS = ("accept", "reject")


def question_of(word: str) -> str:
    """The question that takes better words."""
    return f"{word}_reworded"


def read_verdict(
    mined: Mapping[str, str], before: Mapping[str, str], verdict: str, words: Mapping[str, str]
) -> dict[str, str]:
    """The answers that a verdict and, with an acceptance, the words come to; what cannot be kept is a UserError.

    `mined` are the words as they were proposed, `before` as they stand now.
    """
    if verdict not in VERDICTS:
        raise UserError(f"{verdict!r}: a verdict is accept or reject.")
    return {"verdict": verdict} | (_rewordings(mined, before, words) if verdict == "accept" else {})


def settle_row(item: AnnotationItem, before: Mapping[str, str], drafts: list[EventDraft]) -> list[EventDraft]:
    """The answers of one row of a sheet as a page would keep them; `before` is what the person said by question until then.

    What cannot be kept is a UserError: words of a rejection too, since nobody would ever read them.
    """
    said = {draft.question: str(draft.value) for draft in drafts}
    words = {name: said[question_of(name)] for name in WORDS if question_of(name) in said}
    verdict = said.get("verdict", before.get("verdict", ""))
    if words and verdict == "reject":
        raise UserError("rejected, but in other words. Accept it in these words, or leave them empty.")
    if not words:
        return drafts
    mined = {name: item.fields[name] for name in WORDS}
    now = {name: before.get(question_of(name), "") or mined[name] for name in WORDS}
    new = _rewordings(mined, now, words)
    first = drafts[0]
    kept = [draft for draft in drafts if draft.question == "verdict"]
    return kept + [
        EventDraft(first.annotator, first.item, question, text, first.copy, first.note)
        for question, text in new.items()
        if text or question in before
    ]


def _rewordings(mined: Mapping[str, str], before: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    """What was put into other words; what stays as it was proposed is an empty answer.

    Where a topic or a value is reworded and a query is not, the query follows.
    """
    given = {name: tidy(words.get(name, before[name])) for name in WORDS}
    for query in ("query", "opposite"):
        if given[query] == before[query]:
            given[query] = _follow(given[query], {before[name]: given[name] for name in ("topic", "value")})
    empty = [name for name, text in given.items() if not any(map(str.isalnum, text))]
    if empty:
        raise UserError(f"{', '.join(empty)} must hold a word.")
    long = [name for name, text in given.items() if len(text) > LONGEST]
    if long:
        raise UserError(f"{', '.join(long)}: at most {LONGEST} characters.")
    if given["opposite"].casefold() == given["query"].casefold():
        raise UserError(f"The query and its opposite are the same; the query must leave {given['value']!r} out.")
    if find_cue(mined["query"]) and not find_cue(given["query"]):
        raise UserError(
            f"{given['query']!r} does not negate: no word in it is known to leave {given['value']!r} out. Use one such as without, "
            "no, not, lacking, excluding, free of."
        )
    return {question_of(name): "" if text == mined[name] else text for name, text in given.items()}


@lru_cache(maxsize=4_096)
def find_cue(query: str) -> str:
    """The first word that negates; empty if there is none that the rules know."""
    (read,) = get_analyser("rules").analyse([query])
    return next((query[scope.cue_start : scope.cue_end] for scope in read.scopes if scope.kind != "affirmed"), "")


def _follow(query: str, words: Mapping[str, str]) -> str:
    """A query with some whole words exchanged, all at once."""
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.sub(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", lambda found: words[found[0]], query)
