"""What a text says of a place: who was born there, what stands there, and whether the text denies it."""

from __future__ import annotations

import re

from constraintsuite.text.places.candidates import Candidate
from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.surroundings import MARKS, Before, is_listed, look_around, look_before
from constraintsuite.text.places.words import place_words, relations_of_cues
from constraintsuite.text.readings import readings

_NEGATIONS = frozenset(("not", "never", "none", "neither", "nor", "n't", "longer", "nowhere", "no"))
_STOPS = frozenset(
    (
        "but",
        "although",
        "though",
        ";",
        "because",
        "while",
        "whereas",
        "so",
        "however",
        "who",
        "which",
        "where",
        "when",
        "as",
        "than",
    )
)
_EXCEPT = (("apart", "from"), ("other", "than"), ("except", "for"), ("aside", "from"))
_LOCATED = frozenset(("in", "within", "inside", "on", "along", "throughout", "across", "at", "among"))
_BE = frozenset(("is", "was", "are", "were"))
_ASIDE = frozenset(("born_in", "died_in", "set_in", "held_in"))
"""Relations that a verb gives to all that follows: died in a hospital in Lyon."""
_AGAIN = re.compile(
    r",? (?:and|or|but|then|and then)?,? ?(?:later|then|also|ultimately|finally)? ?in (?:the )?(?:\w+ )?"
)
_ONLY_BEFORE_PLACES = frozenset(("to", "from", "into", "near", "between"))
_PATHS = _ONLY_BEFORE_PLACES | {"of", "off"}
_HIT = frozenset(("struck", "hit", "hits", "strikes"))
_YEAR = re.compile(r"\d{4}")
_FILMS = frozenset(("film", "films", "movie", "movies", "feature"))
_FINITE = frozenset(("VBD", "VBZ", "MD", "VBP"))
_BREAKS = frozenset(("and", "or", "that", "who", "which", "where", "when", "as", "not", "only", "than"))
_NEGATION_WINDOW = 9
_CUE_WINDOW = 7
_BRACKET = 90
_OF_WINDOW = 5


def relate(text: PlainText, taken: list[Candidate]) -> None:
    """Set the relation, its thing and its negation for each place."""
    previous: Candidate | None = None
    for one in taken:
        if previous is None or not _inherit(text, previous, one):
            _read(text, one)
        previous = one


def _inherit(text: PlainText, previous: Candidate, one: Candidate) -> bool:
    """Take over what was read for the place before, if both stand in one list or one contains the other."""
    gap = text.plain[previous.end : one.start]
    is_outer = previous.outer is one
    listed = is_listed(text, previous, one) and not gap.endswith((" in ", " in the "))
    again = _AGAIN.fullmatch(gap) is not None
    if not (is_outer or listed or again):
        return False
    one.relation, one.of = previous.relation, previous.of
    outside = look_before(text, previous.start).preposition in place_words().negative_prepositions
    one.negated = previous.negated and "but" not in gap and not (is_outer and outside)
    if is_outer and one.relation == "other":
        one.relation, one.of = "located_in", text.text[previous.start : previous.end]
    return True


def _read(text: PlainText, one: Candidate) -> None:
    if _read_bracket(text, one):
        return
    around = look_around(text, one)
    if (around.is_attributive or around.follower_kind == "noun") and around.follower not in ("area", "metro"):
        one.relation = "made_in" if around.follower in _FILMS else "other"
        return
    words = _past_of(around.before)
    preposition = words[-1] if words else ""
    clause = _clause(words[:-1])
    one.negated = _can_be_denied(preposition) and _is_denied(clause, words)
    one.relation = _relation(clause, preposition)
    if one.negated and one.relation in ("other", "from"):
        one.relation = "located_in"
    if one.relation != "other":
        one.of = _thing(text, one.start, len(words) - 1)


def _can_be_denied(preposition: str) -> bool:
    """Whether the word before a name says how something is related to it: not the object of a verb."""
    lists = place_words()
    return (
        preposition in _LOCATED
        or preposition in ("of", "for", "than", "from", "near")
        or preposition in lists.negative_prepositions
        or preposition in lists.towards
    )


def _relation(clause: list[str], preposition: str) -> str:
    if clause[-1:] == ["birthplace"] or preposition == "birthplace":
        return "born_in"
    if preposition == "from":
        return (
            "other" if clause and clause[-1] in ("apart", "across", "walk", "minutes", "miles", "identity") else "from"
        )
    if preposition in place_words().towards:
        return "from" if clause[-1:] and clause[-1] in place_words().from_before_to else "travels_to"
    cue = _find_cue(clause)
    if preposition in _LOCATED or preposition in place_words().negative_prepositions:
        return "located_in" if cue not in _ASIDE and _ends_in_noun_phrase(clause) else cue or "located_in"
    if preposition == "of":
        return (cue or "located_in") if clause[-1:] == ["outside"] else "other"
    return "held_in" if preposition in _HIT else "other"


def _read_bracket(text: PlainText, one: Candidate) -> bool:
    """Whether the place stands in a bracket with years after a person's name: (1847 in Prague - 1926 in Vienna)."""
    start = text.plain.rfind("(", max(0, one.start - _BRACKET), one.start)
    if start < 0 or ")" in text.plain[start : one.start]:
        return False
    inside = text.plain[start + 1 : one.start]
    name = text.text[max(0, start - 40) : start].split()
    if not _YEAR.search(inside) or not name or not name[-1][0].isupper():
        return False
    dates = re.split(r"\s[-–]\s?|[-–]\s", inside)
    one.relation = "died_in" if len(dates) > 1 and _YEAR.search(dates[-1]) else "born_in"
    one.negated = look_before(text, one.start).preposition in place_words().negative_prepositions
    one.of = " ".join(_last_name(name))
    return True


def _last_name(words: list[str]) -> list[str]:
    end = len(words)
    start = end
    while start and words[start - 1][0].isupper():
        start -= 1
    return words[start:end]


def _past_of(before: Before) -> list[str]:
    """The words up to the preposition that governs the name, past "the city of", "the north flank of"."""
    words, lists = before.words, place_words()
    while words[-1:] == ["of"] and words[-2:-1] not in ([], ["outside"]) and words[-2] not in lists.event_nouns:
        near = words[-2 - _OF_WINDOW : -1]
        at = _last_preposition(near)
        if at is None or (near[at] == "on" and words[-2] not in lists.sides) or "," in near[at:]:
            break
        if near[at] in _ONLY_BEFORE_PLACES and words[-2] not in lists.of_nouns:
            break
        words = words[: len(words) - len(near) + at]
    return words


def _last_preposition(words: list[str]) -> int | None:
    lists = place_words()
    for at in range(len(words) - 1, -1, -1):
        if words[at] in _LOCATED or words[at] in _PATHS or words[at] in lists.negative_prepositions:
            return at
    return None


def _clause(words: list[str]) -> list[str]:
    for place in range(len(words) - 1, -1, -1):
        if words[place] in _STOPS:
            return words[place + 1 :]
    return words


def _is_denied(clause: list[str], words: list[str]) -> bool:
    if words[-1:] and words[-1] in place_words().negative_prepositions and clause[-2:] != ["in", "and"]:
        return True
    if tuple(words[-2:]) in _EXCEPT:
        return True
    if words[-2:] == ["outside", "of"]:
        return words[-4:-2] != ["in", "and"]
    near = clause[-_NEGATION_WINDOW:]
    for place, word in enumerate(near):
        after = near[place + 1 : place + 2]
        if (word in _NEGATIONS or word.endswith("n't")) and after != ["only"] and "," not in near[place:]:
            return word != "no" or after == ["longer"] or place == 0
    return False


def _find_cue(clause: list[str]) -> str:
    cues = relations_of_cues()
    near = clause[-_CUE_WINDOW:]
    if near[-1:] == ["set"]:
        return "set_in"
    return next((cues[word] for word in reversed(near) if word in cues), "")


def _ends_in_noun_phrase(clause: list[str]) -> bool:
    """Whether a noun phrase with a determiner stands right before the preposition: built [his studio] in."""
    cues = relations_of_cues()
    if (
        not clause
        or clause[-1] in cues
        or not any(reading.pos in ("NOUN", "PROPN") for reading in readings(clause[-1]))
    ):
        return False
    for word in reversed(clause[-4:-1]):
        if word in cues or word in _LOCATED:
            return False
        if word in place_words().determiners:
            return True
    return False


def _thing(text: PlainText, at: int, size: int) -> str:
    """What the relation is about, of the first `size` words before a place: [our new shop] in, [the painter] was born in."""
    spans = text.spans_before(at)[:size]
    words = [text.plain[start:end].lower() for start, end in spans]
    first, last = _noun_phrase(words) if _is_about_noun(words) else _subject(words)
    return text.text[spans[first][0] : spans[last - 1][1]] if first < last else ""


def _is_about_noun(words: list[str]) -> bool:
    """Whether the noun right before the preposition is meant, and not the subject of a verb."""
    if not words or _is_verb(words[-1]) or words[-1] in place_words().from_before_to or not _is_noun(words[-1]):
        return False
    return _find_cue(_clause(words)) not in ("born_in", "died_in") and words[-1] not in (
        "time",
        "place",
        "life",
        "birthplace",
    )


def _noun_phrase(words: list[str]) -> tuple[int, int]:
    """The noun phrase at the end of the words."""
    lists = place_words()
    start = len(words)
    while (
        start and words[start - 1] not in MARKS and words[start - 1] not in _BREAKS and not _is_verb(words[start - 1])
    ):
        word = words[start - 1]
        if word in lists.locative or (word in lists.doubtful and word != "of"):
            break
        start -= 1
        if word in place_words().determiners and words[start - 1 : start] != ["of"]:
            break
    return start, len(words)


def _subject(words: list[str]) -> tuple[int, int]:
    """The subject: from the beginning of the clause to its first verb, without what a comma sets off."""
    begin = next((place + 1 for place in range(len(words) - 1, -1, -1) if words[place] in _STOPS), 0)
    for start in (begin, 0):
        if words[start : start + 1] and words[start] in place_words().leading and "," in words[start:]:
            start = words.index(",", start) + 1  # noqa: PLW2901
        while start < len(words) and (
            words[start] in MARKS or words[start] in _STOPS or words[start] in ("moreover", "in", "currently")
        ):
            start += 1  # noqa: PLW2901
        end = next(
            (place for place in range(start, len(words)) if words[place] in MARKS or _is_verb(words[place])),
            len(words),
        )
        while end > start and words[end - 1] in place_words().before_verbs:
            end -= 1
        if start < end:
            return start, end
    return 0, 0


def _is_verb(word: str) -> bool:
    """Whether a word can only be a verb, or is a verb that says a relation."""
    tags = {reading.tag for reading in readings(word)}
    if word in _BE or word in place_words().before_verbs or word in place_words().verbs_like_nouns:
        return True
    if word in relations_of_cues():
        return bool(tags & {"VBD", "VBN", "VBZ"}) or not tags & {"NN", "NNS"}
    return bool(tags & _FINITE) and tags <= _FINITE | {"VBN", "VB", "JJ"} and not word.endswith(("less", "ous"))


def _is_noun(word: str) -> bool:
    return any(reading.pos in ("NOUN", "PROPN") for reading in readings(word))
