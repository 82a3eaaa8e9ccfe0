"""What a text says of a place: who was born there, what stands there, and whether the text denies it."""

from __future__ import annotations

from constraintsuite.text.places.candidates import Candidate
from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.evidence import Before, is_listed, look_before
from constraintsuite.text.places.words import place_words, relations_of_cues

_NEGATIONS = frozenset(("not", "never", "none", "neither", "nor", "n't", "longer", "nowhere", "no"))
_STOPS = frozenset(("but", "although", "though", ";", "because", "while", "whereas", "so", "however", "who", "which", "where", "when"))
_EXCEPT = (("apart", "from"), ("other", "than"), ("except", "for"), ("aside", "from"))
_LOCATED = frozenset(("in", "within", "inside", "on", "along", "throughout", "across", "at"))
_AUXILIARIES = frozenset(("is", "was", "are", "were", "be", "been", "has", "had", "have", "still", "also", "now", "currently", "first", "not", "never", "no", "longer", "being", "officially", "always", "only", "will", "would", "may", "can", "must"))
_DETERMINERS = frozenset(("the", "a", "an", "his", "her", "its", "their", "our", "my", "your", "this", "these", "that", "every", "each", "some"))
_NEGATION_WINDOW = 9
_CUE_WINDOW = 7


def relate(text: PlainText, taken: list[Candidate]) -> None:
    """Set the relation, its thing and its negation for each place."""
    previous: Candidate | None = None
    for one in taken:
        before = look_before(text, one.start)
        joined = previous is not None and previous.end <= one.start and (previous.outer is one or (is_listed(text, previous, one) and "in" not in text.plain[previous.end : one.start].split()))
        if joined and previous is not None:
            one.relation, one.of = previous.relation, previous.of
            one.negated = previous.negated if previous.outer is not one or not _is_outside(text, previous) else False
            if previous.outer is one and previous.relation == "other":
                one.relation, one.of = "located_in", text.text[previous.start : previous.end]
        else:
            _read(text, one, before)
        previous = one


def _is_outside(text: PlainText, one: Candidate) -> bool:
    return look_before(text, one.start).preposition in place_words().negative_prepositions


def _read(text: PlainText, one: Candidate, before: Before) -> None:
    words = _past_of(before)
    preposition = words[-1] if words else ""
    clause = _clause(words[:-1])
    one.negated = _is_denied(clause, words)
    cue = _find_cue(clause)
    if preposition in ("from",):
        one.relation = "from"
    elif preposition in ("to", "into", "toward", "towards") or preposition in ("visit", "visited", "visiting", "entered", "enter", "entering", "reached", "crosses", "crossing", "climbs"):
        one.relation = "travels_to"
    elif preposition in _LOCATED or preposition in place_words().negative_prepositions or preposition == "of":
        located = preposition != "of" or "outside" in clause[-1:]
        one.relation = cue or ("located_in" if located else "other")
        if not located:
            one.relation = "other"
    if one.relation != "other" or one.negated:
        one.of = _thing(clause)
    if one.negated and one.relation == "other":
        one.relation = "located_in"


def _past_of(before: Before) -> list[str]:
    """The words up to the preposition that governs the name, past "the city of", "the north of"."""
    words = before.words
    lists = place_words()
    while len(words) > 2 and words[-1] == "of" and words[-2] in lists.of_nouns and words[-2] != "outside":  # noqa: PLR2004
        words = words[:-2]
        while words and (words[-1] in lists.modifiers or words[-1] in lists.directions or words[-1] in ("whole", "entire", "upper")):
            words = words[:-1]
    return words


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
        if (word in _NEGATIONS or word.endswith("n't")) and near[place + 1 : place + 2] != ["only"] and "," not in near[place:]:
            return word != "no" or near[place + 1 : place + 2] == ["longer"]
    return False


def _find_cue(clause: list[str]) -> str:
    cues = relations_of_cues()
    for word in reversed(clause[-_CUE_WINDOW:]):
        if word in cues:
            return cues[word]
    return ""


def _thing(clause: list[str]) -> str:
    """The noun phrase that the relation is about: before the verb, or right before the preposition."""
    cues = relations_of_cues()
    at = next((place for place in range(len(clause) - 1, -1, -1) if clause[place] in cues or clause[place] in ("is", "was", "are", "were")), len(clause))
    end = at
    while end and (clause[end - 1] in _AUXILIARIES or clause[end - 1] in ",()"):
        end -= 1
    start = end
    while start and clause[start - 1] not in (",", "(", ")", ":", "and") and clause[start - 1] not in place_words().locative | place_words().doubtful:
        start -= 1
        if clause[start] in _DETERMINERS:
            break
    return " ".join(clause[start:end])
