"""The reach of a cue by word order alone: phrases, subjects, and what a relative pronoun refers to."""

from __future__ import annotations

from constraintsuite.text.clauses import COORDINATORS, HORIZON, PHRASE_PARTS, RELATIVE, RESTRICTING, ClauseReach
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.reach import TokenRange
from constraintsuite.text.sentence import QUOTES

_INSIDE = frozenset(("-", "'s", "'", "%")) | QUOTES
_BEFORE_GERUND = frozenset(("DET", "ADJ", "PUNCT", "NOUN", "SCONJ", "CCONJ"))
_WH_TAGS = frozenset(("WDT", "WP", "WP$", "WRB"))
_PREMODIFIED = frozenset(("DET", "ADJ", "NUM", "ADP", "CCONJ", "PUNCT", "ADV", "VERB", "AUX", "PART", ""))


class LinearReach(ClauseReach):
    """A phrase ends at the first word that cannot be in it; a subject is the phrase before its verb."""

    def phrase_end(self, at: int, *, loose: bool = False) -> int:
        """The first word from `at` on that can be no part of the phrase."""
        sentence = self.sentence
        if self._is_verbal(at):
            return self.clause_end(at)
        place, last = at, at
        while place < at + HORIZON and not sentence.is_hard(place):
            word = sentence.words[place]
            if word == "," or word in COORDINATORS:
                if not self.phrase_goes_on(place, at):
                    break
                if word in COORDINATORS and sentence.word(place + 1) == ",":
                    place = self.skip_aside(place + 1) - 1
            elif self.in_phrase(place, at):
                last = place + 1
            elif not (place > at and self._links(place, loose=loose)):
                break
            place += 1
        return max(last, min(at + 1, sentence.length))

    def phrase_goes_on(self, place: int, start: int) -> bool:
        """Whether the comma or coordinator at `place` links another member of the phrase's list."""
        sentence = self.sentence
        following = place + 1
        while sentence.word(following) in QUOTES or sentence.word(following) in COORDINATORS | {"even", "any"}:
            following += 1
        if sentence.word(following) == ",":  # or, for that matter, pub
            following = self.skip_aside(following)
        if sentence.pos(following) not in PHRASE_PARTS and sentence.tag(following) not in ("VBG", "VBN"):
            return False
        word = sentence.word(following)
        if word in word_list("negative_starters") or word in RESTRICTING or self.is_terminator(following):
            return False
        if (self._has_own_verb(place) and self.opens_clause(following, place)) or (
            word == "that" and sentence.pos(following + 1) in ("DET", "PRON")
        ):
            return False
        if self.joins(place, start) is False or not self._leads_to_noun(following):
            return False
        if sentence.words[place] == "," and sentence.word(place + 1) not in COORDINATORS:
            return self.list_goes_on(following, bare=sentence.word(start) not in word_list("fresh_determiners"))
        joins = sentence.word(place + 1) if sentence.words[place] == "," else sentence.words[place]
        fresh = word_list("fresh_determiners")
        return not (joins in ("and", "&") and sentence.word(following) in fresh and sentence.word(start) not in fresh)

    def _has_own_verb(self, place: int) -> bool:
        """Whether what stands before can be a clause; in "no fruit and nuts may pass" it is only half a subject."""
        sentence = self.sentence
        if sentence.words[place] != "and" or sentence.word(place - 1) == ",":
            return True
        first = place
        while first > 0 and not sentence.is_hard(first - 1):
            first -= 1
        return any(sentence.is_verb(at) or sentence.words[at] == "," for at in range(first, place))

    def _leads_to_noun(self, at: int) -> bool:
        """Whether adjectives from `at` on describe a noun: "and hot chocolate", not "and hot with ginger"."""
        sentence = self.sentence
        while sentence.pos(at) in ("ADJ", "ADV", "DET") and sentence.tag(at) not in ("VBG", "VBN"):
            at += 1
            if sentence.word(at) in ("-", ","):
                at += 1
        return sentence.is_nominal(at) or sentence.is_verb(at)

    def in_phrase(self, place: int, start: int) -> bool:
        """Whether the word at `place` can stand in the noun phrase that began at `start`."""
        sentence = self.sentence
        word, pos, before = sentence.words[place], sentence.pos(place), sentence.pos(place - 1)
        if sentence.word(place + 1) == "ago":  # did away with it years ago
            return False
        if word in RELATIVE and sentence.tag(place) in ("WDT", "WP", "WP$", "IN"):
            return False
        if pos in ("DET", "PRON"):
            return place == start or before not in ("NOUN", "PROPN", "PRON")
        if pos in PHRASE_PARTS or word in _INSIDE or sentence.word(place - 1) == "-":
            return True
        if pos == "ADV":
            return sentence.pos(place + 1) in ("ADJ", "ADV") or sentence.tag(place + 1) in ("VBN", "VBG")
        if pos == "VERB":
            hyphen = "-" in (sentence.word(place - 1), sentence.word(place + 1))
            modifier = sentence.tag(place) in ("VBG", "VBN") and sentence.pos(place + 1) in ("NOUN", "PROPN", "ADJ")
            noun = place > start and before in ("DET", "ADJ")
            return hyphen or noun or (modifier and before in _PREMODIFIED)
        return False

    def subject(self, verb: int) -> TokenRange | None:
        """The phrase before the verb group; across "and" that of the verb before; at a relative pronoun what it means."""
        sentence = self.sentence
        place = sentence.skip_adverbs_back(self.verb_group_start(verb) - 1)
        if place < 0:
            return None
        word = sentence.words[place]
        if word in RELATIVE and place > 0 and (sentence.tag(place) in ("WDT", "WP") or sentence.is_nominal(place - 1)):
            return self._nearest_noun(self._before_comma(place - 1))
        if word in ("and", "but", "or", "yet"):
            previous = self._previous_verb(place)
            return self.subject(previous) if previous is not None else None
        if word == ",":
            opening = max((at for at in range(place) if sentence.words[at] == ","), default=-1)
            return self.noun_before(opening - 1 if opening > 0 else place - 1)
        gerund = sentence.tag(place) == "VBG" and (place == 0 or sentence.pos(place - 1) in _BEFORE_GERUND)
        if (sentence.is_verb(place) and not gerund) or sentence.pos(place) in ("ADV", "ADP"):
            return self._before_relative(place)
        return self.noun_before(place)

    def antecedent(self, verb: int) -> TokenRange | None:
        """The noun before a relative pronoun that stands left of the verb's own subject."""
        start = self.verb_group_start(verb)
        for place in range(start - 2, max(start - 8, 0), -1):
            if self.sentence.is_hard(place) or self.sentence.is_finite(place):
                return None
            if self.sentence.words[place] in ("which", "that", "whom"):
                return self._nearest_noun(self._before_comma(place - 1))
        return None

    def verb_of_subject(self, first: int, last: int) -> int | None:
        """The first finite verb after the phrase; a relative clause in between has one of its own."""
        sentence = self.sentence
        if not self.can_be_subject(first):
            return None
        inner = 0
        for place in range(last, sentence.length):
            word = sentence.words[place]
            if self._opens_inner(place) or (sentence.tag(place) == "PRP" and not inner):
                inner += 1
            elif sentence.is_finite(place):
                if inner == 0:
                    return place
                inner -= 1
            elif word == "," and not inner:
                closing = sentence.find(frozenset(","), place + 1, sentence.length)
                return closing + 1 if closing > 0 and sentence.is_finite(closing + 1) else None
            elif (
                sentence.is_hard(place)
                or word in ("but", "and")
                or (word in word_list("subordinators") and self.starts_clause(place + 1))
            ):
                return None
        return None

    def _opens_inner(self, place: int) -> bool:
        """Whether a clause with a verb of its own begins: who came, that we saw, when it rained."""
        word = self.sentence.words[place]
        if word in ("who", "which", "whose", "whom") or (word == "that" and self.sentence.pos(place) != "DET"):
            return True
        return word in word_list("subordinators") and self.starts_clause(place + 1)

    def can_be_subject(self, first: int) -> bool:
        """Whether a phrase that begins there is no object of a verb or preposition before it."""
        return not self.sentence.is_verb(first - 1) and self.sentence.pos(first - 1) not in ("ADP", "PART")

    def _links(self, place: int, *, loose: bool) -> bool:
        """Whether the word there carries the phrase on: of, with (indefinite), except, without."""
        sentence = self.sentence
        word = sentence.words[place]
        definite = sentence.word(place + 1) in word_list("definite_determiners")
        if word == "of":
            return not (loose and definite)
        if self.is_exceptive(place) or word in word_list("exceptive_starts") or word == "without":
            return True
        if word == "than" and sentence.word(place - 1) in ("other", "rather"):
            return True
        return loose and word in word_list("linking_prepositions") and not definite and not sentence.is_verb(place + 1)

    def _is_verbal(self, at: int) -> bool:
        """Whether what looks like a noun phrase is a verb phrase: without using Y."""
        tag = self.sentence.tag(at)
        return (self.sentence.pos(at) == "VERB" and tag in ("VBG", "VB")) or tag == "TO"

    def noun_before(self, end: int) -> TokenRange | None:
        """The phrase whose last word is at `end`: back to the clause's start, cut before its first preposition."""
        sentence = self.sentence
        if end < 0:
            return None
        if sentence.tag(end) == "PRP":
            return TokenRange(end, end + 1)
        first = end
        while first > 0 and not self._opens_subject(first - 1, end):
            first -= 1
        while first < end and sentence.pos(first) in ("CCONJ", "SCONJ", "PUNCT", "ADV", "INTJ"):
            first += 1
        if sentence.pos(first) == "ADP" and sentence.pos(first + 1) == "ADV":
            first += 2
        last = first + 1
        while last <= end and not self._cuts_subject(last):
            if sentence.words[last] in RELATIVE and sentence.tag(last) in ("WDT", "WP"):
                break
            last += 1
        return TokenRange(first, last) if first <= end else None

    def _nearest_noun(self, end: int) -> TokenRange | None:
        """The noun phrase that ends at `end`, without what a preposition hangs it on."""
        found = self.noun_before(end)
        if found is None:
            return None
        places = range(found.first, end + 1)
        hung = [at for at in places if self.sentence.pos(at) == "ADP" and self.sentence.words[at] != "of"]
        return TokenRange(hung[-1] + 1, end + 1) if hung and hung[-1] < end else found

    def _cuts_subject(self, place: int) -> bool:
        """Whether a preposition there leads to something that is there anyway: "dogs in the garden are not allowed"."""
        sentence = self.sentence
        definite = sentence.word(place + 1) in word_list("definite_determiners")
        return sentence.pos(place) == "ADP" and sentence.words[place] != "of" and definite

    def _opens_subject(self, place: int, end: int) -> bool:
        """Whether the subject that ends at `end` begins after `place`."""
        sentence = self.sentence
        if sentence.is_hard(place) or sentence.is_finite(place) or self.is_terminator(place):
            return True
        if sentence.tag(place) in ("TO", "PRP") or (place > 0 and sentence.tag(place) in ("VB", "VBP")):
            return True
        if sentence.is_nominal(place) and sentence.pos(place + 1) == "DET":  # last winter | the shop
            return True
        word = sentence.words[place]
        if (word == "that" and sentence.tag(place) == "IN") or word == "whose" or sentence.tag(place) in _WH_TAGS:
            return True
        if word in ("and", ","):
            if self._previous_verb(place) is not None:
                return True
            listed = any(sentence.words[at] in ("and", "or") for at in range(place, end))
            return word == "," and not (listed and sentence.is_nominal(place - 1))
        return False

    def _before_relative(self, place: int) -> TokenRange | None:
        for at in range(place, 0, -1):
            if self.sentence.words[at] in ("who", "that", "which") and self.sentence.is_nominal(at - 1):
                return self.noun_before(at - 1)
            if self.sentence.is_hard(at):
                return None
        return None

    def _before_comma(self, place: int) -> int:
        return place - 1 if self.sentence.word(place) == "," else place

    def _previous_verb(self, before: int) -> int | None:
        for place in range(before - 1, -1, -1):
            if self.sentence.is_hard(place):
                return None
            if self.sentence.is_finite(place):
                return place
        return None
