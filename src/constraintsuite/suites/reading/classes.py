"""Finds out what a document is about, from its defining sentence: "X (...) is a 1966 Spanish drama film directed by ..."."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.records import ClassReading
from constraintsuite.suites.word_lists import reading_words
from constraintsuite.text.base import Analysis, Token

MODIFIER_POS = {"ADJ", "NOUN", "PROPN", "NUM"}
COORDINATORS = {",", "and", "or", "&"}


def read_classes(analysis: Analysis, knowledge: Knowledge) -> tuple[ClassReading, ...]:
    """The class phrases of a text, strongest first; the first sentences count most."""
    found: dict[tuple[str, int], ClassReading] = {}
    for number, sentence in enumerate(analysis.sentences):
        tokens = [t for t in analysis.tokens if sentence.start <= t.start < sentence.end]
        for reading in _read_sentence(tokens, number, knowledge):
            found.setdefault((reading.head, reading.strength), reading)
    return tuple(sorted(found.values(), key=lambda reading: (-reading.strength, reading.start)))


def _read_sentence(tokens: Sequence[Token], number: int, knowledge: Knowledge) -> Iterator[ClassReading]:
    lists = reading_words()
    depth = 0
    for i, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth > 0:
            continue
        word = token.text.lower()
        before = tokens[i - 1].text.lower() if i else ""
        is_plural_phrase = i + 1 < len(tokens) and tokens[i + 1].tag in {"NNS", "JJ"}
        if word in lists["copulas"] and number < 3 and is_plural_phrase:
            yield from _read_phrase(tokens, i + 1, 3, knowledge)
        if word in lists["strong_determiners"] and number < 3:
            yield from _read_phrase(tokens, i + 1, _strength(before, i, number), knowledge)
        elif word in lists["weak_determiners"]:
            yield from _read_phrase(tokens, i + 1, 0, knowledge)


def _strength(before: str, position: int, number: int) -> int:
    if before in reading_words()["copulas"]:
        return 3
    if before in {",", ":", "–", "—", "-", "as"} or position == 0:
        return 2
    return 1 if number < 2 else 0


def _read_phrase(tokens: Sequence[Token], start: int, strength: int, knowledge: Knowledge) -> Iterator[ClassReading]:
    """The class readings of the noun phrase that starts at `start`; coordinated heads give several."""
    end = start
    while end < len(tokens) and _continues(tokens, start, end):
        end += 1
    part: list[Token] = []
    first_modifiers: list[str] = []
    for token in [*tokens[start:end], None]:
        if token is None or token.text.lower() in COORDINATORS:
            reading = _reading(part, strength, knowledge)
            if token is not None and (reading is None or not reading.kind):
                part.append(token)  # "Spanish and Italian drama film": no class yet, so these are modifiers
                continue
            if reading is not None:
                if not first_modifiers:
                    first_modifiers = list(reading.modifiers)
                elif not reading.modifiers:
                    reading = replace(reading, modifiers=tuple(first_modifiers))
                yield reading
            part = []
        else:
            part.append(token)
    of_follows = end < len(tokens) and tokens[end].text.lower() == "of"
    if of_follows and end > start and tokens[end - 1].lemma in reading_words()["sortals"]:  # "a pair of headphones"
        yield from _read_phrase(tokens, end + 1, strength, knowledge)


def _continues(tokens: Sequence[Token], start: int, i: int) -> bool:
    token = tokens[i]
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    if token.pos in MODIFIER_POS:
        return True
    if token.text == "-":
        return following is not None and (following.pos in MODIFIER_POS or following.tag in {"VBG", "VBN"})
    if token.tag in {"VBG", "VBN"}:
        return following is not None and following.pos in {"NOUN", "ADJ"} and following.text.lower() not in {"by"}
    if token.pos == "ADV":
        return following is not None and following.pos == "ADJ"
    if token.text.lower() in COORDINATORS and i > start:
        return following is not None and following.pos in MODIFIER_POS
    return False


def _reading(part: Sequence[Token], strength: int, knowledge: Knowledge) -> ClassReading | None:
    while part and part[-1].pos not in {"NOUN", "PROPN"}:
        part = part[:-1]
    if not part or part[-1].pos != "NOUN":
        return None
    words = [_singular(token) for token in part]
    size = next((n for n in (3, 2, 1) if len(words) >= n and _joined(part[-n:], words[-n:]) in knowledge.heads), 1)
    head = _joined(part[-size:], words[-size:])
    lists = reading_words()
    if head in lists["relational"] or head in lists["sortals"] or len(head) < 3:
        return None
    modifiers = tuple(token.text for token in part[:-size])
    return ClassReading(head, knowledge.heads.get(head, ""), modifiers, strength, part[0].start, part[-1].end)


def _singular(token: Token) -> str:
    return (token.lemma or token.text).lower() if token.tag == "NNS" or token.lemma else token.text.lower()


def _joined(tokens: Sequence[Token], words: Sequence[str]) -> str:
    """The words joined by spaces where the text has them ("note-taking app")."""
    text = ""
    for i, (token, word) in enumerate(zip(tokens, words, strict=True)):
        gap = " " if i and tokens[i - 1].end < token.start else ""
        last = i == len(tokens) - 1
        text += gap + (word if last else token.text.lower())
    return text
