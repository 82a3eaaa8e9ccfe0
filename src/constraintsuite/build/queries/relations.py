"""Proposals from relations that documents state of their subject: directed by Y, born in Y, a Y drama film."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.build.domain import Knowledge, Relation
from constraintsuite.build.queries.evidence import Stances, YWords
from constraintsuite.build.queries.making import Finding, make_proposal
from constraintsuite.build.queries.records import Proposal, Status, Topic
from constraintsuite.build.queries.topics import TopicTable, plural
from constraintsuite.build.queries.wording import family_for, refuse, word_question
from constraintsuite.build.reading.records import Fact
from constraintsuite.build.reading.words import reading_words
from constraintsuite.records.examples import Split


@dataclass(frozen=True)
class RelationFacts:
    """Who states which filler of one relation."""

    relation: Relation
    documents: dict[str, set[str]]
    """Documents by filler."""


def gather(
    facts: Mapping[str, Sequence[Fact]], knowledge: Knowledge, allowed: Iterable[str]
) -> dict[str, RelationFacts]:
    """The fillers of each relation that enough documents state."""
    documents: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    wanted = set(allowed)
    for document, found in facts.items():
        for fact in found:
            if fact.relation in wanted:
                documents[fact.relation][fact.y].add(document)
    gathered = {}
    for key in sorted(documents):
        relation = knowledge.relations[key]
        fillers = {y: ids for y, ids in sorted(documents[key].items()) if len(ids) >= relation.min_documents}
        if len(fillers) >= 2:
            gathered[key] = RelationFacts(relation, fillers)
    return gathered


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
    evidence: Mapping[str, Stances],
    topics: TopicTable,
    splits: Mapping[str, Split],
    rejects: Counter[str],
) -> Iterator[Proposal]:
    """One proposal for each relation, filler and topic that its documents belong to."""
    for key, facts in gathered.items():
        for y, stating in facts.documents.items():
            split = splits[y_key(key, y)]
            affirming = stating & evidence[y_key(key, y)].affirming
            by_topic: dict[Topic, set[str]] = defaultdict(set)
            for document in sorted(affirming):
                for topic in topics.topics.get(document, ()):
                    if fits(topic, facts.relation):
                        by_topic[topic].add(document)
            for topic, documents in by_topic.items():
                proposal = _propose(facts.relation, y, topic, documents, split, topics, rejects)
                if proposal is not None:
                    yield proposal


def _propose(
    relation: Relation,
    y: str,
    topic: Topic,
    documents: set[str],
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
    finding = Finding(
        relation=relation.key,
        domain=topics.domain(topic),
        words=y_words(relation, y),
        split=split,
        topic_documents=len(topics.members[topic]),
        affirming=documents,
        denying=(),
        partners=len(documents),
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
