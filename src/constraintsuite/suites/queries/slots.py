"""For a given query that names no Y: nouns that split its relevant documents, ranked for a person to accept or reword.

Nothing here is built without approval. On web text, a noun is a good Y if the passage is about it, if passages about another
such noun do not mention it, and if the two nouns are of one kind.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.records.text import Document, Query
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import SLOT, Proposal, Snippet
from constraintsuite.suites.queries.wording import QueryWording, find_fault, make_proposal
from constraintsuite.suites.reading.records import ScopesRead
from constraintsuite.suites.word_lists import query_words
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
    """Proposals for the nouns that split the relevant documents most clearly, one for each split that has such documents."""
    about: dict[str, list[str]] = defaultdict(list)
    mentioning: Counter[str] = Counter()
    for document in relevant:
        for word, central in _candidates(documents[document], query.text).items():
            mentioning[word] += 1
            if central:
                about[word].append(document)
    scores = {word: _score(word, len(found), mentioning[word], len(relevant)) for word, found in about.items()}
    for word in sorted(scores, key=lambda word: (-scores[word], word))[:MAX_PER_QUERY]:
        wording = _word_query(query, word)
        if scores[word] <= 0 or find_fault(wording) is not None:
            continue
        forms = surface_forms(word)
        verdicts = {
            d: judge_document(judge_mentions(find_forms(documents[d].text, forms), scopes[d].scopes)) for d in relevant
        }
        for split in SPLITS:
            own = [document for document in relevant if splits[document] == split]
            affirming = [d for d in sorted(about[word]) if d in own and verdicts[d] == "affirms"]
            silent = [d for d in own if verdicts[d] == "omits"]
            if not affirming or not silent:
                continue
            quoted = (("affirms", affirming[:2]), ("omits", silent[:2]))
            yield make_proposal(
                (SLOT, query.id, word, split),
                [wording],
                YWords(forms, ()),
                relation=SLOT,
                domain="other",
                split=split,
                status="doubtful",
                score=round(scores[word], 4),
                affirming=affirming,
                denying=[d for d in own if verdicts[d] == "negates"],
                topic_documents=len(relevant),
                partners=len(silent),
                query_id=query.id,
                on_topic=own,
                reason=UNASKED,
                evidence=[Snippet(d, verdict, documents[d].text[:160]) for verdict, names in quoted for d in names],
            )


def _candidates(document: Document, query: str) -> dict[str, bool]:
    """Nouns of a passage that are not in the query, and whether the passage is about each: in the first sentence, and again."""
    text = document.text
    first = words(re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0].lower())
    asked = set(words(query))
    found = {}
    for word, count in Counter(words(text)).items():
        if len(word) < MIN_LENGTH or word in asked or word in stopwords("lucene") or not _is_noun(word):
            continue
        month = word.capitalize()
        name = month if month in query_words()["months"] and month in text else word
        found[name] = count >= 2 and word in first
    return found


@cache
def _is_noun(word: str) -> bool:
    """Whether the dictionary knows the word as a noun first of all."""
    if word.capitalize() in query_words()["months"]:
        return True
    kinds = get_all_lemmas(word)
    return "NOUN" in kinds and "AUX" not in kinds and not ("VERB" in kinds and word.endswith(("ed", "ing")))


def _score(word: str, about: int, mentioning: int, relevant: int) -> float:
    """High for words that a few passages are about and most others do not mention; months are certainly of one kind."""
    if mentioning > 0.5 * relevant:
        return 0.0
    return about / mentioning * min(about, 4) * (3.0 if word in query_words()["months"] else 1.0)


def _word_query(query: Query, word: str) -> QueryWording:
    """The query with the word and without it: *in* a month, *with* anything else."""
    topic = _question_start().sub("", query.text.lower()).strip(" ?") or query.text
    if word in query_words()["months"]:
        return QueryWording(topic, word, f"{topic} in {word}", f"{topic} not in {word}", "NOT_IN_Y", SLOT, "not")
    return QueryWording(topic, word, f"{topic} with {word}", f"{topic} without {word}", "WITHOUT_Y", SLOT, "without")


@cache
def _question_start() -> re.Pattern[str]:
    starts = "|".join(sorted(query_words()["question_words"]))
    return re.compile(rf"^({starts})\b")
