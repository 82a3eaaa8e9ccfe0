"""Rewrites the beginning of a passage with invented names: its subject and every person in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Split
from constraintsuite.core.records.text import Document
from constraintsuite.suites.invented.credits import reorder_credits
from constraintsuite.suites.invented.names import group_for, invent_person, invent_title
from constraintsuite.suites.reading.names import surname
from constraintsuite.suites.reading.records import Fact, NameReading, NamesRead
from constraintsuite.suites.word_lists import reading_words
from constraintsuite.text.edits import TextEdit, apply_replacements
from constraintsuite.text.terms import words

MIN_WORDS = 12
_BRACKET = re.compile(r" ?\([^()]*\)")
_DAMAGED = re.compile(r"\(\s|\s[,.;:)]|\(\)|[,;]\s*[.)]|[\"“”]|\d{4} and starring")


@dataclass(frozen=True)
class RealPassage:
    """The sentences at the start of a passage whose names are all known, and what they state."""

    source: str
    title: str
    text: str
    facts: tuple[Fact, ...]
    edits: tuple[tuple[int, int, str], ...]
    """Start, end and kind of each name: `subject`, `person`, `surname`, or `bracket` for a remark after the subject."""
    nationalities: tuple[str, ...]
    """Nationalities, languages and places, in the order of the text."""


def read_passage(document: Document, reading: NamesRead) -> RealPassage | None:
    """The part of a passage that can be rewritten; None if it does not begin with its subject, or is too short."""
    subject = reading.names[0] if reading.names else None
    if subject is None or subject.kind != "subject" or subject.start != 0:
        return None
    bracket = _BRACKET.match(document.text, subject.end)
    hidden = (bracket.start(), bracket.end()) if bracket else (0, 0)
    if not re.match(r" (?:is|was) ", document.text[max(subject.end, hidden[1]) :]):
        return None
    names = [name for name in reading.names if not hidden[0] <= name.start < hidden[1]]
    unknown = min((name.start for name in _unknown(document.text, names)), default=len(document.text))
    end = 0
    for start, stop in reading.sentences:
        sentence = document.text[max(start, hidden[1]) : stop]
        if stop > unknown or reading_words()["ties_to_the_real"] & set(words(sentence)) or _DAMAGED.search(sentence):
            break
        end = stop
    text = document.text[:end]
    if len(text.split()) < MIN_WORDS or text[-1:] != ".":
        return None
    edits: list[tuple[int, int, str]] = [
        (name.start, name.end, name.kind) for name in names if name.kind != "place" and name.end <= end
    ]
    edits += [(*hidden, "bracket")] if bracket else []
    places = tuple(document.text[name.start : name.end] for name in names if name.kind == "place" and name.end <= end)
    facts = tuple(fact for fact in reading.facts if fact.end <= end)
    return RealPassage(document.id, document.title, text, facts, tuple(sorted(edits)), places)


def _unknown(text: str, names: Sequence[NameReading]) -> Iterator[NameReading]:
    """Names that cannot be replaced: of something else, a surname before its full name, or a part of a longer name."""
    known: set[str] = set()
    for name in names:
        if name.kind == "person":
            known.add(surname(text[name.start : name.end]))
        is_early = name.kind == "surname" and text[name.start : name.end] not in known
        if name.kind == "other" or is_early or re.match(r" ?-", text[name.end :]):
            yield name


@dataclass(frozen=True)
class InventedPassage:
    """A passage with invented names; `people` gives the invented name for each real one."""

    source: str
    title: str
    text: str
    people: Mapping[str, str]


def invent_passage(real: RealPassage, split: Split, given: Mapping[str, str]) -> InventedPassage:
    """Rewrite a passage; `given` holds names that were chosen already, for the others they are chosen here."""
    group = group_for(real.nationalities)
    people = dict(given)
    for start, end, kind in real.edits:
        name = real.text[start:end]
        if kind == "person" and name not in people:
            people[name] = invent_person(name, group, split, people.values())
    surnames = {surname(name): surname(people[name]) for name in people}
    work = invent_title(real.title, split)

    def new(name: str, kind: str) -> str:
        return {"subject": work, "person": people.get(name, ""), "surname": surnames.get(name, "")}.get(kind, "")

    edits = [TextEdit(start, end, new(real.text[start:end], kind)) for start, end, kind in real.edits]
    text, _ = apply_replacements(real.text, edits)
    if stable_hash("order", real.source) % 2:
        text = reorder_credits(text)
    return InventedPassage(real.source, work, text, people)
