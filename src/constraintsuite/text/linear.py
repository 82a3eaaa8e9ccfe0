"""The reach of a cue by word order: phrases, subjects, and antecedents of relative pronouns."""

from __future__ import annotations

from constraintsuite.text.clauses import COORDINATORS, HORIZON, PHRASE_PARTS, RELATIVE, RESTRICTING, ClauseSentence
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.sentence import QUOTES, TokenRange

_INSIDE = frozenset(("-", "'s", "'", "%")) | QUOTES
_BEFORE_GERUND = frozenset(("DET", "ADJ", "PUNCT", "NOUN", "SCONJ", "CCONJ"))
_PLACING = frozenset(("in", "at", "between", "near", "from"))
_WH_TAGS = frozenset(("WDT", "WP", "WP$", "WRB"))
_PREMODIFIED = frozenset(("DET", "ADJ", "NUM", "ADP", "CCONJ", "PUNCT", "ADV", "VERB", "AUX", "PART", ""))


class LinearSentence(ClauseSentence):
    """A phrase ends at the first word that cannot be part of it; a subject is the phrase before its verb."""

    def phrase_end(self, at: int, *, loose: bool = False) -> int:
        """The first word from `at` on that cannot be part of the phrase; `loose` includes some prepositional phrases."""
        if self._is_verbal(at):
            return self.clause_end(at)
        place, last = at, at
        while place < at + HORIZON and not self.is_hard(place):
            word = self.words[place]
            if word == "," or word in COORDINATORS:
                if not (self._parts_adjectives(place, at) or self.phrase_continues(place, at)):
                    break
                if word in COORDINATORS and self.word(place + 1) == ",":
                    place = self.skip_aside(place + 1) - 1
            elif self.in_phrase(place, at):
                last = place + 1
            elif not (place > at and self._links(place, loose=loose)):
                break
            place += 1
        return max(last, min(at + 1, self.length))

    def _parts_adjectives(self, comma: int, start: int) -> bool:
        """Whether a comma stands between adjectives before the noun: no peaceful, uncontested successions."""
        adjective = self.words[comma] == "," and self.pos(comma - 1) == "ADJ" and self.pos(comma + 1) == "ADJ"
        if not adjective or any(self.is_nominal(at) for at in range(start, comma)):
            return False
        return self.pos(comma + 2) in ("NOUN", "PROPN")

    def phrase_continues(self, place: int, start: int) -> bool:
        """Whether the comma or coordinator at `place` links another member of the phrase's list."""
        following = place + 1
        while self.word(following) in QUOTES or self.word(following) in COORDINATORS | {"even", "any"}:
            following += 1
        if self.word(following) == ",":  # or, for that matter, pub
            following = self.skip_aside(following)
        if self.pos(following) not in PHRASE_PARTS and self.tag(following) not in ("VBG", "VBN"):
            return False
        word = self.word(following)
        if word in word_list("negative_starters") or word in RESTRICTING or self.is_terminator(following):
            return False
        if (self._has_own_verb(place) and self.opens_clause(following, place)) or (
            word == "that" and self.pos(following + 1) in ("DET", "PRON")
        ):
            return False
        if self.joins(place, start) is False or not self._leads_to_noun(following):
            return False
        if (
            self.words[place] == "," and word == "the" and self.word(start) in ("a", "an")
        ):  # lack of a port, the poverty
            return False
        if self.words[place] == "," and self.word(place + 1) not in COORDINATORS:
            return self.list_continues(following, bare=self.word(start) not in word_list("fresh_determiners"))
        joins = self.word(place + 1) if self.words[place] == "," else self.words[place]
        fresh = word_list("fresh_determiners")
        return not (joins in ("and", "&") and self.word(following) in fresh and self.word(start) not in fresh)

    def _has_own_verb(self, place: int) -> bool:
        """Whether the words before can be a clause; in "no fruit and nuts may pass" they are only a part of the subject."""
        if self.words[place] != "and" or self.word(place - 1) == ",":
            return True
        first = place
        while first > 0 and not self.is_hard(first - 1):
            first -= 1
        return any(self.is_verb(at) or self.words[at] == "," for at in range(first, place))

    def _leads_to_noun(self, at: int) -> bool:
        """Whether adjectives from `at` on describe a noun: "and hot chocolate", not "and hot with ginger"."""
        while self.pos(at) in ("ADJ", "ADV", "DET") and self.tag(at) not in ("VBG", "VBN"):
            at += 1
            if self.word(at) in ("-", ","):
                at += 1
        return self.is_nominal(at) or self.is_verb(at)

    def in_phrase(self, place: int, start: int) -> bool:
        """Whether the word at `place` can be part of the noun phrase that began at `start`."""
        word, pos, before = self.words[place], self.pos(place), self.pos(place - 1)
        if self.word(place + 1) == "ago":  # did away with it years ago
            return False
        if word in RELATIVE and self.tag(place) in ("WDT", "WP", "WP$", "IN"):
            return False
        if pos in ("DET", "PRON"):
            return place == start or before not in ("NOUN", "PROPN", "PRON")
        if pos in PHRASE_PARTS or word in _INSIDE or self.word(place - 1) == "-":
            return True
        if pos == "ADV":
            return before == "DET" or self.pos(place + 1) in ("ADJ", "ADV") or self.tag(place + 1) in ("VBN", "VBG")
        if pos == "VERB":
            hyphen = self.word(place - 1).endswith("-") or self.word(place + 1) == "-"
            modifier = self._modifies(place) or (self._modifies(place + 1) and self.tag(place) == "VBN")
            noun = place > start and before in ("DET", "ADJ") and not self.is_helper(place)
            premodified = before in _PREMODIFIED or self.tag(place - 1) == "PRP$"  # his inherited lands
            return hyphen or noun or (modifier and premodified)
        return False

    def _modifies(self, place: int) -> bool:
        """Whether a participle describes the noun after it."""
        return self.tag(place) in ("VBG", "VBN") and self.pos(place + 1) in ("NOUN", "PROPN", "ADJ")

    def subject(self, verb: int) -> TokenRange | None:
        """The phrase before the verb group; after "and" the subject of the verb before; for a relative pronoun its antecedent."""
        place = self.skip_adverbs_back(self.verb_group_start(verb) - 1)
        if place < 0:
            return None
        word = self.words[place]
        if word in RELATIVE and place > 0 and (self.tag(place) in ("WDT", "WP") or self.is_nominal(place - 1)):
            return self._nearest_noun(self._before_comma(place - 1))
        if word in ("and", "but", "or", "yet"):
            previous = self._previous_verb(place)
            return self.subject(previous) if previous is not None else None
        if word == ",":
            opening = max((at for at in range(place) if self.words[at] == ","), default=-1)
            found = self.noun_before(opening - 1 if opening > 0 else place - 1)
            named = opening > 0 and all(self.pos(at) in PHRASE_PARTS for at in range(opening + 1, place))
            return TokenRange(found.first, place) if found is not None and named else found  # his wife, Jane, does not
        gerund = self.tag(place) == "VBG" and (place < 2 or self.pos(place - 1) in _BEFORE_GERUND)  # kite surfing is
        if (self.is_verb(place) and not gerund) or self.pos(place) in ("ADV", "ADP"):
            return self._before_relative(place)
        return self.noun_before(place)

    def antecedent(self, verb: int) -> TokenRange | None:
        """The noun before a relative pronoun that comes before the verb's own subject."""
        start = self.verb_group_start(verb)
        for place in range(start - 2, max(start - 8, 0), -1):
            if self.is_hard(place) or self.is_finite(place):
                return None
            if self.words[place] in ("which", "that", "whom"):
                return self._nearest_noun(self._before_comma(place - 1))
        return None

    def verb_of_subject(self, first: int, last: int) -> int | None:
        """The first finite verb after the phrase, not counting relative clauses in between."""
        if not self.can_be_subject(first):
            return None
        inner = 0
        for place in range(last, self.length):
            word = self.words[place]
            if self._opens_inner(place) or (self.tag(place) == "PRP" and not inner):
                inner += 1
            elif self.is_finite(place):
                if inner == 0:
                    return place
                inner -= 1
            elif word == "," and not inner:
                closing = self.find(frozenset(","), place + 1, self.length)
                return closing + 1 if closing > 0 and self.is_finite(closing + 1) else None
            elif (
                self.is_hard(place)
                or (word in ("but", "and") and not self.is_exceptive(place))
                or (word in word_list("subordinators") and self.starts_clause(place + 1))
            ):
                return None
        return None

    def _opens_inner(self, place: int) -> bool:
        """Whether an inner clause with its own verb begins: who came, that we saw, when it rained."""
        word = self.words[place]
        if word in ("who", "which", "whose", "whom") or (word == "that" and self.pos(place) != "DET"):
            return True
        return word in word_list("subordinators") and self.starts_clause(place + 1)

    def can_be_subject(self, first: int) -> bool:
        """Whether a phrase that begins here is not the object of a verb or preposition before it."""
        return not self.is_verb(first - 1) and self.pos(first - 1) not in ("ADP", "PART")

    def _links(self, place: int, *, loose: bool) -> bool:
        """Whether the word continues the phrase: of, with (indefinite), except, without."""
        word = self.words[place]
        definite = self.word(place + 1) in word_list("definite_determiners")
        if word == "of":
            return not (loose and definite) or self.words[place - 1] in ("any", "all", "each")
        if self.is_exceptive(place) or word in word_list("exceptive_starts") or word == "without":
            return True
        if word == "than" and self.word(place - 1) in ("other", "rather"):
            return True
        return loose and word in word_list("linking_prepositions") and not definite and not self.is_verb(place + 1)

    def _is_verbal(self, at: int) -> bool:
        """Whether a verb phrase begins here, as in "without using Y"."""
        tag = self.tag(at)
        return (self.is_verb(at) and tag in ("VBG", "VB")) or tag == "TO"

    def noun_before(self, end: int) -> TokenRange | None:
        """The phrase whose last word is at `end`: back to the clause's start, cut before its first preposition."""
        if end < 0:
            return None
        if self.tag(end) == "PRP":
            return TokenRange(end, end + 1)
        first = end
        while first > 0 and (self._is_participle(first - 1) or not self._opens_subject(first - 1, end)):
            first -= 1
        while first < end and self.pos(first) in ("CCONJ", "SCONJ", "PUNCT", "ADV", "INTJ"):
            first += 1
        if self.pos(first) == "ADP" and self.pos(first + 1) == "ADV":
            first += 2
        last = first + 1
        while last <= end and not self._cuts_subject(last):
            if self.words[last] in RELATIVE and self.tag(last) in ("WDT", "WP"):
                break
            last += 1
        return TokenRange(first, last) if first <= end else None

    def _nearest_noun(self, end: int) -> TokenRange | None:
        """The noun phrase that ends at `end`, from its last preposition on."""
        found = self.noun_before(end)
        if found is None:
            return None
        places = range(found.first, end + 1)
        prepositions = [at for at in places if self.pos(at) == "ADP" and self.words[at] != "of"]
        return TokenRange(prepositions[-1] + 1, end + 1) if prepositions and prepositions[-1] < end else found

    def _cuts_subject(self, place: int) -> bool:
        """Whether a preposition introduces a definite thing, which is not negated: "dogs in the garden are not allowed"."""
        definite = self.word(place + 1) in word_list("definite_determiners")
        named = self.words[place] in _PLACING and self.pos(place + 1) == "PROPN"
        return self._is_participle(place) or (
            self.pos(place) == "ADP" and self.words[place] != "of" and (definite or named)
        )

    def _is_participle(self, place: int) -> bool:
        """Whether a participle describes the noun before it, even if it was tagged as a past tense: support meant for him."""
        after_noun = self.pos(place - 1) in ("NOUN", "PROPN") and self.pos(place + 1) == "ADP"
        return after_noun and self.tag(place) in ("VBN", "VBD") and not self.is_helper(place)

    def _opens_subject(self, place: int, end: int) -> bool:
        """Whether the subject that ends at `end` begins after `place`."""
        if self.is_hard(place) or self.is_finite(place) or self.is_terminator(place):
            return True
        if self.tag(place) in ("TO", "PRP") or (place > 0 and self.tag(place) in ("VB", "VBP")):
            return True
        if self.is_nominal(place) and self.pos(place + 1) == "DET":  # last winter | the shop
            return True
        word = self.words[place]
        if (word == "that" and self.tag(place) == "IN") or word == "whose" or self.tag(place) in _WH_TAGS:
            return True
        if word in ("and", ","):
            verb = self._previous_verb(place)
            if verb is not None and (word == "," or self.find(word_list("terminators"), verb, place) < 0):
                return True
            listed = any(self.words[at] in ("and", "or") for at in range(place, end))
            return word == "," and not (listed and self.is_nominal(place - 1))
        return False

    def _before_relative(self, place: int) -> TokenRange | None:
        for at in range(place, 0, -1):
            if self.words[at] in ("who", "that", "which") and self.is_nominal(at - 1):
                return self.noun_before(at - 1)
            if self.is_hard(at):
                return None
        return None

    def _before_comma(self, place: int) -> int:
        return place - 1 if self.word(place) == "," else place

    def _previous_verb(self, before: int) -> int | None:
        for place in range(before - 1, -1, -1):
            if self.is_hard(place):
                return None
            if self.is_finite(place):
                return place
        return None
