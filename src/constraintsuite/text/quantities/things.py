"""The thing whose quantity a sentence states: what follows "of", or the subject of the verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.core.records.text import Span
from constraintsuite.text.base import Token
from constraintsuite.text.pos_tagger import tag_sentence
from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.vocabulary import context_words, vocabulary

_FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
_NOMINAL = frozenset(("NOUN", "PROPN", "ADJ", "NUM"))
_SUBSTANCES = frozenset(("mass", "volume", "share", "area", "power", "energy", "duration", "length"))
_MOST_WORDS = 5


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """The words of a sentence with their parts of speech."""

    first: int
    after: int
    tokens: Sequence[Token]

    def pos(self, place: int) -> str:
        """The part of speech at a place of the text."""
        return self.tokens[place - self.first].pos if self.first <= place < self.after else ""

    def tag(self, place: int) -> str:
        """The tag at a place of the text."""
        return self.tokens[place - self.first].tag if self.first <= place < self.after else ""


def tag_around(pieces: Pieces, place: int) -> TaggedSentence:
    """The sentence around a place, tagged."""
    first, after = pieces.sentence(place)
    spans = [Span(pieces.at(at).start, pieces.at(at).end) for at in range(first, after)]
    return TaggedSentence(first, after, tag_sentence(pieces.text, spans))


def find_thing(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> str:
    """The thing that is measured; empty if the sentence has none, or only a pronoun."""
    after = draft.after
    if draft.hyphen or _before_noun(pieces, draft, tagged):
        return _phrase_from(pieces, after, tagged)
    if pieces.lower(after) == "of" and (draft.dimension in _SUBSTANCES or draft.unit in context_words().parts):
        return _phrase_from(pieces, after + 1, tagged)
    if draft.dimension in ("mass", "volume") and tagged.pos(after) in ("NOUN", "PROPN", "ADJ"):
        return _phrase_from(pieces, after, tagged)
    if draft.dimension == "age" and pieces.lower(draft.first - 1) in vocabulary().words.people:
        return pieces.at(draft.first - 1).text
    if draft.dimension == "age" and pieces.lower(draft.first - 1) == "aged" and tagged.pos(draft.first - 2) == "NOUN":
        return pieces.at(draft.first - 2).text
    near = _noun_before(pieces, draft, tagged) or _noun_after_comma(pieces, draft, tagged)
    if near:
        return near
    if pieces.lower(draft.first - 1) == "with" and tagged.pos(draft.first - 2) == "NOUN":
        return _phrase_to(pieces, draft.first - 1, tagged)
    found = _subject(pieces, draft, tagged)
    if found is None:
        found = _object_of_imperative(pieces, draft, tagged) or _opening(pieces, draft, tagged)
    return "" if len(found) < 2 or found.split()[-1].lower() in vocabulary().words.measured_nouns else found


def _noun_before(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> str:
    """The noun right before a quantity: trucks over 7.5 tonnes, winds of 60 km/h, a beach only 50 m away."""
    place = draft.first - 1
    while tagged.pos(place) == "ADV":
        place -= 1
    if pieces.lower(place) == "of" and pieces.lower(place - 1) not in vocabulary().words.measured_nouns:
        place -= 1
    elif draft.dimension == "count":
        return ""
    known = tagged.pos(place) in ("NOUN", "PROPN") and pieces.lower(place) not in vocabulary().words.measured_nouns
    return (
        _phrase_to(pieces, place + 1, tagged) if known and pieces.lower(place) not in context_words().no_things else ""
    )


def _noun_after_comma(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> str:
    """The subject after "At 2,340 metres," and "With 1.2 million inhabitants,"."""
    opens = draft.first - 1 == tagged.first and pieces.lower(tagged.first) in ("at", "with")
    return _phrase_from(pieces, draft.after + 1, tagged) if opens and pieces.lower(draft.after) == "," else ""


def _object_of_imperative(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> str:
    """The object in "Simmer the sauce for 15 minutes" and "Do not wash wool above 30 °C"."""
    place = tagged.first
    while pieces.lower(place) in ("do", "not", "let", "please", "then", "first", ","):
        place += 1
    opens = place > tagged.first or tagged.pos(place) == "VERB" or tagged.tag(place) == "VB"
    following = place + 1 if tagged.pos(place) == "VERB" or place == tagged.first else place
    if not opens or following >= draft.first or tagged.pos(following) not in ("DET", "NOUN", "ADJ"):
        return ""
    return _phrase_from(pieces, following, tagged)


def _opening(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> str:
    """The noun phrase that opens a sentence, after an adverb: "Similarly, the McDouble, featuring two patties"."""
    place = tagged.first
    while tagged.pos(place) == "ADV" or (place > tagged.first and pieces.lower(place) == ","):
        place += 1
    thing = _phrase_from(pieces, place, tagged)
    inside = (
        pieces.lower(place) in ("each", "every", "today")
        or place + len(thing.split()) >= draft.first
        or draft.first == tagged.first
    )
    verb = any(tagged.tag(at) in _FINITE for at in range(place, tagged.after))
    return "" if inside or not verb else thing


def _before_noun(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> bool:
    """Whether a unit in the singular describes the next noun: a 10 gallon fish tank."""
    word = pieces.lower(draft.after - 1)
    singular = word == draft.unit and draft.high not in (None, 1.0) and draft.dimension != "count"
    return singular and tagged.pos(draft.after) in ("NOUN", "ADJ", "PROPN")


def _phrase_from(pieces: Pieces, at: int, tagged: TaggedSentence) -> str:
    """The noun phrase that begins at a place, without its article."""
    while tagged.pos(at) in ("DET", "PRON") and pieces.lower(at) not in ("it", "them"):
        at += 1
    end = at + 1 if tagged.tag(at) == "VBG" and tagged.pos(at + 1) == "NOUN" else at  # drinking water
    while end - at < _MOST_WORDS and (tagged.pos(end) in _NOMINAL or pieces.at(end).text == "-"):
        end += 1
        if tagged.pos(end - 1) == "PROPN" and tagged.pos(end) not in ("PROPN", "NUM"):
            break
    return _text(pieces, at, end)


def _subject(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> str | None:
    """The subject of the nearest verb before the quantity that has one; "" for a pronoun, None if no verb has one."""
    place = draft.first - 1
    while place > tagged.first:
        if tagged.tag(place) in _FINITE and tagged.pos(place) in ("VERB", "AUX"):
            end = place
            while end > tagged.first and tagged.pos(end - 1) in ("ADV", "PART", "AUX"):
                end -= 1
            before = tagged.pos(end - 1)
            if before in ("NOUN", "PROPN", "NUM") or pieces.lower(end - 1) in ("which", "who", "that"):
                return _phrase_to(pieces, end, tagged)
            if before == "PRON":
                return ""
            place = end
        place -= 1
    return None


def _phrase_to(pieces: Pieces, end: int, tagged: TaggedSentence) -> str:
    """The noun phrase that ends before a place; for "tickets for the match", the tickets."""
    if pieces.lower(end - 1) in ("which", "who", "that"):
        end -= 2 if pieces.lower(end - 2) in (",", "(") else 1
    first = end
    while first > tagged.first and (tagged.pos(first - 1) in _NOMINAL or pieces.at(first - 1).text == "-"):
        first -= 1
    before = first - 1
    while before > tagged.first and tagged.pos(before) in ("DET", "PRON"):
        before -= 1
    head = before - 1
    attached = (
        tagged.pos(before) == "ADP" and pieces.lower(before) != "of" and tagged.pos(head) in ("NOUN", "PROPN", "NUM")
    )
    if attached and head > tagged.first:
        return _phrase_to(pieces, before, tagged)
    return _text(pieces, first, end)


def _text(pieces: Pieces, first: int, end: int) -> str:
    if pieces.lower(first) == "s" and pieces.at(first - 1).text in "'’":
        first += 1  # the possessor's, cut off by the scanner
    while first < end - 1 and pieces.at(first).kind == "number" and len(pieces.at(first + 1).text) > 3:
        first += 1  # the tablets of "2 tablets 3 times a day"
    words = any(pieces.at(place).kind == "word" and len(pieces.at(place).text) > 1 for place in range(first, end))
    return pieces.text[pieces.at(first).start : pieces.at(end - 1).end] if words else ""
