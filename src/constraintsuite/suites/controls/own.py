"""Controls that only one constraint type has: its queries in other words, its values in other forms, and a value of something else."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import Annotated

from pydantic import BeforeValidator, Field

from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.controls.rewrites import Rewriter, RewrittenExample
from constraintsuite.suites.queries.records import Wording


def _as_forms(value: object) -> object:
    return [value] if isinstance(value, str) else value


Forms = Annotated[tuple[str, ...], BeforeValidator(_as_forms)]
Slots = Mapping[str, str]
"""What a type puts into the slots of its rules for one example; a rule with another slot does not fit the example."""


class Rewording(StrictModel, populate_by_name=True):
    """Words of a query, and other words that mean the same."""

    old: str = Field(alias="from")
    new: Forms = Field(alias="to")


class ControlWords(StrictModel):
    """The words of one type's controls."""

    rewordings: Mapping[str, tuple[Rewording, ...]]
    """By kind of control; of a kind, the first rule that fits a query is used."""
    distractions: Forms
    """Queries with a value that belongs to something else; the query is `{query}`, `{question}` if it is one, else `{asked}`."""


Fill = Callable[[Example], Slots]


@dataclass(frozen=True)
class OwnControls:
    """What one constraint type adds to the controls that every type has."""

    rewriters: Mapping[str, Rewriter]
    """Rewritings that keep the meaning, by kind."""
    distraction: str
    """The kind of its adversarial controls, such as `other_number`."""
    distractions: Sequence[str]
    """Their queries, with slots."""
    distract: Fill
    """The slots of a value that belongs to something else; empty if the example has none that will do."""


def read_words(name: str) -> ControlWords:
    """The words in a data file of `suites/constraints`."""
    return read_package_yaml(ControlWords, "constraintsuite.suites.constraints", name)


def slots_of(template: str) -> set[str]:
    """The names of the slots of a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def rewriters(words: ControlWords, fill: Fill) -> dict[str, Rewriter]:
    """A rewriter for each kind of rewording in a data file."""

    def make(kind: str, rules: Sequence[Rewording]) -> Rewriter:
        return lambda example, rng: reword(example, kind, rules, fill(example), rng)

    return {kind: make(kind, rules) for kind, rules in words.rewordings.items()}


def reword(
    example: Example, kind: str, rules: Sequence[Rewording], slots: Slots, rng: random.Random
) -> RewrittenExample | None:
    """The query and its opposite in other words, both in the same way if the rules give both as many; None if no rule fits."""
    found = _match(example.query, rules, slots)
    if found is None:
        return None
    rule, old = found
    ways = [way for way, new in enumerate(rule.new) if slots_of(new) <= slots.keys() and new.format(**slots) != old]
    if not ways:
        return None
    way = rng.choice(ways)
    new = rule.new[way].format(**slots)
    opposite = example.opposite
    if opposite is not None and (other := _match(opposite, rules, slots)) is not None:
        same_way = other[0].new[min(way, len(other[0].new) - 1)]
        if slots_of(same_way) <= slots.keys():
            opposite = _exchange_words(opposite, other[1], same_way.format(**slots))
    query = _exchange_words(example.query, old, new)
    cue = example.constraint.cue if example.constraint else ""
    return RewrittenExample(f"{kind}: query {old} -> {new}", query, opposite, cue=cue if cue in query else new)


def _match(query: str, rules: Sequence[Rewording], slots: Slots) -> tuple[Rewording, str] | None:
    """The first rule that fits, and its words in the query."""
    for rule in rules:
        if slots_of(rule.old) <= slots.keys():
            old = rule.old.format(**slots)
            if re.search(_whole(old), query):
                return rule, old
    return None


def _exchange_words(query: str, old: str, new: str) -> str:
    return re.sub(_whole(old), lambda _: new, query, count=1)


def _whole(words: str) -> str:
    """A pattern for these words alone: not for "90 minutes" in "1,090 minutes"."""
    return rf"(?<![\w£€$-])(?<!\d[.,]){re.escape(words)}(?![\w-])"


@cache
def full_sentences() -> tuple[str, ...]:
    """Sentences that ask for what keywords ask for."""
    return read_package_yaml(tuple[str, ...], "constraintsuite.suites.controls", "data", "sentences.yaml")


def restate(wordings: Callable[[Example], Sequence[Wording]]) -> Rewriter:
    """A rewriter that asks for the same in another wording of the type, or in a full sentence."""

    def rewrite(example: Example, rng: random.Random) -> RewrittenExample | None:
        others = [one for one in wordings(example) if one.query != example.query]
        keywords = [one for one in wordings(example) if not any(map(_stands_alone, (one.query, one.opposite)))]
        if keywords and (not others or rng.random() < 0.5):
            one, frame = rng.choice(keywords), rng.choice(full_sentences())
            query, opposite = frame.format(query=one.query), frame.format(query=one.opposite)
        elif others:
            one = rng.choice(others)
            query, opposite = one.query, one.opposite
        else:
            return None
        return RewrittenExample(f"restated: query {one.template}", query, opposite, cue=one.cue)

    return rewrite


def _stands_alone(query: str) -> bool:
    """Whether a query fits into no sentence: it is one, or has an afterthought ("films, but no dramas")."""
    return is_question(query) or "," in query


def is_question(query: str) -> bool:
    """Whether a query is a full question."""
    return query.endswith("?")
