"""Whether a text says for sure that a thing has Y, or for sure that it has no Y at all.

The analyser reads what a clause affirms or denies. A searcher wants more: "no Wi-Fi in the rooms" leaves Wi-Fi at the bar, "a pinch
of sugar, if you like" leaves a recipe without sugar, and coconut milk is not milk. What is not firm is better not used.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from constraintsuite.suites.queries.surroundings import Surroundings
from constraintsuite.suites.word_lists import query_words
from constraintsuite.text.mentions import fold

_NEGATED_AFTER = re.compile(
    r"^\W*(?:[\w-]+ ){0,3}?(?:cannot|never|[a-z]+n't|(?:is|are|was|were|do|does|did|has|have|had|can|may|will) not)\b"
)
_ASIDE = re.compile(r"^,[^,;:.!?]*,")
_NOT_A = re.compile(r"(?<!there )\b(?:is|are|was|were|be)(?:n't| not| never)(?: [a-z]+ly)?(?: an?| the)? $")
_HYPHENED = re.compile(r"^-(?!friendly)\w")
_LIKENED = re.compile(
    r"\b(?:like|(?<!rather )than|unlike|resembl\w+|as (?:well|good) as|same as|similar to|used as|called|as for|what)(?: an?| the)? $"
)
_NAMED = re.compile(
    r"^[A-Z][\w-]*(?<!ing)(?: itself)? (?:lacks|comes|offers|supports|cannot|(?:does|has|is|can|will|wo)(?:n['’]t)?)\b"
)
_OBJECT = re.compile(
    r"^ (?:the|an?|your|some|both|together|\d+|two|three|four|five|six|eight|ten|twelve)\b"
)  # cream the butter
_OF_ITS_OWN = re.compile(
    r"^ (?:for (?:good|now|fear|reasons|the sake)\b|of (?:any|our|its|their|his|her)\b|(?:in|on) (?:it|them|this|these|here)\b|with it\b)"
)


def is_firm_denial(place: Surroundings) -> bool:
    """Whether a denied mention denies all of Y: not a part, a kind or a time of it, and nothing gives it back."""
    return not (
        place.is_question or _is_narrow(place) or _is_restricted(place) or _is_given_back(place) or _is_loose(place)
    )


def is_firm_affirmation(place: Surroundings) -> bool:
    """Whether an affirmed mention is there for sure: not optional, elsewhere, or likened to; nothing takes it back."""
    return not (_is_something_else(place) or _is_doubtful(place) or _is_taken_back(place))


def is_negative(title: str) -> bool:
    """Whether a title says that something is missing: "Cheesecake Without an Oven"."""
    words = title.lower().replace("-", " ")
    return _has("negating", words) or words.endswith(" free") or " free " in words


def says_need(place: Surroundings) -> bool:
    """Whether the clause is about what is needed: "no app is needed" does not say that there is none."""
    return _has("needing", place.clause)


def is_compound(place: Surroundings) -> bool:
    """Whether a noun before Y may make it another thing, as in "coconut milk"."""
    return place.compounded and place.modifiers[-1] not in query_words()["plain_nouns"]


def says_permission(place: Surroundings) -> bool:
    """Whether the clause permits something: "dogs are welcome", but not "the cook walks her dog"."""
    return _has("permitting", place.clause)


def is_about_whole(place: Surroundings, title: str, subjects: Collection[str]) -> bool:
    """Whether the clause is about the thing itself: "it", "we", its name, or one of the nouns of `subjects`.

    Help pages deny things of parts: "Guest links aren't protected by two-factor authentication". A page called "The free plan"
    is about a part from beginning to end.
    """
    if _has("offers", title.lower()):
        return False
    opening = fold(place.opening).strip()
    while opening.split(" ", 1)[0] in query_words()["joining"]:
        opening = opening.partition(" ")[2]
    words = opening.split()[:2]
    if not words or words[0].partition("'")[0] in query_words()["whole_subjects"]:
        return True
    return (words[0] == "the" and words[-1] in subjects) or _NAMED.match(place.opening) is not None


# Denials


def _is_narrow(place: Surroundings) -> bool:
    """Whether only a kind of Y is denied: "no small dogs", "no egg white", "no API for results", "not in the mobile app"."""
    if any(word not in query_words()["plain_modifiers"] for word in place.modifiers if not word.endswith("ing")):
        return True
    following = re.match(r" (\w+)", place.clause_after)
    if following and following[1] in query_words()["whole_heads"] - query_words()["whole_of_all"]:  # no egg white
        return True
    if _modifies(place, "whole_of_all") or _LIKENED.search(place.before_phrase):
        return True
    before = place.before_phrase.split()[-1:]
    if before and before[0] in query_words()["definite"] and not _has("absent", place.clause):
        return True
    return _begins("narrowing", place.clause_after) and not _OF_ITS_OWN.search(place.sentence_after)


def _is_restricted(place: Surroundings) -> bool:
    """Whether the clause is about a part, a time, some people or a price: "no Wi-Fi in the rooms", "not in the fee"."""
    first = place.sentence.split()[:1]
    if first and first[0].strip(",") in query_words()["restricting_starts"]:
        return True
    if re.match(rf"(?:the|our|this) (?:{_either('components')})\b", place.clause_before):  # the dough has no egg
        return True
    return _names_part(place.clause_after) or _has("restricting", place.clause_after) or _has("paid", place.clause)


def _names_part(text: str) -> bool:
    """Whether a text is about a part of a thing: "in the rooms", "on the free plan"."""
    parts = f"{_either('parts')}|{_either('components')}"
    return re.search(rf"\b(?:{_either('before_parts')})\b.*\b(?:{parts})\b", text) is not None


def _is_given_back(place: Surroundings) -> bool:
    """Whether the rest of the sentence, or a contrast after it, offers Y all the same: "but day tickets can be bought"."""
    return _has("regained", place.sentence_after) or (
        _begins("contrasts", f" {place.following}") and _has("regained", place.following)
    )


def _is_loose(place: Surroundings) -> bool:
    """Whether the clause denies something else: "you can replace the butter", "are not turned away", "isn't a nut"."""
    if any(_has(name, place.clause) for name in ("optional", "elsewhere", "conditions")) or _NOT_A.search(
        place.clause_before
    ):
        return True
    return _has("absent", place.clause) and _has("negating_verbs", place.clause)


# Affirmations


def _is_something_else(place: Surroundings) -> bool:
    """Whether the words mean another thing than Y: sour cream, a pool table, "dairy-free butter", "cream the butter"."""
    before = place.before_phrase.replace("-", " ").split()[-1:]  # for taggers that take butter for a verb
    if any(word in query_words()["changing"] for word in (*before, *place.modifiers)):
        return True
    if place.clause_before.endswith("-free "):
        return True
    if _modifies(place, "whole_heads") or place.clause_before.endswith("-") or _HYPHENED.search(place.clause_after):
        return True
    return not place.clause_before.strip() and _OBJECT.match(place.clause_after) is not None


def _is_doubtful(place: Surroundings) -> bool:
    """Whether Y is optional, usual elsewhere, asked about, only likened to, or for somebody else."""
    if place.is_question or _LIKENED.search(place.before_phrase) or _has("hedges", place.clause):
        return True
    before = place.before_phrase.split()
    if _begins("alternatives", place.sentence_after) or "or" in before[-3:]:  # on the stove or in the oven
        return True
    if any(word in query_words()["scarce"] for word in (*before[-2:], *place.modifiers)):
        return True
    return _has("optional", place.clause) or _has("elsewhere", place.clause) or _has("conditions", place.section)


def _is_taken_back(place: Surroundings) -> bool:
    """Whether the clause denies or narrows it, or the words after it do: "this version does without them"."""
    before, after = place.clause_before, place.clause_after
    if any(_has(name, before) for name in ("negating", "absent", "replacing")):
        return True
    if not place.clause_before.strip() and _ASIDE.match(place.sentence_after):
        after = _ASIDE.sub("", place.sentence_after)  # garlic, we believe, has no business in it
    if _NEGATED_AFTER.search(after) or _has("absent", after) or _has("confining", after):
        return True
    if _has("permitting", place.clause) and _has("outside", place.clause):
        return True
    following = place.following if _begins("resuming", f" {place.following}") else ""
    return _has("retracting", f"{place.sentence_after}{following}")


def _modifies(place: Surroundings, harmless: str) -> bool:
    """Whether Y only modifies another noun, and not one that is there with Y alone; a plural hardly does."""
    if (
        not place.head
        or place.head in query_words()["no_heads"]
        or (place.y.endswith("s") and not place.y.endswith("ss"))
    ):
        return False
    return place.head.split()[-1].strip("-") not in query_words()[harmless]


def _has(name: str, text: str) -> bool:
    """Whether a text has a word of a list."""
    return bool(_pattern(name).search(text))


def _begins(name: str, text: str) -> bool:
    """Whether a text goes on with a word of a list."""
    return bool(re.match(rf",? (?:{_either(name)})\b", text))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """One of the words of a list."""
    return re.compile(rf"(?<![\w-])(?:{_either(name)})(?!\w)")


@cache
def _either(name: str) -> str:
    """The words of a list as alternatives: `_` stands for a blank, and a final `*` for any ending."""
    ordered = sorted(query_words()[name], key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace("_", " ").replace(r"\*", r"\w*") for word in ordered)
