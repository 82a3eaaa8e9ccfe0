"""Proposals from relations that documents state of their subject: directed by Y, born in Y, a Y drama film."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from constraintsuite.records.examples import Split
from constraintsuite.suites.corpus.numbering import Numbering
from constraintsuite.suites.domain import Relation
from constraintsuite.suites.queries.evidence import Sides, YWords
from constraintsuite.suites.queries.facts import RelationFacts
from constraintsuite.suites.queries.making import MinedValue, make_proposal
from constraintsuite.suites.queries.records import Proposal, Status, Topic
from constraintsuite.suites.queries.topics import TopicTable, plural
from constraintsuite.suites.queries.wording import family_for, refuse, word_question
from constraintsuite.suites.reading.words import reading_words


def y_words(relation: Relation, y: str) -> YWords:
    """The forms of a filler, and the words that give it away: a surname, a place without its region, a synonym."""
    if relation.filler == "person":
        surname = _surname(y)
        return YWords((y, surname), ())
    if relation.filler == "place":
        return YWords(tuple(dict.fromkeys((y, y.split(",", maxsplit=1)[0]))), ())
    if relation.filler == "value":
        forms = (y,) if y[:1].isupper() else tuple(dict.fromkeys((y, plural(y))))
        return YWords(forms, relation.same.get(y, ()))
    return YWords((y,), tuple(word for word in y.split()[:1] if len(word) > 4))


def _surname(name: str) -> str:
    words = [word for word in name.split() if word.rstrip(".").lower() not in reading_words().name_ends]
    return words[-1] if words else name


def propose_relations(
    gathered: Mapping[str, RelationFacts],
    evidence: Mapping[str, Sides],
    topics: TopicTable,
    numbering: Numbering,
    splits: Mapping[str, Split],
    rejects: Counter[str],
) -> Iterator[Proposal]:
    """One proposal for each relation, filler and topic that its documents belong to."""
    for key, facts in gathered.items():
        for y, stating in facts.documents.items():
            split = splits[y_key(key, y)]
            affirming = np.intersect1d(stating, evidence[y_key(key, y)].affirming, assume_unique=True)
            by_topic: dict[Topic, list[int]] = defaultdict(list)
            for document in affirming.tolist():
                for topic in topics.topics_of(document):
                    if fits(topic, facts.relation):
                        by_topic[topic].append(document)
            for topic, documents in by_topic.items():
                proposal = _propose(facts.relation, y, topic, numbering.names(documents), split, topics, rejects)
                if proposal is not None:
                    yield proposal


def _propose(
    relation: Relation,
    y: str,
    topic: Topic,
    documents: Sequence[str],
    split: Split,
    topics: TopicTable,
    rejects: Counter[str],
) -> Proposal | None:
    family = family_for(relation.families, relation.key, split, f"{topic.text}|{y}")
    question = word_question(family, relation.key, topic.text, y)
    reason = refuse(question)
    if reason is not None:
        rejects[f"query:{reason}"] += 1
        return None
    finding = MinedValue(
        relation=relation.key,
        domain=topics.domain(topic),
        words=y_words(relation, y),
        split=split,
        topic_documents=topics.sizes[topic],
        affirming=documents,
        denying=(),
        partners=len(documents),
        is_attribute=False,
    )
    status: Status = "build" if topic.kind else "doubtful"
    return make_proposal((relation.key, topic.text, y), question, finding, status=status, score=float(len(documents)))


def fits(topic: Topic, relation: Relation) -> bool:
    """Whether a topic can be narrowed by this relation without saying the same thing twice."""
    if relation.key.endswith("nationality"):
        return not topic.nationality and (bool(topic.modifier) or topic.kind == "person")
    if relation.topics == "bare":
        return not topic.modifier
    if relation.topics == "modified":
        return not topic.bare
    return True


def y_key(relation: str, y: str) -> str:
    """The name of a filler in tables."""
    return f"{relation}\x1f{y}"


def relation_of(key: str) -> str:
    """The relation in a filler's name."""
    return key.partition("\x1f")[0]
