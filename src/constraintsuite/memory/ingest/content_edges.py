"""Edges from the content of units: conditions, exceptions and contradictions without a citation."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log

from constraintsuite.memory.ingest.citation_edges import siblings_of
from constraintsuite.memory.ingest.claims import Claim
from constraintsuite.memory.ingest.conflicts import ClaimConflict, compare, outcome_stems
from constraintsuite.memory.ingest.unit_reader import ReadDocument
from constraintsuite.memory.records import Edge, EdgeKind, weighted_edge

_RAREST = 5
"""How many of the rarest terms are looked up."""
_LONGEST_POSTING = 60
"""The most units that are looked at for a term: the nearest ones."""
_CANDIDATES = 24
_COVERED = 0.6
"""The share of a condition, by weight of its words, that another unit must contain."""
_RARE = 3
_NEAR = 3
_RULES = frozenset(("required", "barred", "allowed", "optional"))


class TermIndex:
    """Units by their terms; units are numbered in the order of their document."""

    def __init__(self, terms: Sequence[frozenset[str]]) -> None:
        self._units = len(terms)
        self._postings: dict[str, list[int]] = defaultdict(list)
        for unit, own in enumerate(terms):
            for term in own:
                self._postings[term].append(unit)

    def weight(self, terms: Iterable[str]) -> float:
        """Return the weight of some terms: the sum of their inverse document frequencies."""
        return sum(log(1 + self._units / len(self._postings.get(term, (0,)))) for term in sorted(terms))

    def frequency(self, term: str) -> int:
        """Count the units with a term."""
        return len(self._postings.get(term, ()))

    def candidates(self, terms: Iterable[str], unit: int) -> list[int]:
        """Return the units that share the most of the rarest terms; of equals the nearest first."""
        known = sorted(
            (term for term in terms if term in self._postings), key=lambda term: (self.frequency(term), term)
        )
        shared: Counter[int] = Counter()
        for term in known[:_RAREST]:
            shared.update(_nearest(self._postings[term], unit))
        shared.pop(unit, None)
        return sorted(shared, key=lambda other: (-shared[other], abs(other - unit), other))[:_CANDIDATES]


def _nearest(posting: Sequence[int], unit: int) -> Sequence[int]:
    if len(posting) <= _LONGEST_POSTING:
        return posting
    start = max(0, min(bisect_left(posting, unit) - _LONGEST_POSTING // 2, len(posting) - _LONGEST_POSTING))
    return posting[start : start + _LONGEST_POSTING]


def content_edges(document: ReadDocument, cited: Iterable[Edge]) -> Iterator[Edge]:
    """Yield the edges of one document; units are compared only if they share rare words."""
    linker = _Linker(document, cited)
    for unit in range(len(document.units)):
        yield from linker.exceptions(unit)
        yield from linker.conditions(unit)
        yield from linker.disagreements(unit)


class _Linker:
    def __init__(self, document: ReadDocument, cited: Iterable[Edge]) -> None:
        self.document = document
        self.readings = document.readings
        self.index = TermIndex([_terms(reading.claims) for reading in document.readings])
        self.cited: dict[str, set[EdgeKind]] = {}
        self.joined: set[frozenset[str]] = set()
        """Pairs of units that an exception links already."""
        for edge in cited:
            self.cited.setdefault(edge.source, set()).add(edge.kind)
            if edge.kind == "exception_to":
                self.joined.add(frozenset((edge.source, edge.target)))

    def exceptions(self, unit: int) -> Iterator[Edge]:
        """Link an exception without a citation to its rule."""
        reading = self.readings[unit]
        if "exception" not in reading.roles or "exception_to" in self.cited.get(self._id(unit), ()):
            return
        if any(one.relation != "refers_to" for one in reading.citations):
            return
        if reading.points_back:
            before = siblings_of(self.document, unit, -1)
            target = before if before is not None else self.document.places[unit].parent
            if target is not None:
                yield self._exception(unit, target, 0.8, "refers to the unit before it")
            return
        target, shared = self._rule_before(unit)
        if target is not None:
            yield self._exception(unit, target, 0.6, f"closest earlier rule that mentions {shared}")

    def conditions(self, unit: int) -> Iterator[Edge]:
        """Link a unit with a condition to the unit that establishes what the condition names."""
        for claim in self.readings[unit].claims:
            for named in (claim.condition, claim.exception):
                terms = named - outcome_stems()
                found = self._best_cover(unit, terms) if terms else None
                if found is not None and named is claim.exception and len(found[1]) == 1:
                    continue
                if found is not None:
                    target, shared, share = found
                    words = ", ".join(sorted(shared))
                    yield self._edge(unit, target, "depends_on", round(0.8 * share, 3), f"its condition names {words}")

    def disagreements(self, unit: int) -> Iterator[Edge]:
        """Link a unit to earlier ones that disagree: the narrower is an exception, equally wide ones contradict."""
        for claim in self.readings[unit].claims:
            for other in self.index.candidates(claim.nouns, unit):
                if other > unit or self._is_inside(unit, other) or self._is_joined(unit, other):
                    continue
                for against in self.readings[other].claims:
                    found = compare(claim, against)
                    if found is not None:
                        yield self._disagreement(unit, other, found)
                        break

    def _disagreement(self, unit: int, other: int, found: ClaimConflict) -> Edge:
        if found.conflict == "equal":
            return self._edge(unit, other, "contradicts", found.confidence, found.because)
        narrow, wide = (unit, other) if found.conflict == "first_narrower" else (other, unit)
        return self._exception(narrow, wide, round(found.confidence * 0.8, 3), f"narrower, and {found.because}")

    def _rule_before(self, unit: int) -> tuple[int | None, str]:
        """Return the nearest earlier unit of the section with a rule about the same thing, and what they share."""
        claims = self.readings[unit].claims
        nouns = frozenset[str]().union(*(claim.nouns | claim.exception for claim in claims))
        section = self.document.places[unit].section
        alone = self.readings[unit].opens_with_exception or not any(claim.exception for claim in claims)
        own = nouns | frozenset[str]().union(*(claim.verbs for claim in claims))
        for other in sorted(self.index.candidates(nouns, unit), reverse=True):
            if other > unit or self.document.places[other].section != section:
                continue
            rules = [claim for claim in self.readings[other].claims if claim.stance in _RULES]
            shared = nouns & _terms(rules)
            enough = bool(shared) if alone else self._share(own & _terms(rules), own) >= _COVERED and len(shared) > 1
            if enough and not self._is_joined(unit, other):
                return other, ", ".join(sorted(shared))
        return None, ""

    def _best_cover(self, unit: int, terms: frozenset[str]) -> tuple[int, frozenset[str], float] | None:
        """Return the unit that covers the most of some terms, what it covers, and the share; of equals the nearest before."""
        best: tuple[float, int, int] | None = None
        for other in self.index.candidates(terms, unit):
            share = self._share(terms & _terms(self.readings[other].claims), terms)
            rank = (share, -abs(other - unit) if other < unit else -abs(other - unit) - len(self.readings), other)
            if share >= _COVERED and not self._is_inside(unit, other) and (best is None or rank > best):
                best = rank
        if best is None:
            return None
        shared = terms & _terms(self.readings[best[2]].claims)
        return (best[2], shared, best[0]) if len(shared) > 1 or self._is_event(unit, best[2], shared) else None

    def _is_event(self, unit: int, other: int, shared: frozenset[str]) -> bool:
        """Whether one shared word is enough.

        It is if the word is rare and names an event that an earlier unit performs or a unit just before requires.
        """
        if other > unit or any(self.index.frequency(term) > _RARE for term in shared):
            return False
        near = unit - other <= _NEAR and self.document.places[unit].section == self.document.places[other].section
        claims = self.readings[other].claims
        return any(
            shared & claim.verbs or (near and claim.stance == "required" and not claim.subject) for claim in claims
        )

    def _is_inside(self, unit: int, other: int) -> bool:
        """Whether one of two units is a part of the other."""
        places = self.document.places
        return places[unit].parent == other or places[other].parent == unit

    def _is_joined(self, unit: int, other: int) -> bool:
        return frozenset((self._id(unit), self._id(other))) in self.joined

    def _share(self, shared: frozenset[str], terms: frozenset[str]) -> float:
        return self.index.weight(shared) / self.index.weight(terms) if terms else 0.0

    def _exception(self, unit: int, target: int, confidence: float, because: str) -> Edge:
        self.joined.add(frozenset((self._id(unit), self._id(target))))
        return self._edge(unit, target, "exception_to", confidence, because)

    def _edge(self, unit: int, target: int, kind: EdgeKind, confidence: float, because: str) -> Edge:
        return weighted_edge(self._id(unit), self._id(target), kind, confidence, because)

    def _id(self, unit: int) -> str:
        return self.document.units[unit].id


def _terms(claims: Iterable[Claim]) -> frozenset[str]:
    return frozenset[str]().union(*(claim.nouns | claim.verbs for claim in claims))
