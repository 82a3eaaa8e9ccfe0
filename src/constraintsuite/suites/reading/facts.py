"""Reads the facts that a document states of its own subject, with the place of the filler.

What the text says of something else does not count ("remade as a film directed by ...").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from constraintsuite.suites.domain import Knowledge, Relation
from constraintsuite.suites.reading.fillers import read_fillers
from constraintsuite.suites.reading.records import ClassReading, Fact
from constraintsuite.suites.word_lists import reading_words
from constraintsuite.text.base import Analysis, Token


class _Subject(NamedTuple):
    """What a document is about: its class phrases, the nouns and pronouns for it, and its title."""

    defining: Sequence[ClassReading]
    nouns: frozenset[str]
    title: str


def read_facts(
    analysis: Analysis, classes: Sequence[ClassReading], title: str, knowledge: Knowledge
) -> tuple[Fact, ...]:
    """All facts of a document that has a defining sentence of a known kind."""
    defining = [reading for reading in classes if reading.strength == 3 and reading.kind]
    if not defining:
        return ()
    kind = "person" if any(reading.kind == "person" for reading in defining) else defining[0].kind
    subject = _Subject(defining, frozenset(knowledge.classes[kind].subjects), title)
    facts: dict[tuple[str, str], Fact] = {}
    for relation in knowledge.relations.values():
        if kind in relation.kinds:
            read = _read_after_trigger if relation.place == "after_trigger" else _read_modifiers
            for fact in read(analysis, relation, subject):
                facts.setdefault((fact.relation, fact.y), fact)
    return tuple(sorted(facts.values(), key=lambda fact: (fact.start, fact.relation)))


def _read_modifiers(analysis: Analysis, relation: Relation, subject: _Subject) -> Iterator[Fact]:
    """Facts from the words before the class noun, such as "Spanish" in "a 1966 Spanish drama film"."""
    hits = list_values(analysis.text, subject.defining[0], relation)
    if relation.single and (len(hits) != 1 or _compounded(analysis.text, subject.defining[0], hits[0])):
        return
    yield from hits


def list_values(text: str, reading: ClassReading, relation: Relation) -> list[Fact]:
    """Every value of a closed relation among the words before the class noun, longest first: "Franco", "drama" and "war"."""
    phrase = text[reading.start : reading.end - len(reading.head)]
    hits: list[Fact] = []
    for value in sorted(relation.values, key=len, reverse=True):
        at = _word_index(phrase, value)
        place = reading.start + at
        if at >= 0 and not any(hit.start <= place < hit.end for hit in hits):
            hits.append(Fact(relation.key, value, place, place + len(value)))
    return hits


def _word_index(phrase: str, value: str) -> int:
    folded = phrase if value[:1].isupper() else phrase.lower()
    at = folded.find(value)
    while at >= 0:
        before, after = folded[at - 1 : at] if at else "", folded[at + len(value) : at + len(value) + 1]
        if not before.isalnum() and not after.isalnum():
            return at
        at = folded.find(value, at + 1)
    return -1


def _compounded(text: str, reading: ClassReading, hit: Fact) -> bool:
    following = text[hit.end : reading.end - len(reading.head)]
    return (
        text[max(reading.start, hit.start - 1) : hit.start] in {"-", "/"}
        or following[:1] in {"-", "/"}
        or following.lstrip().startswith(("and ", "/", "–"))
    )


def _read_after_trigger(analysis: Analysis, relation: Relation, subject: _Subject) -> Iterator[Fact]:
    """Facts from the fillers after a trigger, such as "directed by", in the first six sentences."""
    triggers = [trigger.split() for trigger in sorted(relation.triggers, key=len, reverse=True)]
    for number, sentence in enumerate(analysis.sentences[:6]):
        tokens = [t for t in analysis.tokens if sentence.start <= t.start < sentence.end]
        lowered = [t.text.lower() for t in tokens]
        end = 0  # of the last trigger
        for i in range(len(tokens)):
            trigger = next((t for t in triggers if lowered[i : i + len(t)] == t), None)
            if trigger is None or i < end:
                continue
            end = i + len(trigger)
            if not _is_of_subject(tokens, i, number, relation, subject, analysis.tokens):
                continue
            fillers = read_fillers(tokens, end, relation)
            if relation.single and len(fillers) != 1:
                continue
            for filler in fillers:
                yield Fact(relation.key, filler.text, filler.start, filler.end)


def _is_of_subject(
    tokens: Sequence[Token],
    i: int,
    number: int,
    relation: Relation,
    subject: _Subject,
    all_tokens: Sequence[Token],
) -> bool:
    """Whether the relation at token `i` of sentence `number` is stated of the document's own subject."""
    lists = reading_words()
    before = [t.text.lower() for t in tokens[:i]]
    if lists["denials"] & set(before[-4:]):
        return False
    if (lists["other_things"] | set(relation.blocked_before)) & set(_clause(before)):
        return False
    if any(reading.start >= tokens[0].start and reading.end <= tokens[i].start for reading in subject.defining):
        return _attached_to_class(tokens, i, subject.defining, all_tokens)
    return number > 0 and _begins_with_subject(tokens, subject)


def _clause(before: Sequence[str]) -> Sequence[str]:
    """The last words, at most twelve, since the beginning of the clause."""
    window = list(before[-12:])
    for i in range(len(window) - 1, -1, -1):
        if window[i] in reading_words()["clause_starts"]:
            return window[i + 1 :]
    return window


def _attached_to_class(
    tokens: Sequence[Token], i: int, defining: Sequence[ClassReading], all_tokens: Sequence[Token]
) -> bool:
    """Whether the trigger depends on the class noun, directly or indirectly; without a parse, whether it is near it."""
    if not any(token.dep for token in tokens):
        class_end = max(reading.end for reading in defining if reading.end <= tokens[i].start)
        between = [t.text.lower() for t in tokens if class_end <= t.start < tokens[i].start]
        return len(between) < 4 or not reading_words()["leading_away"] & set(between)
    token = tokens[i]
    for _ in range(10):
        if any(reading.start <= token.start < reading.end for reading in defining):
            return True
        if token.dep == "ROOT" or token.head < 0:
            return token.dep == "ROOT"
        head = all_tokens[token.head]
        on_class = any(reading.start <= head.start < reading.end for reading in defining)
        if not on_class and token.dep in {"pobj", "dobj", "nsubj", "appos"}:
            return False
        token = head
    return False


def _begins_with_subject(tokens: Sequence[Token], subject: _Subject) -> bool:
    """Whether the sentence begins with a word for the document's subject."""
    words = [t.text.lower() for t in tokens[:2]]
    if not words:
        return False
    if words[0] in subject.nouns or words[0] in reading_words()["credit_starts"]:
        return True
    if words[0] in {"the", "this"} and len(words) > 1 and words[1] in subject.nouns:
        return True
    names = [word.lower() for word in subject.title.split("(", maxsplit=1)[0].split() if word[:1].isupper()]
    return bool(names) and words[0] in {names[0], names[-1]} and tokens[0].text[:1].isupper()
