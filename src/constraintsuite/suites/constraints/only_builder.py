"""How `csuite build` makes examples of the constraint type `only`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING
from constraintsuite.core.records.text import Document
from constraintsuite.suites.constraints.only import (
    AskedMeasure,
    Only,
    extents_of,
    find_extent,
    only_measures,
    page_of,
    read_evidence,
)
from constraintsuite.suites.constraints.only_reading import Extent, OnlyPage, read_extents
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair, PairDraft
from constraintsuite.suites.queries.considered import ConsideredAttribute
from constraintsuite.suites.queries.records import Proposal, Topic, Wording
from constraintsuite.suites.queries.relations import fits
from constraintsuite.suites.queries.topics import plural, plural_of_value
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.reading.records import ScopedStatements
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.sides.drafts import side_drafts
from constraintsuite.suites.sides.questions import Side, SidesSurvey, TwoSidedQuestion, in_any_order
from constraintsuite.text.base import Analysis

LEAST_ON_EACH_SIDE = 2
LEAST_SHARE = 0.1
"""Share of the texts with the value that each side must have: nobody asks for all but a few films."""
ONE_SIDE = (
    f"{LEAST_ON_EACH_SIDE} texts must state it alone and {LEAST_ON_EACH_SIDE} together with another, each at least "
    f"{LEAST_SHARE:.0%} of all. Add such texts."
)


@dataclass(frozen=True)
class OnlyBuilder:
    """Makes examples from texts that state one value alone, and from texts that state it with another."""

    balanced: Mapping[str, str]

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> SidesSurvey:
        """Find the values that some documents of a topic have alone, and others with another one."""
        extents: dict[tuple[str, str, str], dict[int, Extent]] = defaultdict(dict)
        for number, document, row in view.corpus.passages() if recipe.queries.mine else ():
            kinds = {topic.kind for topic in view.topics.topics_of(number)}
            measures = [measure for measure in only_measures().values() if kinds & {*measure.of}]
            if not measures:
                continue
            text, read = document.parse(Document), row.parse(ScopedStatements)
            page = OnlyPage(text.title, text.text, read.classes, read.facts, read.scopes)
            for measure in measures:
                for (one, other), extent in read_extents(measure, page, knowledge).items():
                    extents[measure.key, one, other][number] = extent
        considered: list[ConsideredAttribute] = []
        questions = [
            question
            for (key, one, other), found in sorted(extents.items())
            for question in _ask(only_measures()[key], (one, other), found, view, knowledge, considered)
        ]
        return SidesSurvey(questions, view.topics, view.corpus.numbering, considered)

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Natural texts, one with the value alone and one with several."""
        return side_drafts(proposals, job, rejects, lambda constraint: extents_of(constraint)[SATISFYING])

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Every value that the text states."""
        return read_evidence(constraint, role, page_of(title, analysis, knowledge), knowledge)

    def find_fault(self, pair: CheckedPair) -> str | None:
        """One text must state the value alone, the other with another one."""
        constraint, knowledge = pair.proposal.constraint, load_knowledge()
        wanted = extents_of(constraint)
        for role, document in ((SATISFYING, pair.satisfying), (VIOLATING, pair.violating)):
            page = page_of(document.title, document.analysis, knowledge)
            if find_extent(constraint, page, knowledge) != wanted[role]:
                return f"{role}_values_unclear"
        return None

    def complete(self, constraint: Constraint, documents: Mapping[str, CheckedDocument]) -> Constraint:
        """With every value that the texts state."""
        return replace(constraint, evidence=tuple(one for document in documents.values() for one in document.evidence))

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """What is asked about, and whether one value alone is asked for."""
        assert isinstance(constraint, Only)
        return {"measure": constraint.measure, "extent": constraint.extent}


def _ask(
    measure: AskedMeasure,
    values: tuple[str, str],
    extents: Mapping[int, Extent],
    view: CorpusView,
    knowledge: Knowledge,
    considered: list[ConsideredAttribute],
) -> Iterator[TwoSidedQuestion]:
    members: dict[Topic, list[int]] = defaultdict(list)
    for number in extents:
        for topic in view.topics.topics_of(number):
            if topic.kind in measure.of and _is_new(measure, topic, knowledge):
                members[topic].append(number)
    for topic in sorted(members, key=lambda topic: topic.text):
        alone = [number for number in members[topic] if extents[number] == "only"]
        several = [number for number in members[topic] if extents[number] == "several"]
        smaller, total = min(len(alone), len(several)), len(members[topic])
        is_asked = smaller >= max(LEAST_ON_EACH_SIDE, LEAST_SHARE * total)
        what = f"{values[0]} alone"
        if several:
            considered.append(
                ConsideredAttribute(topic.text, what, total, 0, "proposed", "", "", deniable=False)
                if is_asked
                else ConsideredAttribute(topic.text, what, total, 0, "dropped", "one_side", ONE_SIDE, deniable=False)
            )
        if is_asked:
            yield TwoSidedQuestion(topic, measure.key, _sides(measure, topic, values, (alone, several), knowledge))


def _is_new(measure: AskedMeasure, topic: Topic, knowledge: Knowledge) -> bool:
    """Whether the topic is narrow enough, and does not say the value already: nobody asks for comedies that are comedies alone."""
    if measure.reading == "list":
        return fits(topic, knowledge.relations[measure.relation])
    return measure.reading == "said" or not topic.bare


def _within(value: str, topic: Topic) -> str:
    """The value in front of a topic, but after its decade: "1950s Italian films"."""
    decade = f"{topic.decade} " if topic.decade else ""
    return f"{decade}{value} {topic.text.removeprefix(decade)}"


def _sides(
    measure: AskedMeasure,
    topic: Topic,
    values: tuple[str, str],
    numbers: tuple[Sequence[int], Sequence[int]],
    knowledge: Knowledge,
) -> tuple[Side, Side]:
    one, other = values
    relation = knowledge.relations.get(measure.relation)
    slots = {
        "topic": topic.text,
        "y": one,
        "o": other,
        "y_topic": _within(one, topic),
        "purely_y_topic": _within(f"purely {one}", topic),
        "ys": plural_of_value(relation, one) if relation is not None else plural(one),
    }
    alone: list[Wording] = []
    several: list[Wording] = []
    for wording in measure.wordings:
        query, opposite = wording.only.format(**slots), wording.several.format(**slots)
        names = (f"{wording.name}_ONLY", f"{wording.name}_SEVERAL")
        alone.append(Wording(query, opposite, names[0], f"{measure.key}.{names[0]}", wording.cues[0]))
        several.append(Wording(opposite, query, names[1], f"{measure.key}.{names[1]}", wording.cues[1]))
    constraint = Only(
        value=f"{one} alone",
        cue=alone[0].cue,
        forms=measure.members.get(one, (one,)),
        measure=measure.key,
        one=one,
        other=other,
        extent="only",
    )
    return (
        Side(constraint, tuple(alone), in_any_order(numbers[0])),
        Side(replace(constraint, cue=several[0].cue, extent="several"), tuple(several), in_any_order(numbers[1])),
    )


BUILDER = OnlyBuilder(
    {
        "shorter": "unbalanced_length",
        "fewer_negations": "unbalanced_negations",
        "fewer_of_the_value": "unbalanced_mentions",
        "more_only": "unbalanced_words",
        "first_id": "unbalanced_ids",
    }
)
