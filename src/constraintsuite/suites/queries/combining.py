"""Words a question for a topic with two attributes, and for one with the first but without the second."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile
from typing import NamedTuple

from constraintsuite.suites.domain import AttributeLinks, Knowledge
from constraintsuite.suites.queries.attributes import AskedAttribute
from constraintsuite.suites.queries.topics import plural
from constraintsuite.suites.queries.wording import MAX_QUERY_WORDS, singular_of, with_article
from constraintsuite.text.terms import words

MOST_WORDS = MAX_QUERY_WORDS + 4
"""Two attributes take more words than one."""
_RELATIVE = re.compile(r"(?:\{topic\} that|[Ww]hich \{topic\}) ")
_PREPOSITIONAL = re.compile(r"\{topic\} (?=with)")


class AttributePhrase(NamedTuple):
    """A way to say that a thing has an attribute and that it has not, without the topic: "have {a_y}", "have no {y}"."""

    name: str
    having: str
    lacking: str
    cue: str
    relative: bool
    """Whether it is a verb phrase, which follows "that", and not one with a preposition."""


class CombinedWording(NamedTuple):
    """One way to ask for both attributes, and for the first alone."""

    name: str
    both: str
    first: str
    cue: str
    """The word that denies the second attribute."""


def phrases(link: AttributeLinks) -> Iterator[AttributePhrase]:
    """The phrases of a link, from the templates of its exclusions."""
    for family in link.families:
        for pattern in (_RELATIVE, _PREPOSITIONAL):
            starts = [pattern.match(text) for text in (family.opposite, family.query)]
            if all(starts):
                having, lacking = (
                    text[start.end() :]
                    for text, start in zip((family.opposite, family.query), starts, strict=True)
                    if start
                )
                yield AttributePhrase(family.name, having, lacking, family.cue, pattern is _RELATIVE)


def combine(topic: str, first: AskedAttribute, second: AskedAttribute, knowledge: Knowledge) -> list[CombinedWording]:
    """All wordings; those with prepositions only if both attributes are said in the same way: "with a pool and a lift"."""
    found = []
    own = list(phrases(knowledge.links[first.link]))
    asked = False
    for phrase in phrases(knowledge.links[second.link]):
        beside = next((one for one in own if one.relative == phrase.relative), None)
        if beside is None or (not phrase.relative and first.link != second.link):
            continue
        said = _fill(beside.having, first)
        both = f"{said} and {_fill(_unrepeated(beside.having, phrase.having), second)}"
        alone = f"{said} but {_fill(_unrepeated(beside.having, phrase.lacking), second)}"
        that = "that " if phrase.relative else ""
        found.append(CombinedWording(phrase.name, f"{topic} {that}{both}", f"{topic} {that}{alone}", phrase.cue))
        if phrase.relative and not asked:
            asked = True
            for name, opening, end in (
                ("WHICH", f"Which {topic} ", "?"),
                ("LOOKING", f"I am looking for {topic} that ", "."),
            ):
                found.append(
                    CombinedWording(
                        f"{name}_{phrase.name}", f"{opening}{both}{end}", f"{opening}{alone}{end}", phrase.cue
                    )
                )
    return [one for one in found if _is_sound(one, topic, first, second)]


def _unrepeated(said: str, template: str) -> str:
    """The template without the words that were said already: "have a garden and a pool", "but no pool"."""
    shared = takewhile(
        lambda pair: pair[0] == pair[1] and "{" not in pair[0], zip(said.split(), template.split(), strict=False)
    )
    return " ".join(template.split()[len(list(shared)) :])


def _fill(template: str, asked: AskedAttribute) -> str:
    a_y = with_article(asked.text) if asked.countable else asked.text
    return template.format(y=asked.text, a_y=a_y, ys=plural(asked.text), stem=asked.noun)


def _is_sound(wording: CombinedWording, topic: str, first: AskedAttribute, second: AskedAttribute) -> bool:
    """Whether the queries are short, and name three different things."""
    for text in (wording.both, wording.first):
        query = words(text)
        if len(query) > MOST_WORDS or any(a == b for a, b in pairwise(query)):
            return False
    named = [{singular_of(word) for word in words(text)} for text in (topic, first.text, second.text)]
    return not (named[0] & named[1] or named[0] & named[2] or named[1] & named[2])
