"""Which constraints can be asked for together in a corpus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Split
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.combined.combining import Combination, QueryPart, combine
from constraintsuite.suites.combined.record import AllOf
from constraintsuite.suites.combined.wording import word_combination
from constraintsuite.suites.constraints.base import ConstraintSurvey
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.queries.considered import ConsideredAttribute
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.wording import MOST_EXPECTED
from constraintsuite.suites.splits import AskedSplits

NamesOf = Callable[[int, Sequence[str]], tuple[str, ...]]
"""The names of documents that are given as bits, in the order of a list."""
PART_TYPES = ("exclude", "number", "time", "place", "one_of")
"""The types that are combined."""
GRADES = "grades.jsonl"
WHAT = "several constraints at once"


@dataclass(frozen=True, slots=True)
class GradedDocuments:
    """The documents that break two parts of a proposal, those that break three, and so on, and obey the others."""

    proposal: str
    documents: tuple[tuple[str, ...], ...]


@dataclass
class CombinedSurvey:
    """The combinations of what other constraint types propose."""

    proposed: Mapping[str, Sequence[Proposal]]
    """What the types of the recipe propose, filled before `propose` is called."""
    unasked: Mapping[str, ConstraintSurvey]
    """What types found of which no examples are made by themselves."""
    _considered: list[ConsideredAttribute] = field(default_factory=list)
    _grades: list[GradedDocuments] = field(default_factory=list)

    @property
    def names(self) -> Mapping[str, DocumentNumbers]:
        """Those of the types of which no examples are made; the others tell theirs themselves, here and below."""
        return {name: numbers for survey in self.unasked.values() for name, numbers in survey.names.items()}

    @property
    def ties(self) -> Iterator[Sequence[DocumentNumbers]]:
        """Documents that should share a split."""
        return chain.from_iterable(survey.ties for survey in self.unasked.values())

    @property
    def uses(self) -> Iterator[DocumentNumbers]:
        """The documents that the parts can be asked of."""
        return chain.from_iterable(survey.uses for survey in self.unasked.values())

    @property
    def considered(self) -> Iterator[ConsideredAttribute]:
        """What became of the parts, and of each topic that has any."""
        yield from chain.from_iterable(survey.considered for survey in self.unasked.values())
        yield from self._considered

    def propose(self, splits: AskedSplits, rejects: Counter[str]) -> Iterator[Proposal]:
        """Queries for each topic and split in which several parts have documents in common."""
        unasked = chain.from_iterable(survey.propose(splits, rejects) for survey in self.unasked.values())
        topics: dict[str, dict[Split, list[Proposal]]] = defaultdict(lambda: defaultdict(list))
        for proposal in chain(chain.from_iterable(self.proposed.values()), unasked):
            if can_be_part(proposal):
                topics[proposal.topic][proposal.split].append(proposal)
        for topic in sorted(topics):
            found = [one for split in sorted(topics[topic]) for one in self._combine(topics[topic][split], rejects)]
            self._considered.append(_consider(topic, list(chain.from_iterable(topics[topic].values())), found))
            yield from found

    def write(self, out: Path) -> None:
        """Write the documents that break more than one part."""
        write_jsonl(out / GRADES, self._grades)

    def _combine(self, proposals: Sequence[Proposal], rejects: Counter[str]) -> Iterator[Proposal]:
        documents = sorted({name for one in proposals for name in (*one.satisfying, *one.violating)})
        bits = {name: 1 << place for place, name in enumerate(documents)}

        def as_bits(names: Iterable[str]) -> int:
            return sum(bits[name] for name in names)

        parts = [QueryPart(one, as_bits(one.satisfying), as_bits(one.violating)) for one in proposals]

        def names(found: int, order: Sequence[str]) -> tuple[str, ...]:
            return tuple(name for name in order if bits[name] & found)

        for one in combine(parts):
            made = _make_proposal(one, names)
            rejects["query:all_of_without_words"] += made is None
            if made is not None:
                self._grades.append(GradedDocuments(made.id, tuple(names(found, documents) for found in one.grades())))
                yield made


def can_be_part(proposal: Proposal) -> bool:
    """Whether a proposal may be combined: a person need not decide about it, and documents obey and break it by what they say."""
    is_said = proposal.is_attribute or not isinstance(proposal.constraint, Exclude)
    return proposal.is_buildable and is_said and proposal.constraint.type in PART_TYPES


def _make_proposal(one: Combination, names: NamesOf) -> Proposal | None:
    own = [part.proposal for part in one.parts]
    wordings = word_combination(own, one.broken)
    if not wordings:
        return None
    first, *others = wordings
    broken = own[one.broken]
    satisfying, violating = names(one.satisfying, broken.satisfying), names(one.violating, broken.violating)
    constraint = AllOf(
        value=", ".join(part.constraint.value for part in own),
        cue=first.cue,
        forms=_words(part.constraint for part in own),
        parts=tuple(part.constraint for part in own),
        broken=one.broken,
    )
    return replace(
        broken,
        id=f"p{stable_hash('all_of', broken.id, *(part.id for part in own)):016x}",
        constraint=constraint,
        query=first.query,
        opposite=first.opposite,
        relation=f"{broken.relation}_of_{len(own)}",
        template=first.template,
        template_family=first.template_family,
        score=float(min(len(satisfying), len(violating))),
        satisfying=satisfying,
        violating=violating,
        examples_expected=min(len(satisfying), len(violating), MOST_EXPECTED),
        is_attribute=False,
        other_wordings=tuple(others),
    )


def _words(constraints: Iterable[Constraint]) -> tuple[str, ...]:
    """All words that stand for the value of a part."""
    return tuple(dict.fromkeys(word for one in constraints for word in (one.value, *one.forms, *one.kinds)))


def _consider(topic: str, parts: Sequence[Proposal], found: Sequence[Proposal]) -> ConsideredAttribute:
    documents = Counter(name for part in parts for name in {*part.satisfying, *part.violating})
    several = sum(count > 1 for count in documents.values())
    if found:
        return ConsideredAttribute(topic, WHAT, several, 0, "proposed", "", "", deniable=False)
    return ConsideredAttribute(topic, WHAT, several, 0, "dropped", "nothing_together", NOTHING_TOGETHER, deniable=False)


NOTHING_TOGETHER = (
    "no two texts of one split obey the same constraint and differ in another one. Add texts that state several of what "
    "can be asked: a price, a place, a year, what is missing."
)


def read_grades(folder: Path) -> dict[str, tuple[tuple[str, ...], ...]]:
    """By proposal, the documents that break two parts, those that break three, and so on."""
    return {one.proposal: one.documents for one in read_jsonl(folder / GRADES, GradedDocuments)}
