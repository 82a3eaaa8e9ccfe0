"""For a query that names no Y: nouns that split its relevant documents, ranked for a person to accept, reject or reword.

Rules that work on encyclopedic text do not on the web, so nothing here is built unasked. What helps there, in this order:
one filler a passage (the rival does not occur in it), the two fillers being of one kind, and the passage being about it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from constraintsuite.core.records.examples import Split
from constraintsuite.core.records.text import Document, Query
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import SLOT, Proposal, Snippet
from constraintsuite.suites.queries.topics import query_words
from constraintsuite.suites.queries.wording import MinedValue, QueryWording, make_proposal, refuse
from constraintsuite.suites.reading.records import ScopesRead
from constraintsuite.text.inflection import get_all_lemmas
from constraintsuite.text.mentions import find_forms, surface_forms
from constraintsuite.text.polarity import judge_document, judge_mentions
from constraintsuite.text.terms import stopwords, words

MAX_PER_QUERY = 12
MIN_LENGTH = 4
UNASKED = "The query names nothing to leave out; a person must say whether this can be."


def propose_slots(
    query: Query,
    relevant: Sequence[str],
    documents: Mapping[str, Document],
    scopes: Mapping[str, ScopesRead],
    splits: Mapping[str, Split],
) -> Iterator[Proposal]:
    """The nouns that part the relevant documents most clearly."""
    about: dict[str, set[str]] = defaultdict(set)
    holds: dict[str, set[str]] = defaultdict(set)
    for document in relevant:
        for word, central in _candidates(documents[document], query.text).items():
            holds[word].add(document)
            if central:
                about[word].add(document)
    ranked = sorted(about, key=lambda word: (-_score(word, about, holds, len(relevant)), word))
    for word in ranked[:MAX_PER_QUERY]:
        score = _score(word, about, holds, len(relevant))
        if score <= 0:
            return
        proposal = _propose(query, word, score, about[word], relevant, documents, scopes, splits)
        if proposal is not None:
            yield proposal


def _candidates(document: Document, query: str) -> dict[str, bool]:
    """Words of a passage that could be left out, and whether the passage is about each (first sentence, or said twice)."""
    text = document.text
    first = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0].lower()
    asked = set(words(query))
    found = {}
    for word, count in Counter(words(text)).items():
        if len(word) < MIN_LENGTH or word in asked or word in stopwords("lucene") or not _is_noun(word):
            continue
        named = word.capitalize()
        shown = named if named in query_words().months and named in text else word
        found[shown] = count >= 2 and word in words(first)
    return found


@cache
def _is_noun(word: str) -> bool:
    """Whether the dictionary knows the word as a noun first of all."""
    if word.capitalize() in query_words().months:
        return True
    kinds = get_all_lemmas(word)
    return "NOUN" in kinds and "AUX" not in kinds and not ("VERB" in kinds and word.endswith(("ed", "ing")))


def _score(word: str, about: Mapping[str, set[str]], holds: Mapping[str, set[str]], relevant: int) -> float:
    """High for words that a few passages are about and most of the others do not hold; months are sure to be of one kind."""
    central, present = len(about[word]), len(holds[word])
    if central < 1 or present > 0.5 * relevant:
        return 0.0
    sharpness = central / present
    return sharpness * min(central, 4) * (3.0 if word in query_words().months else 1.0)


def _propose(
    query: Query,
    word: str,
    score: float,
    about: set[str],
    relevant: Sequence[str],
    documents: Mapping[str, Document],
    scopes: Mapping[str, ScopesRead],
    splits: Mapping[str, Split],
) -> Proposal | None:
    question = _question(query, word)
    if refuse(question) is not None:
        return None
    forms = surface_forms(word)
    verdicts = {
        d: judge_document(judge_mentions(find_forms(documents[d].text, forms), scopes[d].scopes)) for d in relevant
    }
    affirming = [d for d in sorted(about) if verdicts[d] == "affirms"]
    silent = [d for d in relevant if verdicts[d] == "omits"]
    if not affirming or not silent:
        return None
    finding = MinedValue(
        relation=SLOT,
        domain="other",
        words=YWords(forms, ()),
        split=splits[affirming[0]],
        topic_documents=len(relevant),
        affirming=affirming,
        denying=[d for d in relevant if verdicts[d] == "negates"],
        partners=len(silent),
        is_attribute=True,
    )
    proposal = make_proposal(
        (SLOT, query.id, word), question, finding, status="doubtful", score=round(score, 4), reason=UNASKED
    )
    shown = [Snippet(d, "affirms", documents[d].text[:160]) for d in affirming[:2]]
    shown += [Snippet(d, "omits", documents[d].text[:160]) for d in silent[:2]]
    return replace(proposal, query_id=query.id, on_topic=tuple(relevant), evidence=tuple(shown))


def _question(query: Query, word: str) -> QueryWording:
    """The query with the word added, and with it taken away; one asks *in* a month and *with* all else."""
    topic = _question_start().sub("", query.text.lower()).strip(" ?") or query.text
    if word in query_words().months:
        return QueryWording(topic, word, f"{topic} in {word}", f"{topic} not in {word}", "NOT_IN_Y", SLOT, "not")
    return QueryWording(topic, word, f"{topic} with {word}", f"{topic} without {word}", "WITHOUT_Y", SLOT, "without")


@cache
def _question_start() -> re.Pattern[str]:
    return re.compile(rf"^({'|'.join(sorted(query_words().question_words))})\b")
