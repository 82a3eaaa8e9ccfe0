"""The class of a document that never says what it is: a listing that speaks of rooms, guests and check-in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from constraintsuite.core.records.text import Document
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.records import ClassReading
from constraintsuite.text.mentions import MentionFinder, fold, surface_forms

BY_SIGNS = -1
"""The strength of a class that only signs show."""
SAID = 2
"""The least strength of a phrase that says what a document is."""
MIN_SIGNS = 3
"""The number of different signs that a document needs."""


def read_signs(document: Document, knowledge: Knowledge) -> tuple[ClassReading, ...]:
    """The class of which the document has most signs, if it has enough; none if two classes are level.

    The id, the title and the metadata count too: a collection may name its folders or its categories after the class.
    """
    text = " . ".join((document.id, *document.metadata.values(), document.title, document.text))
    found: dict[str, set[str]] = defaultdict(set)
    for mention in _finder(knowledge).find(text):
        kind, sign = mention.key.split("\x1f")
        found[kind].add(sign)
    for mention in _others(knowledge).find(text):
        found.pop(mention.key, None)
    ranked = sorted(found, key=lambda kind: (-len(found[kind]), kind))
    if not ranked or len(found[ranked[0]]) < MIN_SIGNS:
        return ()
    if len(ranked) > 1 and len(found[ranked[1]]) == len(found[ranked[0]]):
        return ()
    kind = ranked[0]
    return (ClassReading(knowledge.classes[kind].heads[0], kind, (), BY_SIGNS, 0, 0),)


def has_class(classes: Iterable[ClassReading]) -> bool:
    """Whether a document says what it is, or shows it by its signs; a thing that it only mentions is no class of its own."""
    return any(one.strength >= SAID or one.strength == BY_SIGNS for one in classes)


@lru_cache(maxsize=4)
def _finder(knowledge: Knowledge) -> MentionFinder:
    signs = ((kind, sign) for kind, definition in knowledge.classes.items() for sign in definition.signs)
    return MentionFinder({f"{kind}\x1f{fold(sign)}": surface_forms(sign) for kind, sign in signs})


@lru_cache(maxsize=4)
def _others(knowledge: Knowledge) -> MentionFinder:
    """Finds, for each kind, the words that show that a text is about another one."""
    return MentionFinder(
        {kind: [form for word in one.unless for form in surface_forms(word)] for kind, one in knowledge.classes.items()}
    )
