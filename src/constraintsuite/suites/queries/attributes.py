"""Proposes attributes: nouns that some documents of a class affirm and others deny.

If somebody wrote "no Y" about one thing and "with Y" about another of the same class, Y is optional there. It is asked for
without approval if a domain file lists it as something that people leave out, or if documents call themselves Y-free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from constraintsuite.suites.corpus.corpus import Numbering
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.queries.considered import (
    BAD_WORDING,
    LONGER,
    NOT_LISTED,
    WHOLE_TEXT,
    ConsideredAttribute,
    find_shortage,
)
from constraintsuite.suites.queries.evidence import Sides
from constraintsuite.suites.queries.left_out import attribute_words, listed_attributes
from constraintsuite.suites.queries.noun_counts import FREE, NounCount
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal, Topic, attribute_relation
from constraintsuite.suites.queries.topics import TopicTable, plural
from constraintsuite.suites.queries.wording import QueryWording, find_fault, make_proposal, word_query
from constraintsuite.suites.recipe import QuerySettings
from constraintsuite.suites.splits import AskedSplits

LONGER_WINS = 0.7
"""A noun gives way to a longer one that ends in it and has at least this share of its documents."""
LISTED_AFFIRMING = 2
"""Documents that must affirm a listed attribute; one that denies it is enough."""
MIN_FREE = 2
"""Documents that must call themselves free of an unlisted attribute before it is asked for without approval."""


class AskedAttribute(NamedTuple):
    """An attribute of a topic as queries say it."""

    noun: str
    """The name of the attribute, singular."""
    text: str
    """Y as people write it, without an article: "pets", "lift"."""
    countable: bool
    """Whether Y takes an article."""
    link: str
    """The key of the link that a query uses."""
    doubt: str
    """Why a person should say whether somebody would leave it out; empty if nobody needs to."""


class AttributeMiner:
    """Selects attributes and proposes them, and remembers what became of each."""

    def __init__(self, knowledge: Knowledge, settings: QuerySettings) -> None:
        self.knowledge = knowledge
        self.settings = settings
        self.considered: list[ConsideredAttribute] = []

    def select(self, counts: Mapping[Topic, Mapping[str, NounCount]]) -> dict[Topic, dict[str, NounCount]]:
        """The nouns of each topic that are affirmed and denied often enough; of "milk" and "coconut milk" the one meant."""
        selected = {}
        for topic, nouns in sorted(counts.items(), key=lambda item: item[0].text):
            passing = {}
            for noun, count in sorted(nouns.items()):
                if noun == topic.head:
                    continue
                shortage = find_shortage(len(count.affirmed), len(count.denied), self._needed(topic, noun))
                if shortage is None:
                    passing[noun] = count
                else:
                    self._drop(topic, noun, len(count.affirmed), len(count.denied), *shortage)
            kept = {}
            for noun, count in passing.items():
                if _means_longer(noun, passing):
                    self._drop(topic, noun, len(count.affirmed), len(count.denied), "longer_noun", LONGER)
                else:
                    kept[noun] = count
            if kept:
                selected[topic] = kept
        return selected

    def propose(
        self,
        selected: Mapping[Topic, Mapping[str, NounCount]],
        evidence: Mapping[str, Sides],
        topics: TopicTable,
        numbering: Numbering,
        splits: AskedSplits,
    ) -> Iterator[Proposal]:
        """One proposal for each topic, attribute and split."""
        for topic in sorted(selected, key=lambda topic: topic.text):
            members, domain = topics.members(topic), topics.domain(topic)
            for noun, count in sorted(selected[topic].items()):
                key = attribute_key(noun)
                affirming = np.intersect1d(np.intersect1d(members, evidence[key].affirming), count.affirmed)
                denying = np.intersect1d(np.intersect1d(members, evidence[key].denying), count.denied)
                if find_shortage(len(affirming), len(denying), self._needed(topic, noun)) is not None:
                    self._drop(topic, noun, len(affirming), len(denying), "unclear_texts", WHOLE_TEXT)
                    continue
                asked = self.ask(topic, noun, count)
                wordings = self._word_queries(topic, asked)
                sound = [wording for wording in wordings if find_fault(wording) is None]
                if not sound:
                    fault = find_fault(wordings[0])
                    self._drop(topic, noun, len(affirming), len(denying), f"{fault}", BAD_WORDING.format(fault=fault))
                    continue
                doubt = asked.doubt
                self.considered.append(
                    ConsideredAttribute(
                        topic.text,
                        sound[0].y,
                        len(affirming),
                        len(denying),
                        "doubtful" if doubt else "proposed",
                        "not_listed" if doubt else "",
                        doubt,
                    )
                )
                for split, (affirmed, denied, on_topic) in splits.deal(key, affirming, denying, members):
                    yield make_proposal(
                        (ATTRIBUTE, topic.text, noun, split),
                        sound,
                        attribute_words(noun, self.knowledge),
                        relation=attribute_relation(domain, asked.link),
                        domain=domain,
                        split=split,
                        status="doubtful" if doubt else "build",
                        score=2.0 * len(denied) + len(affirmed),
                        affirming=numbering.names(affirmed),
                        denying=numbering.names(denied),
                        topic_documents=len(members),
                        partners=len(on_topic) - len(affirmed),
                        by_signs=topics.is_by_signs(topic),
                        reason=doubt,
                    )

    def _needed(self, topic: Topic, noun: str) -> QuerySettings:
        """The settings with the counts that the attribute needs: of a listed one nobody has to prove that it is optional."""
        if noun not in listed_attributes(topic, self.knowledge).by_noun:
            return self.settings
        affirming, denying = min(LISTED_AFFIRMING, self.settings.min_affirming), min(1, self.settings.min_denying)
        needed = {"min_affirming": affirming, "min_denying": denying, "min_denying_share": 0.0}
        return self.settings.model_copy(update=needed)

    def _drop(self, topic: Topic, noun: str, affirming: int, denying: int, reason: str, help_: str) -> None:
        narrower = self.knowledge.kinds.get(noun, ()) if reason == "few_affirmations" else ()
        if narrower:
            help_ += f" Both texts must name it; narrower words such as {narrower[0]} are asked for by themselves."
        self.considered.append(ConsideredAttribute(topic.text, noun, affirming, denying, "dropped", reason, help_))

    def _doubt(self, topic: Topic, noun: str, count: NounCount) -> str:
        """Why a person should say whether somebody would ask for this; empty if nobody needs to."""
        if not topic.kind:
            return f"No domain file knows {topic.head!r} as a class; the corpus suggests it."
        listed = noun in listed_attributes(topic, self.knowledge).by_noun
        return "" if listed or count.links[FREE] >= MIN_FREE else NOT_LISTED

    def _link(self, topic: Topic, noun: str, count: NounCount) -> str:
        """The link that documents use most with the noun, among those that a domain file allows."""
        listed = listed_attributes(topic, self.knowledge).by_noun.get(noun)
        allowed = listed.links if listed is not None else tuple(self.knowledge.links)
        used = {
            key: sum(n for word, n in count.links.items() if key in self.knowledge.links_of_word.get(word, ()))
            for key in allowed
        }
        best = max(used.values())
        return next(key for key in allowed if used[key] == best) if best or listed is not None else "has"

    def ask(self, topic: Topic, noun: str, count: NounCount) -> AskedAttribute:
        """How to ask for an attribute: as the domain file writes it, else in the number in which the documents use it most."""
        link, doubt = self._link(topic, noun, count), self._doubt(topic, noun, count)
        listed = listed_attributes(topic, self.knowledge).by_noun.get(noun)
        if listed is not None:
            return AskedAttribute(noun, listed.text, listed.countable, link, doubt)
        if 2 * count.plural >= count.total:
            return AskedAttribute(noun, plural(noun), False, link, doubt)
        return AskedAttribute(noun, noun, 4 * count.with_article >= count.total - count.plural, link, doubt)

    def _word_queries(self, topic: Topic, asked: AskedAttribute) -> list[QueryWording]:
        """All wordings that ask for the topic without the attribute."""
        return [
            word_query(family, asked.link, topic.text, asked.text, countable_singular=asked.countable, stem=asked.noun)
            for family in self.knowledge.links[asked.link].families
        ]


def _means_longer(noun: str, passing: Mapping[str, NounCount]) -> bool:
    """Whether most documents with the noun have a longer one that ends in it: "coconut milk" for "milk"."""
    here = passing[noun].documents
    longer = (other for other in passing if other.endswith(f" {noun}"))
    return any(passing[other].documents >= LONGER_WINS * here for other in longer)


def attribute_key(noun: str) -> str:
    """The key of an attribute in tables of Y."""
    return f"{ATTRIBUTE}\x1f{noun}"
