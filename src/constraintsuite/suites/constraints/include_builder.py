"""How `csuite build` makes examples of the constraint type `include`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING
from constraintsuite.core.records.text import Document
from constraintsuite.suites.constraints.include import (
    Include,
    include_data,
    read_mentions,
    wanted_of,
    what_it_has,
)
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair, PairDraft
from constraintsuite.suites.queries.attributes import AskedAttribute, AttributeMiner, attribute_key
from constraintsuite.suites.queries.combining import CombinedWording, combine
from constraintsuite.suites.queries.considered import ConsideredAttribute
from constraintsuite.suites.queries.evidence import Sides, YWords, collect_sides
from constraintsuite.suites.queries.left_out import attribute_words, listed_attributes, looked_for
from constraintsuite.suites.queries.noun_counts import NounCount, count_topic_nouns
from constraintsuite.suites.queries.records import Proposal, Topic, Wording, attribute_relation
from constraintsuite.suites.queries.relations import fits, y_words
from constraintsuite.suites.queries.topics import plural_of_value
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.reading.closed_lists import read_closed_list
from constraintsuite.suites.reading.records import ClassesRead
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.sides.drafts import side_drafts
from constraintsuite.suites.sides.questions import Side, SidesSurvey, TwoSidedQuestion, in_any_order
from constraintsuite.text.base import Analysis
from constraintsuite.text.mentions import find_forms

LEAST_ON_EACH_SIDE = 2
"""Texts with both attributes, and texts that deny the second."""
LEAST_LISTED = 3
"""The same for values of a closed list, where a text only has to leave the second out."""
LEAST_SHARE = 0.25
"""Share of the texts with the first value that must have the second, or must not: nobody asks for all but a few."""
FEW_TEXTS = (
    f"{LEAST_ON_EACH_SIDE} texts must affirm both, and {LEAST_ON_EACH_SIDE} must affirm the first and deny the second. "
    "Add texts that name several attributes."
)
NOT_LEFT_OUT = (
    "No domain file lists the second as something that people leave out of this class. If somebody would ask for the first "
    "without it, accept it by hand, or add it to left_out in a domain file."
)


@dataclass(frozen=True)
class IncludeBuilder:
    """Makes examples from what texts affirm together, and from what they affirm and deny."""

    balanced: Mapping[str, str]

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> SidesSurvey:
        """Find two attributes that some texts have together, and of which others have only the first."""
        considered: list[ConsideredAttribute] = []
        questions: list[TwoSidedQuestion] = []
        if recipe.queries.mine:
            questions += _ask_attributes(view, knowledge, recipe, considered)
            for relation in include_data().lists:
                questions += _ask_lists(relation, view, knowledge, considered)
        members = (
            view.topics.members(topic) for topic in dict.fromkeys(one.topic for one in questions if not one.doubt)
        )
        return SidesSurvey(questions, view.topics, view.corpus.numbering, considered, ties=(list(members),))

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Natural texts, one with both attributes and one with the first alone."""
        return side_drafts(proposals, job, rejects, lambda constraint: wanted_of(constraint)[SATISFYING])

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Every mention of one of the two attributes."""
        return read_mentions(constraint, role, analysis, knowledge)

    def find_fault(self, pair: CheckedPair) -> str | None:
        """One text must have both attributes for sure, the other the first for sure and the second not."""
        constraint, knowledge = pair.proposal.constraint, load_knowledge()
        wanted = wanted_of(constraint)
        for role, document in ((SATISFYING, pair.satisfying), (VIOLATING, pair.violating)):
            if what_it_has(constraint, document.title, document.analysis, knowledge) != wanted[role]:
                return f"{role}_attributes_unclear"
        return None

    def complete(self, constraint: Constraint, documents: Mapping[str, CheckedDocument]) -> Constraint:
        """With every mention of the two attributes."""
        return replace(constraint, evidence=tuple(one for document in documents.values() for one in document.evidence))

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """Whether both attributes are asked for or the first alone, and how a text lacks the second."""
        assert isinstance(constraint, Include)
        return {"wanted": constraint.wanted, "lacking": "silent" if constraint.relation else "denied"}


# Attributes that texts affirm and deny


def _ask_attributes(
    view: CorpusView, knowledge: Knowledge, recipe: Recipe, considered: list[ConsideredAttribute]
) -> Iterator[TwoSidedQuestion]:
    miner = AttributeMiner(knowledge, recipe.queries)
    selected = miner.select(count_topic_nouns(view, knowledge, recipe.queries))
    nouns = {noun for found in selected.values() for noun in found}
    entries = {attribute_key(noun): attribute_words(noun, knowledge) for noun in sorted(nouns)}
    evidence = collect_sides(entries, view.corpus.read(view.topics.with_topic()))
    for topic in sorted(selected, key=lambda topic: topic.text):
        members = view.topics.members(topic)
        firm = {noun: _firm(count, evidence[attribute_key(noun)], members) for noun, count in selected[topic].items()}
        for first, second in permutations(_wanted(topic, selected[topic], miner), 2):
            having = firm[first.noun].affirming
            both = np.intersect1d(having, firm[second.noun].affirming).tolist()
            alone = np.intersect1d(having, firm[second.noun].denying).tolist()
            wordings = combine(topic.text, first, second, knowledge)
            if not (both and alone and wordings):
                continue
            found = _consider(topic, first, second, len(both), len(alone))
            considered.append(found)
            if found.outcome != "dropped":
                relation = attribute_relation(view.topics.domain(topic), second.link)
                own, other = (entries[attribute_key(one.noun)] for one in (first, second))
                constraint = _constraint(first.text, second.text, own, other)
                sides = in_any_order(both), in_any_order(alone)
                yield _question(topic, relation, constraint, wordings, *sides, doubt=found.help)


def _wanted(topic: Topic, nouns: Mapping[str, NounCount], miner: AttributeMiner) -> Iterator[AskedAttribute]:
    """The attributes that somebody may look for, by the domain files."""
    unwanted, sought = include_data().unwanted, looked_for(topic, miner.knowledge)
    listed = listed_attributes(topic, miner.knowledge).by_noun
    for noun, count in sorted(nouns.items()):
        if noun in listed and noun not in unwanted:
            yield miner.ask(topic, noun, count)
        elif noun in sought:
            found = sought[noun]
            yield AskedAttribute(noun, found.text, found.countable, found.links[0], NOT_LEFT_OUT)


def _firm(count: NounCount, sides: Sides, members: DocumentNumbers) -> Sides:
    """The documents of a topic that affirm an attribute for sure, in whole and in part, and those that deny it."""
    affirming, denying = (
        np.intersect1d(np.intersect1d(members, over_all), np.array(by_noun, dtype=np.uint32))
        for over_all, by_noun in ((sides.affirming, count.affirmed), (sides.denying, count.denied))
    )
    return Sides(affirming, denying)


def _consider(
    topic: Topic, first: AskedAttribute, second: AskedAttribute, both: int, alone: int
) -> ConsideredAttribute:
    what = f"{first.text} and {second.text}"
    if min(both, alone) < LEAST_ON_EACH_SIDE:
        return ConsideredAttribute(topic.text, what, both, alone, "dropped", "few_texts", FEW_TEXTS)
    if second.doubt:
        return ConsideredAttribute(topic.text, what, both, alone, "doubtful", "not_listed", NOT_LEFT_OUT)
    return ConsideredAttribute(topic.text, what, both, alone, "proposed", "", "")


# Values of closed lists


def _ask_lists(
    relation: str, view: CorpusView, knowledge: Knowledge, considered: list[ConsideredAttribute]
) -> Iterator[TwoSidedQuestion]:
    values: dict[int, frozenset[str]] = {}
    silent: dict[int, frozenset[str]] = {}
    words = _list_words(relation, knowledge)
    for number, document, row in view.corpus.passages():
        text = document.parse(Document)
        found = read_closed_list(text.text, row.parse(ClassesRead).classes, relation, knowledge)
        if found:
            values[number] = frozenset(one.y for one in found)
            silent[number] = frozenset(
                y for y in words.keys() - values[number] if _is_silent(words[y], f"{text.title}\n{text.text}")
            )
    members: dict[tuple[Topic, str], list[int]] = defaultdict(list)
    for number, stated in values.items():
        for topic in view.topics.topics_of(number):
            for first in _firsts(relation, topic, stated, knowledge):
                members[topic, first].append(number)
    for topic, first in sorted(members, key=lambda key: (key[0].text, key[1])):
        numbers = members[topic, first]
        for second in sorted(words):
            both = in_any_order(one for one in numbers if second in values[one])
            alone = in_any_order(one for one in numbers if second in silent[one])
            if first == second or not len(both):
                continue
            wordings = _word_list(relation, topic, first, second, knowledge)
            is_part = LEAST_SHARE <= len(both) / (len(both) + len(alone)) <= 1 - LEAST_SHARE
            if not wordings or min(len(both), len(alone)) < LEAST_LISTED or not is_part:
                continue
            considered.append(
                ConsideredAttribute(topic.text, f"{first} and {second}", len(both), len(alone), "proposed", "", "")
            )
            own = YWords((first, plural_of_value(knowledge.relations[relation], first)), ())
            constraint = _constraint(first, second, own, words[second], relation)
            yield _question(topic, f"{relation}_and", constraint, wordings, both, alone)


def _list_words(relation: str, knowledge: Knowledge) -> dict[str, YWords]:
    """The values that are asked about, with the words that show them."""
    return {y: y_words(knowledge.relations[relation], y) for y in knowledge.relations[relation].values}


def _is_silent(shown: YWords, text: str) -> bool:
    return not find_forms(text, (*shown.forms, *shown.blocked))


def _firsts(relation: str, topic: Topic, stated: frozenset[str], knowledge: Knowledge) -> Iterable[str]:
    """The first values of questions about a topic that is narrow enough."""
    definition = knowledge.relations[relation]
    return stated if topic.kind in definition.kinds and fits(topic, definition) else ()


def _word_list(relation: str, topic: Topic, first: str, second: str, knowledge: Knowledge) -> list[CombinedWording]:
    """Ways to ask for two values; none if one says the other, as romantic comedy says comedy."""
    if {*first.split()} & {*second.split()}:
        return []
    a, b = (plural_of_value(knowledge.relations[relation], one) for one in (first, second))
    slots = {"topic": topic.text, "as": a, "bs": b}
    return [
        CombinedWording(one.name, one.both.format(**slots), one.first.format(**slots), one.cue)
        for one in include_data().lists[relation]
    ]


# What both kinds share


def _constraint(first: str, second: str, first_words: YWords, second_words: YWords, relation: str = "") -> Include:
    return Include(
        value=f"{first} and {second}",
        cue="and",
        forms=(*first_words.forms, *second_words.forms),
        kinds=second_words.blocked,
        first_forms=first_words.forms,
        second_forms=second_words.forms,
        wanted="both",
        relation=relation,
        values=(first, second) if relation else (),
    )


def _question(
    topic: Topic,
    relation: str,
    constraint: Include,
    wordings: Sequence[CombinedWording],
    both: DocumentNumbers,
    alone: DocumentNumbers,
    *,
    doubt: str = "",
) -> TwoSidedQuestion:
    asking: list[Wording] = []
    lacking: list[Wording] = []
    for one in wordings:
        asking.append(Wording(one.both, one.first, f"{one.name}_BOTH", f"{relation}.{one.name}_BOTH", "and"))
        lacking.append(Wording(one.first, one.both, f"{one.name}_FIRST", f"{relation}.{one.name}_FIRST", one.cue))
    sides = (
        Side(constraint, tuple(asking), both),
        Side(replace(constraint, cue=wordings[0].cue, wanted="first"), tuple(lacking), alone),
    )
    return TwoSidedQuestion(topic, relation, sides, is_attribute=not constraint.relation, doubt=doubt)


BUILDER = IncludeBuilder(
    {
        "shorter": "unbalanced_length",
        "fewer_negations": "unbalanced_negations",
        "fewer_second": "unbalanced_mentions",
        "earlier_second": "unbalanced_position",
    }
)
