"""Reads the facts that a document states of its own subject, with the place of the filler.

What the text says of something else does not count ("remade as a film directed by ...").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraintsuite.suites.domain import Knowledge, Relation
from constraintsuite.suites.reading.fillers import read_fillers
from constraintsuite.suites.reading.records import ClassReading, Fact
from constraintsuite.suites.word_lists import reading_words
from constraintsuite.text.base import Analysis, Token


def read_facts(
    analysis: Analysis, classes: Sequence[ClassReading], title: str, knowledge: Knowledge
) -> tuple[Fact, ...]:
    """All facts of a document that has a defining sentence of a known kind."""
    defining = [reading for reading in classes if reading.strength == 3 and reading.kind]
    if not defining:
        return ()
    kinds = {reading.kind for reading in defining}
    kind = "person" if "person" in kinds else defining[0].kind
    subject_nouns = set(knowledge.classes[kind].subjects)
    facts: dict[tuple[str, str], Fact] = {}
    for relation in knowledge.relations.values():
        if kind not in relation.kinds:
            continue
        found = (
            _after_trigger(analysis, relation, defining, subject_nouns, title)
            if relation.place == "after_trigger"
            else _from_modifiers(analysis, relation, defining)
        )
        for fact in found:
            facts.setdefault((fact.relation, fact.y), fact)
    return tuple(sorted(facts.values(), key=lambda fact: (fact.start, fact.relation)))


def _from_modifiers(analysis: Analysis, relation: Relation, defining: Sequence[ClassReading]) -> Iterator[Fact]:
    """Facts from the words before the class noun, such as "Spanish" in "a 1966 Spanish drama film"."""
    reading = defining[0]
    phrase = analysis.text[reading.start : reading.end - len(reading.head)]
    hits: list[tuple[int, int, str]] = []
    for value in sorted(relation.values, key=len, reverse=True):
        at = _word_index(phrase, value)
        if at >= 0 and not any(start <= at < end for start, end, _ in hits):
            hits.append((at, at + len(value), value))
    if relation.single and (len(hits) != 1 or _compounded(phrase, *hits[0][:2])):
        return
    for start, end, value in hits:
        yield Fact(relation.key, value, reading.start + start, reading.start + end, reading.start + end, len(hits))


def _word_index(phrase: str, value: str) -> int:
    folded = phrase if value[:1].isupper() else phrase.lower()
    at = folded.find(value)
    while at >= 0:
        before, after = folded[at - 1 : at] if at else "", folded[at + len(value) : at + len(value) + 1]
        if not before.isalnum() and not after.isalnum():
            return at
        at = folded.find(value, at + 1)
    return -1


def _compounded(phrase: str, start: int, end: int) -> bool:
    return (
        phrase[start - 1 : start] in {"-", "/"}
        or phrase[end : end + 1] in {"-", "/"}
        or phrase[end:].lstrip().startswith(("and ", "/", "–"))
    )


def _after_trigger(
    analysis: Analysis, relation: Relation, defining: Sequence[ClassReading], subject_nouns: set[str], title: str
) -> Iterator[Fact]:
    triggers = [trigger.split() for trigger in sorted(relation.triggers, key=len, reverse=True)]
    for number, sentence in enumerate(analysis.sentences[:6]):
        tokens = [t for t in analysis.tokens if sentence.start <= t.start < sentence.end]
        lowered = [t.text.lower() for t in tokens]
        taken = -1
        for i in range(len(tokens)):
            trigger = next((t for t in triggers if lowered[i : i + len(t)] == t), None)
            if trigger is None or i <= taken:
                continue
            taken = i + len(trigger) - 1
            if not _said_of_subject(tokens, i, number, relation, defining, subject_nouns, title, analysis.tokens):
                continue
            fillers = read_fillers(tokens, i + len(trigger), relation)
            if relation.single and len(fillers) != 1:
                continue
            for filler in fillers:
                end = fillers[-1].insert_at
                yield Fact(relation.key, filler.text, filler.start, filler.end, end, len(fillers))


def _said_of_subject(
    tokens: Sequence[Token],
    i: int,
    number: int,
    relation: Relation,
    defining: Sequence[ClassReading],
    subject_nouns: set[str],
    title: str,
    all_tokens: Sequence[Token],
) -> bool:
    """Whether the relation at token `i` is stated of the document's own subject."""
    lists = reading_words()
    before = [t.text.lower() for t in tokens[:i]]
    if lists["denials"] & set(before[-4:]):
        return False
    if (lists["other_things"] | set(relation.blocked_before)) & set(_clause(before)):
        return False
    if any(reading.start >= tokens[0].start and reading.end <= tokens[i].start for reading in defining):
        return _attached_to_class(tokens, i, defining, all_tokens)
    return number > 0 and _subject_is(tokens, subject_nouns, title)


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


def _subject_is(tokens: Sequence[Token], nouns: set[str], title: str) -> bool:
    """Whether the sentence begins with a word for the document's subject."""
    words = [t.text.lower() for t in tokens[:4]]
    if not words:
        return False
    if words[0] in nouns or words[0] in reading_words()["credit_starts"]:
        return True
    if words[0] in {"the", "this"} and len(words) > 1 and words[1] in nouns:
        return True
    names = [word.lower() for word in title.split("(", maxsplit=1)[0].split() if word[:1].isupper()]
    return bool(names) and words[0] in {names[0], names[-1]} and tokens[0].text[:1].isupper()
