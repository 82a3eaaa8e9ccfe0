"""Where a clause begins and ends by word order: at a terminator, a hard mark, or a comma that opens another clause."""

from __future__ import annotations

from constraintsuite.text.lexicon import word_list
from constraintsuite.text.readings import readings
from constraintsuite.text.sentence import QUOTES, VERB_GROUP, Sentence

COORDINATORS = frozenset(("and", "or", "nor", "&", "and/or", "/"))
PHRASE_PARTS = frozenset(("DET", "ADJ", "NOUN", "PROPN", "PRON", "NUM", "SYM"))
_BARE_NOUNS = frozenset(("NOUN", "PROPN", "ADJ"))
RELATIVE = frozenset(("which", "who", "whom", "whose", "that"))
RESTRICTING = frozenset(("just", "only", "merely", "simply", "rather", "instead", "even", "let", "much", "still"))
_COMMA = frozenset(",")
HORIZON = 80
"""The largest number of words that a cue can reach, to limit the time for very long sentences."""


class ClauseSentence(Sentence):
    """Finds clauses by tags and punctuation; a subclass with a parse overrides decisions at commas and coordinations."""

    def clause_end(self, at: int) -> int:
        """The first terminator from `at` on."""
        place = self.skip_aside(at)
        seen_verb = False
        while place < min(self.length, at + HORIZON) and not self.is_hard(place):
            word = self.words[place]
            if place > at and self.is_terminator(place):
                return place
            if word == ",":
                resumed = self._resume(place)
                if resumed is None and self.comma_ends(place, at):
                    return place
                place = place if resumed is None else resumed
            elif word in COORDINATORS and self.coordination_ends(place, at):
                return place
            elif self.is_verb(place):
                if seen_verb and self.is_finite(place) and self.leaves_clause(place, at):
                    return place
                seen_verb = True
            place += 1
        return min(place, self.length)

    def clause_start(self, at: int) -> int:
        """The place after the last terminator, clause-opening comma or mark before `at`."""
        place = at - 1
        while place >= max(0, at - HORIZON):
            if self.is_hard(place):
                return place + 1
            word = self.words[place]
            if word == "," and self._opens_clause(place + 1, at):
                return place + 1
            if self.is_terminator(place):
                return place if word in word_list("subordinators") else place + 1
            if word == "and" and (self.starts_clause(place + 1) or self._resumes_verb(place + 1)):
                return place + 1
            place -= 1
        return place + 1

    def is_terminator(self, place: int) -> bool:
        """Whether a new clause begins at this word."""
        word = self.word(place)
        if word in RELATIVE or word == "where":
            return self._is_aside_clause(place)
        if word in word_list("terminators"):
            return not self.is_exceptive(place) and not (word == "if" and self.word(place - 1) == "as")
        if word in word_list("clause_terminators"):  # prepositions elsewhere: the charge for towels was dropped
            return (word != "for" or self.word(place - 1) == ",") and self.starts_clause(place + 1)
        if word == "having":  # refused to take off his coat having just caught a cold
            return self.is_nominal(place - 1) and self.tag(place + 1) in ("VBN", "RB")
        if word in ("yet", "so", "then"):
            return self.word(place - 1) in (",", ";") or self.pos(place) in ("CCONJ", "SCONJ")
        return word == "nor" and self.is_helper(place + 1)

    def _is_aside_clause(self, place: int) -> bool:
        """Whether a relative pronoun opens a non-restrictive clause: ", which", ", in which"."""
        before = place - 2 if self.pos(place - 1) == "ADP" else place - 1
        return self.words[place] != "that" and (self.word(before) == "," or before < 0)

    def comma_ends(self, comma: int, start: int) -> bool:
        """Whether the comma closes the clause that began at `start`, rather than standing in a list."""
        place = comma + 1
        while self.word(place) in QUOTES:
            place += 1
        word = self.word(place)
        if word in COORDINATORS:
            return self.coordination_ends(place, start)
        if word in RESTRICTING or word in word_list("negative_starters") or self.is_terminator(place):
            return True
        joined = self.joins(comma, start)
        if joined is not None:
            return not joined
        if self.is_verb(comma - 1) and comma - 1 >= start and self.tag(comma - 1) != "VBG":
            return True  # a list of nouns does not begin with a verb
        if self._is_listed_noun(place):
            return not self.list_continues(place + 1)
        if self.pos(place) not in PHRASE_PARTS and self.tag(place) not in ("VBG", "VBN"):
            return True
        if self.tag(place) == "VBN" and self.pos(place + 1) in ("ADP", "DET", "ADV"):  # , trapped by the ice
            return True
        return self.opens_clause(place, comma) or not self.list_continues(place)

    def _is_listed_noun(self, place: int) -> bool:
        """Whether a noun in a list was tagged as a verb: a brace, splint, walker or crutches."""
        alone = self.tag(place) in ("VB", "VBP") and self.word(place + 1) == "," and self.is_nominal(place - 2)
        return alone and any(one.tag == "NN" for one in readings(self.words[place]))

    def joins(self, place: int, start: int) -> bool | None:
        """Whether the word after a comma or coordinator is coordinated with a noun since `start`; None if unclear."""
        return None

    def coordination_ends(self, place: int, start: int) -> bool:
        """Whether the word and (or, nor) at `place` begins something that the cue before it does not govern."""
        following = place + 1
        while self.word(following) in QUOTES or self.word(following) in ("even", "also", "any", ","):
            following += 1
        inclusive = self.words[place] in ("or", "nor", "/")
        if self.word(following) in word_list("negative_starters") or self.is_terminator(following):
            return True
        following = self.skip_adverbs(following)
        joined = self.joins(place, start)
        if joined is not None:
            return not joined
        if self.is_verb(place - 1) and place - 1 >= start and self.pos(following) == "DET":
            return True  # which cannot be opened and a fan
        if self.tag(following) == "VBN" and self.tag(start) in ("VB", "VBG"):  # refused to sign and resigned
            return not inclusive
        if self._is_second_verb(place, following):
            return not inclusive
        if self.is_verb(following) and self.tag(following) != "VBG":
            return not inclusive and (self.is_finite(following) or self._imperative(start))
        return self.opens_clause(following, place)

    def _is_second_verb(self, joint: int, at: int) -> bool:
        """Whether a verb that was tagged as a plural noun follows a verb: is no longer inhabited and serves as a museum."""
        plural = self.tag(at) == "NNS" and self.is_verb(joint - 1) and self.pos(at + 1) in ("ADP", "SCONJ", "DET")
        return plural and any(one.tag == "VBZ" for one in readings(self.words[at]))

    def leaves_clause(self, verb: int, start: int) -> bool:
        """Whether a further finite verb belongs to the clause around a relative clause: "seats that do not recline cost"."""
        for place in range(start - 1, max(start - 6, -1), -1):
            if self.is_hard(place) or self.words[place] == ",":
                return False
            if self.words[place] in RELATIVE or self.words[place] == "what":
                return self.tag(place) in ("WDT", "WP") or self.is_nominal(place - 1)
        return False

    def starts_clause(self, at: int) -> bool:
        """Whether a subject and its finite verb follow from `at` on, before the next comma or mark."""
        if self.word(at) == "having":
            return False
        place, nominal, inner = at, self.tag(at) == "VBG", 0
        while place < at + HORIZON and not self.is_hard(place):
            word = self.words[place]
            if self.is_finite(place):
                if not inner:
                    return nominal or word == "there"
                inner -= 1
            elif nominal and (word in ("who", "which", "whom", "whose") or self.tag(place) == "WDT"):
                inner += 1
                place += 1
                continue
            if word == "," or word in word_list("terminators") or (word == "to" and self.tag(place) == "TO"):
                return False
            if self.tag(place) == "VBG" and place > at and self.is_nominal(place - 1):
                return False
            nominal = nominal or self.is_nominal(place) or word in ("there", "this")
            place += 1
        return False

    def opens_clause(self, at: int, joint: int) -> bool:
        """`starts_clause` after a coordinator or comma, except that a bare noun after or (nor) is always a list member."""
        joints = {self.words[joint], self.word(joint + 1)}
        place = at
        while self.pos(place) in _BARE_NOUNS or (place > at and self.word(place) in ("or", "nor", ",")):
            if self.words[place] in ("or", "nor"):
                return False
            place += 1
        if joints & {"or", "nor"} and self.pos(at) in _BARE_NOUNS:
            return False
        return self.starts_clause(at)

    def list_continues(self, at: int, *, bare: bool = False) -> bool:
        """Whether a list continues from `at` to a member after and (or, nor) that opens no clause.

        A bare list ("no pond, lawn and hedge") does not continue to a member with a determiner ("and two benches").
        """
        place = at
        while place < at + HORIZON and not self.is_hard(place) and not self.is_finite(place):
            word = self.words[place]
            if word in COORDINATORS:
                if bare and word in ("and", "&") and self.word(place + 1) in word_list("fresh_determiners"):
                    return False
                return not self.opens_clause(place + 1, place) and not self.is_finite(place + 1)
            if word in word_list("terminators") or self.tag(place) == "TO" or self._is_either_way(place):
                return False
            place += 1
        return False

    def _is_either_way(self, place: int) -> bool:
        return self.words[place] == "with" and self.word(place + 2) == "without"  # with or without

    def is_exceptive(self, place: int) -> bool:
        """Whether `but` means except: "every tool but the drill"."""
        if self.word(place) != "but":
            return False
        near = range(max(place - 5, 0), place)
        if any(self.words[at] == "," for at in near) or self.word(place + 1) in word_list("negative_starters"):
            return False
        wide = any(self.words[at] in word_list("universals") for at in near)
        return wide and (self.is_nominal(place + 1) or self.pos(place + 1) in ("DET", "ADJ"))

    def verb_group_start(self, verb: int) -> int:
        """The first auxiliary of the verb group that ends at `verb`."""
        start = verb
        while start > max(verb - VERB_GROUP, 0) and (
            self.pos(start - 1) in ("AUX", "ADV", "PART")
            or self.word(start - 1) in ("be", "been", "being", "get", "got", "have", "has", "had", "since")
        ):
            start -= 1
        while start < verb and self.pos(start) == "ADV":
            start += 1
        return start

    def skip_aside(self, at: int) -> int:
        """The place after an aside between commas right after the cue: "did not, for once, rain"."""
        if self.word(at) == ":":
            return at + 1
        if self.word(at) != ",":
            return at
        closing = self.find(_COMMA, at + 1, self.length)
        return closing + 1 if closing > 0 else at

    def _resume(self, comma: int) -> int | None:
        """The closing comma of an aside after which the clause continues.

        "should expect, on this coast, to find palms"; "whether the station, which is old, will have a café"
        """
        closing = self.find(_COMMA, comma + 1, self.length)
        if closing < 0:
            return None
        aside = self._opens_aside(comma + 1)
        infinitive = self.word(closing + 1) == "to" and self.tag(closing + 2) in ("VB", "VBP")
        noun = self.pos(closing + 1) in ("DET", "NUM") and not self.starts_clause(closing + 1)
        if (infinitive or (aside and noun)) and (self.is_verb(comma - 1) or self.pos(comma - 1) == "ADJ"):
            return closing
        if self.is_helper(comma - 1) and self.tag(closing + 1) in ("VB", "VBN", "VBG"):
            return closing  # may, whatever its age, be fitted
        pending = self.is_nominal(comma - 1) and not self._has_finite(comma)
        return closing if aside and pending and self.is_finite(closing + 1) else None

    def _opens_aside(self, at: int) -> bool:
        """Whether the words from `at` on can be an aside: according to X, on this coast, which is old."""
        return self.word(at) in RELATIVE or self.word(at) == "according" or self.pos(at) in ("ADP", "SCONJ", "ADV")

    def _has_finite(self, before: int) -> bool:
        """Whether the current clause has a finite verb before this place."""
        place = before - 1
        while place >= 0 and not self.is_hard(place) and not self.is_terminator(place):
            if self.words[place] in ("whether", ","):
                return False
            if self.is_finite(place):
                return True
            place -= 1
        return False

    def _resumes_verb(self, at: int) -> bool:
        """Whether a second verb of the same subject follows: "and rarely drops out"."""
        return self.is_finite(self.skip_adverbs(at))

    def _opens_clause(self, at: int, verb: int) -> bool:
        return any(self.is_finite(place) for place in range(at, verb)) or self.starts_clause(at)

    def _imperative(self, start: int) -> bool:
        """Whether the negated verb before `start` is a command."""
        place = start - 1
        while self.word(place) in ("n't", "not", "do", "never"):
            place -= 1
        return place < 0 or self.is_hard(place)
