"""Proposes queries for what a person did and did not do: "films that X worked on but did not direct".

The passages for them have invented names. In one of the two X directed and another person wrote, in the other it is the other
way round. So each text obeys one of two queries and breaks the other, and neither denies anything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Split
from constraintsuite.suites.domain import Knowledge, Relation, RoleWording
from constraintsuite.suites.invented.names import NameGroup, group_for, invent_person
from constraintsuite.suites.invented.passage import RealPassage
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.wording import QueryWording, make_proposal
from constraintsuite.suites.reading.names import surname


@dataclass(frozen=True, slots=True)
class RolePair:
    """Two passages, or one and its rewriting, in which one invented name has different roles."""

    id: str
    name: str
    sources: tuple[str, str]
    """The passages; the same twice if the second text is the first with two people exchanged."""
    people: tuple[str, str]
    """The real person of each passage who gets the name; if the passages are the same, the two who are exchanged."""
    proposals: tuple[str, str]
    """The ids of the two proposals; the first text breaks the first, and the second text the second."""


@dataclass(frozen=True)
class _Credits:
    """Who did what, by a passage: each person who is named once, with their relations."""

    passage: RealPassage
    kind: str
    split: Split
    group: NameGroup
    roles: Mapping[str, frozenset[str]]

    @property
    def stated(self) -> frozenset[str]:
        return frozenset(role for roles in self.roles.values() for role in roles)


def propose_roles(
    passages: Iterable[tuple[RealPassage, str]], splits: Mapping[str, Split], knowledge: Knowledge
) -> Iterator[tuple[RolePair, tuple[Proposal, Proposal]]]:
    """Pairs of texts with two proposals each; a passage comes with the kind of thing that it is about."""
    credits = [
        found
        for passage, kind in passages
        if len((found := _read_credits(passage, kind, splits[passage.source], knowledge)).roles) > 1
    ]
    yield from (_propose(*one, knowledge) for one in _exchanges(credits))
    yield from (_propose(*one, knowledge) for one in _neighbours(credits))


def _read_credits(passage: RealPassage, kind: str, split: Split, knowledge: Knowledge) -> _Credits:
    """The people of a passage with their roles.

    Who shares a role with somebody else is left out: someone else directed that film too. Only a cast has many members.
    """
    roles: dict[str, set[str]] = defaultdict(set)
    fillers = Counter(fact.relation for fact in passage.facts)
    for fact in passage.facts:
        relation = knowledge.relations[fact.relation]
        is_alone = fillers[fact.relation] == 1 or relation.leading is not None
        if relation.roles and is_alone and _is_named_once(fact.y, passage.text):
            roles[fact.y].add(fact.relation)
    return _Credits(passage, kind, split, group_for(passage.nationalities), {y: frozenset(r) for y, r in roles.items()})


def _is_named_once(name: str, text: str) -> bool:
    """Whether nothing else in the text can be about this person."""
    after = text.partition(name)[2]
    return text.count(surname(name)) == 1 and not after.startswith(
        (" who", ", who", "'s", "’s", " as ", " (", ", in ", " of ")
    )


@dataclass(frozen=True)
class _Parts:
    """A person in each of two passages, with a role that the other does not have there."""

    credits: tuple[_Credits, _Credits]
    people: tuple[str, str]
    roles: tuple[str, str]


def _exchanges(credits: Sequence[_Credits]) -> Iterator[tuple[str, _Parts]]:
    """One exchange per passage: two people with no role in common."""
    for one in credits:
        parts = _choose(one, one)
        if parts is not None:
            yield "exchange", parts


def _neighbours(credits: Sequence[_Credits]) -> Iterator[tuple[str, _Parts]]:
    """Passages of similar length about the same kind of thing, each in at most one pair."""
    groups: dict[tuple[str, Split, str], list[_Credits]] = defaultdict(list)
    for one in credits:
        groups[one.kind, one.split, one.group.name].append(one)
    for _, group in sorted(groups.items()):
        ordered = sorted(group, key=lambda one: (len(one.passage.text.split()), one.passage.source))
        taken: set[str] = set()
        for first, second in pairwise(ordered):
            parts = _choose(first, second) if first.passage.source not in taken else None
            if parts is not None:
                taken |= {first.passage.source, second.passage.source}
                yield "neighbours", parts


def _choose(first: _Credits, second: _Credits) -> _Parts | None:
    """A person of each passage, by hash; both passages state both roles, so that neither is silent about one."""
    possible = [
        _Parts((first, second), (a, b), roles)
        for roles in permutations(sorted(first.stated & second.stated), 2)
        for a in sorted(first.roles)
        for b in sorted(second.roles)
        if roles[0] in first.roles[a] - second.roles[b] and roles[1] in second.roles[b] - first.roles[a]
    ]
    key = stable_hash("roles", first.passage.source, second.passage.source)
    return possible[key % len(possible)] if possible else None


def _propose(way: str, parts: _Parts, knowledge: Knowledge) -> tuple[RolePair, tuple[Proposal, Proposal]]:
    sources = (parts.credits[0].passage.source, parts.credits[1].passage.source)
    identity = f"{stable_hash('roles', way, *sources):016x}"
    one = parts.credits[0]
    person = parts.people[0] if way == "exchange" else "|".join(parts.people)
    name = invent_person(person, one.group, one.split)
    first, second = (
        _proposal(identity, name, knowledge.relations[role], parts, i, knowledge) for i, role in enumerate(parts.roles)
    )
    return RolePair(identity, name, sources, parts.people, (first.id, second.id)), (first, second)


def _proposal(
    identity: str, name: str, relation: Relation, parts: _Parts, place: int, knowledge: Knowledge
) -> Proposal:
    credits = parts.credits[place]
    sources = [one.passage.source for one in parts.credits]
    wording = relation.roles[int(identity, 16) % len(relation.roles)]
    return make_proposal(
        ("role", identity, relation.key),
        [_word(wording, name, relation.key, knowledge.classes[credits.kind].plural or f"{credits.kind}s")],
        YWords((name, surname(name)), ()),
        relation=relation.key,
        domain=knowledge.domain_of_kind[credits.kind],
        split=credits.split,
        status="build",
        score=1.0,
        affirming=[sources[place]],
        denying=[sources[1 - place]],
        topic_documents=2,
        partners=1,
        is_attribute=False,
        is_name=True,
        role=relation.key,
    )


def _word(wording: RoleWording, name: str, owner: str, things: str) -> QueryWording:
    slots = {"y": name, "things": things}
    opposite, query = wording.opposite.format(**slots), wording.query.format(**slots)
    return QueryWording(f"{name} {things}", name, opposite, query, wording.name, f"{owner}.{wording.name}", wording.cue)
