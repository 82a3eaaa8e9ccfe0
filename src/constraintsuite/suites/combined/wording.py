"""Words a query for several constraints from the words that each has of its own.

The wordings of a part are taken apart: "walks under 8 km" says "under 8 km" after the topic, "Which walks are shorter than 8 km?"
has the clause "are shorter than 8 km", and "French or Italian films" puts its words before the topic.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.suites.queries.records import Proposal, Wording

WHICH = "WHICH"
WordPlace = Literal["before", "after", "clause"]
"""Where the words of a part stand: before the topic, after it, or as a clause about it."""


@dataclass(frozen=True, slots=True)
class PartWords:
    """The words of a part in one place of a query."""

    ask: str
    turned: str
    """The words that ask for the opposite; empty if they would stand in another place."""
    cue: str
    type: str
    """The type of the part's constraint."""


WordsByPlace = Mapping[WordPlace, Sequence[PartWords]]


def take_apart(part: Proposal) -> WordsByPlace:
    """The words of each wording of a part, by their place."""
    found: dict[WordPlace, list[PartWords]] = defaultdict(list)
    for wording in part.wordings:
        ask, turned = (_place_words(part.topic, query) for query in (wording.query, wording.opposite))
        if ask is not None:
            place, words = ask
            other = turned[1] if turned is not None and turned[0] == place else ""
            found[place].append(PartWords(words, other, wording.cue, part.constraint.type))
    return found


def _place_words(topic: str, query: str) -> tuple[WordPlace, str] | None:
    """The words of a query besides its topic, and their place."""
    question = re.fullmatch(rf"[Ww]hich {re.escape(topic)} (.+?)\??", query)
    if question:
        return "clause", question[1]
    if query.startswith(f"{topic} "):
        words = query.removeprefix(f"{topic} ")
        first, _, clause = words.partition(" ")
        if first in ("that", "who"):
            return "clause", clause
        return None if first == "you" else ("after", words)
    return ("before", query.removesuffix(f" {topic}")) if query.endswith(f" {topic}") else None


def word_combination(parts: Sequence[Proposal], broken: int) -> tuple[Wording, ...]:
    """Two pairs of ways to ask for all parts, first a phrase and then a sentence; none if a part has no fitting words.

    The opposite of each asks for the same with the broken part turned round.
    """
    chance = stable_hash(*(part.id for part in parts))
    words = [_choose(take_apart(part), chance, must_turn=place == broken) for place, part in enumerate(parts)]
    topic, half = parts[0].topic, (len(parts) + 1) // 2
    people = any(wording.query.startswith(f"{topic} who ") for part in parts for wording in part.wordings)
    anywhere: tuple[WordPlace, ...] = ("before", "after", "clause")
    in_clauses: tuple[WordPlace, ...] = ("clause", "before", "after")
    forms: dict[str, tuple[str, list[tuple[WordPlace, ...]]]] = {
        "KEYWORDS": ("{}", [anywhere] * len(parts)),
        WHICH: ("Which {}?", [in_clauses] * len(parts)),
        "THAT": ("{}", [in_clauses] * len(parts)),
        "LOOKING_FOR": ("I am looking for {}.", [anywhere] * half + [in_clauses] * (len(parts) - half)),
    }
    found = []
    for name, (frame, orders) in forms.items():
        known = [one for own, order in zip(words, orders, strict=True) if (one := _first(own, order)) is not None]
        if len(known) < len(parts) or (name == WHICH and all(place != "clause" for place, _ in known)):
            return ()
        pronoun = "" if name == WHICH else "who" if people else "that"
        query, opposite = (frame.format(_compose(topic, known, turned, pronoun)) for turned in (None, broken))
        found.append(Wording(query, opposite, name, f"all_of.{name}", known[broken][1].cue))
    return tuple(found)


def _choose(words: WordsByPlace, chance: int, *, must_turn: bool) -> dict[WordPlace, PartWords]:
    """One choice for each place, the same for parts with the same wordings, so that they can be joined."""
    able = {place: [one for one in found if one.turned or not must_turn] for place, found in words.items()}
    return {place: found[chance % len(found)] for place, found in able.items() if found}


def _first(words: Mapping[WordPlace, PartWords], order: Sequence[WordPlace]) -> tuple[WordPlace, PartWords] | None:
    return next(((place, words[place]) for place in order if place in words), None)


def _compose(topic: str, placed: Sequence[tuple[WordPlace, PartWords]], turned: int | None, pronoun: str) -> str:
    """The topic with the words of all parts; those of the part at `turned` ask for its opposite."""
    says: dict[WordPlace, list[tuple[str, str]]] = defaultdict(list)
    for number, (place, words) in enumerate(placed):
        says[place].append((words.type, words.turned if number == turned else words.ask))
    before = ", ".join(words for _, words in says["before"])
    after = _follow(_join_births(_join_denials(says["after"])))
    clauses = _list([words for _, words in _join_births(_join_denials(says["clause"]))])
    return " ".join(filter(None, (before, topic, after, pronoun if clauses else "", clauses)))


_DENIAL = re.compile(
    r"(?P<stem>(?:without|with no|made without|do not \w+|don['’]t \w+|have no|contain no|free of) )(?P<what>.+)"
)


def _join_denials(found: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The words of parts with their types, and "without nuts" and "without a crust" as "without nuts or a crust"."""
    joined: list[tuple[str, str, list[str]]] = []
    for kind, words in found:
        denial = _DENIAL.fullmatch(words)
        stem, what = (denial["stem"], [denial["what"]]) if denial else (words, [])
        if denial and joined and joined[-1][1] == stem:
            joined[-1][2].extend(what)
        else:
            joined.append((kind, stem, what))
    return [(kind, stem + _list(what, "or")) for kind, stem, what in joined]


_BIRTH = re.compile(r"((?:was|were) )?born ")


def _join_births(found: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The words of parts with their types, and "born before 1910" and "born in Wales" as "born before 1910 in Wales"."""
    births = [(kind, words) for kind, words in found if _BIRTH.match(words)]
    rest = [(kind, words) for kind, words in found if not _BIRTH.match(words)]
    if len(births) < 2:
        return list(found)
    (kind, first), *others = births
    return [(kind, " ".join([first, *(_BIRTH.sub("", words) for _, words in others)])), *rest]


def _list(items: Sequence[str], word: str = "and") -> str:
    """Items with commas, and a word before the last."""
    return f" {word} ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def _follow(phrases: Sequence[tuple[str, str]]) -> str:
    """Phrases with their types, one after the other, with "and" between two alike: under 8 km and shorter than two hours.

    A comma closes what is left out: in "courses without a field trip, longer than 10 weeks" the course is long, not the trip.
    """
    text, last, before = "", "", ""
    for kind, phrase in phrases:
        joined = (kind == last and not phrase.startswith("for ")) or (_is_with(before) and _is_with(phrase))
        between = " and " if joined else ", " if last == "exclude" else " "
        text += f"{between}{phrase}" if text else phrase
        last, before = kind, phrase
    return text


def _is_with(phrase: str) -> bool:
    return phrase.startswith(("with ", "without "))
