"""What people ask to be left out of things of a class, by the domain files: places to stay that do not allow pets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from constraintsuite.suites.domain import Knowledge, LeftOut
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.word_lists import query_words
from constraintsuite.text.inflection import get_lemmas
from constraintsuite.text.mentions import MentionFinder, surface_forms


@dataclass(frozen=True, slots=True)
class ListedAttribute:
    """An attribute of a domain file, and how a query says it."""

    noun: str
    """The name of the attribute, singular."""
    text: str
    """Y as people write it, without an article: "pets", "lift"."""
    countable: bool
    """Whether Y takes an article."""
    links: tuple[str, ...]
    """Keys of the links that a query may use."""


class ListedAttributes:
    """The attributes that domain files list for the class of a topic."""

    def __init__(self, topic: Topic, knowledge: Knowledge) -> None:
        found = _list(topic, knowledge.left_out)
        self.definition = knowledge.classes.get(topic.kind)
        """The class of the topic."""
        self.by_noun: Mapping[str, ListedAttribute] = found
        self._words = {noun: attribute_words(noun, knowledge) for noun in found}
        self.finder = MentionFinder({noun: words.forms for noun, words in self._words.items()})
        self._forms = frozenset(form.lower() for words in self._words.values() for form in words.forms)

    def covers(self, name: str) -> bool:
        """Whether a noun is a listed attribute, one with words before it ("heated pool"), or its end after a hyphen."""
        words = name.split(" ")
        ends = (" ".join(words[i:]) for i in range(len(words)))
        return any(end in self._forms for end in ends) or any(form.endswith(f"-{name}") for form in self._forms)


def _list(topic: Topic, entries: Iterable[LeftOut]) -> dict[str, ListedAttribute]:
    """The attributes that entries list for the class of a topic, by name."""
    found: dict[str, ListedAttribute] = {}
    for entry in entries:
        if {topic.kind, topic.head}.isdisjoint(entry.of):
            continue
        for written in entry.nouns:
            first, _, rest = written.partition(" ")
            countable = first in query_words()["articles"] and bool(rest)
            text = rest if countable else written
            noun = singular(text)
            links = found[noun].links if noun in found else ()
            found[noun] = ListedAttribute(noun, text, countable, tuple(dict.fromkeys((*links, *entry.links))))
    return found


def looked_for(topic: Topic, knowledge: Knowledge) -> Mapping[str, ListedAttribute]:
    """The attributes that people look for in things of this class, and that hardly anybody wants left out."""
    return _list(topic, knowledge.looked_for)


@lru_cache(maxsize=1024)
def listed_attributes(topic: Topic, knowledge: Knowledge) -> ListedAttributes:
    """The listed attributes of a topic."""
    return ListedAttributes(topic, knowledge)


def singular(noun: str) -> str:
    """The singular of a noun phrase: only its last word changes; words with capitals stay as they are."""
    *rest, last = noun.split(" ")
    lemmas = get_lemmas(last, "NOUN") if last.islower() else ()
    return " ".join([*rest, lemmas[0] if lemmas else last])


def attribute_words(noun: str, knowledge: Knowledge) -> YWords:
    """The forms of an attribute and of other words for it; narrower words, such as walnut for nut, are blocked."""
    named = (noun, *knowledge.same.get(noun, ()))
    forms = tuple(dict.fromkeys(form for name in named for form in surface_forms(name)))
    narrower = (form for word in knowledge.kinds.get(noun, ()) for form in surface_forms(word))
    return YWords(forms, tuple(dict.fromkeys(form for form in narrower if form not in forms)))
