"""The verb that a date belongs to, and its subject, from parts of speech alone."""

from __future__ import annotations

from constraintsuite.text.dates.phrases import VERB_TAGS, DatedTokens
from constraintsuite.text.dates.words import date_words

_FINITE = frozenset(("VBD", "VBP", "VBZ", "MD"))
_NOMINAL = frozenset(("NOUN", "PROPN", "PRON"))
_RELATIVE = frozenset(("who", "which", "that", "whom"))
_LIGHT = frozenset(("ADP", "DET", "ADV", "ADJ", "PART", "SCONJ", "NUM"))
_REACH = 45
_DEEPEST = 4


class DatedClause(DatedTokens):
    """The clause of a date: its verb, and what the verb says something of."""

    def find_verb(self) -> int | None:
        """The place of the verb: after a date that opens the clause, else the nearest one before it."""
        if self._is_cleft():
            return self._verb_after(self.after)
        if self._opens_clause():
            found = self._verb_after(self.after)
            if found is not None:
                return found
        found = self.verb_before(self.at)
        return self._verb_after(self.after) if found is None else found

    def lemma(self, place: int) -> str:
        """The base form of the verb at a place; to bear dates a birth."""
        word = self.tokens[place].lemma.lower()
        return {"bear": "born"}.get(word, word)

    def is_attribute(self) -> bool:
        """Whether the date stands before a noun: a 17th century architect."""
        if not self.at > 0 or self.after >= len(self.tokens) or self.pos(self.after) not in ("NOUN", "ADJ", "PROPN"):
            return False
        at = self.at - 1
        while at > 0 and self.tokens[at].text.lower() in ("mid", "early", "late", "-"):
            at -= 1
        return self.tokens[at].tag in ("DT", "PRP$", "POS", "JJ") and self.tokens[at].text.lower() != "the"

    def copula_before(self) -> int | None:
        """The place of "is" in "is a 2002 film"."""
        at = self.at - 1
        while (at > 0 and self.pos(at) in ("DET", "ADJ", "ADV")) or (at > 0 and self.tokens[at].text == "-"):
            at -= 1
        return at if at >= 0 and self.tokens[at].lemma == "be" else None

    def verb_before(self, place: int) -> int | None:
        """The nearest verb before a place, outside brackets that the place is not in."""
        depth = 0
        for at in range(place - 1, max(-1, place - _REACH), -1):
            mark = self.tokens[at].text
            depth = max(0, depth + (mark in (")", "]")) - (mark in ("(", "[")))
            if depth == 0 and mark == ";":
                return None
            if depth == 0 and self._is_verb(at):
                return at
        return None

    def thing(self, verb: int) -> str:
        """What the event happened to: what was made if the verb says so, else the subject."""
        made = self.tokens[verb]
        if made.lemma.lower() in date_words().verbs_of_making and not self._is_passive(verb):
            found = self.object_of(verb)
            if found:
                return found
        if made.tag == "VBG" and self.word(verb + 1) == "of" and self.pos(verb - 1) == "DET":
            return self.noun_from(verb + 2)  # the sinking of the ship
        return self.subject(verb)

    def subject(self, verb: int, depth: int = 0) -> str:
        """The subject of a verb, as the text names it."""
        at, auxiliary = self._before_auxiliaries(verb)
        if at < 0 or depth > _DEEPEST:
            return self.noun_after_comma() if at < 0 else ""
        token = self.tokens[at]
        if token.text.lower() in _RELATIVE:
            return self._antecedent(at - 1)
        if token.text.lower() == "there":
            return self.noun_from(verb + 1)
        if token.pos in _NOMINAL:
            reduced = self.tokens[verb].tag in ("VBN", "VBG") and not auxiliary
            return self.phrase(*self.noun_back(at)) if reduced else self.subject_phrase(at)
        earlier = self.verb_before(at + 1)
        if earlier is None and token.text == ",":
            return self.subject_phrase(at - 1)
        if earlier is None:
            return self.noun_after_comma() if self.tokens[verb].tag in ("VBN", "VBG") else ""
        return self.subject(earlier, depth + 1)

    def noun_after(self) -> str:
        """The noun that the date stands before."""
        return self.noun_from(self.after)

    def _before_auxiliaries(self, verb: int) -> tuple[int, bool]:
        """The place before a verb with its auxiliaries, adverbs, brackets and the date, and whether there was an auxiliary."""
        at, auxiliary = verb - 1, False
        while at >= 0:
            if self.at <= at < self.after:
                at = self.at - 1
                while at >= 0 and self.pos(at) in ("ADP", "SCONJ", "DET", "ADJ"):
                    at -= 1
            elif self.tokens[at].text in (")", "]"):
                at = next((one for one in range(at, -1, -1) if self.tokens[one].text in ("(", "[")), 0) - 1
            elif self.pos(at) in ("AUX", "ADV", "PART"):
                auxiliary = auxiliary or self.pos(at) == "AUX"
                at -= 1
            else:
                break
        return at, auxiliary

    def _is_passive(self, verb: int) -> bool:
        if self.tokens[verb].tag != "VBN":
            return False
        at, auxiliary = self._before_auxiliaries(verb)
        return not auxiliary or any(one.lemma == "be" for one in self.tokens[at + 1 : verb])

    def _antecedent(self, last: int) -> str:
        """The noun before "who"; of "she is a weaver who", her."""
        first, last = self.noun_back(last)
        copula = first > 0 and self.tokens[first - 1].lemma == "be"
        return (self.subject(first - 1, _DEEPEST) if copula else "") or self.phrase(first, last)

    def _is_verb(self, at: int) -> bool:
        token = self.tokens[at]
        if token.tag not in VERB_TAGS or token.pos not in ("VERB", "AUX"):
            return False
        if token.tag in ("VBN", "VBG") and 0 < at < len(self.tokens) - 1:
            before, after = self.tokens[at - 1], self.pos(at + 1)
            if before.tag in ("DT", "PRP$") and after in ("ADJ", "NUM", "SYM"):
                return False
            return not (before.pos in ("DET", "ADJ") and after in ("NOUN", "PROPN"))
        return True

    def _is_cleft(self) -> bool:
        """It was not until 1917 that the president asked."""
        following = [one.text for one in self.tokens[self.after : self.after + 2]]
        return "that" in following and self.at > 0 and self.tokens[self.at - 1].text == "until"

    def _opens_clause(self) -> bool:
        at = self.at - 1
        while at >= 0 and self.pos(at) in _LIGHT:
            at -= 1
        if at < 0 or self.tokens[at].text in (";", ":", ".", "*") or (at == 0 and self.pos(at) == "PUNCT"):
            return True
        joined = self.tokens[at].text == "," or self.pos(at) == "CCONJ"
        return joined and self._clause_follows()

    def _clause_follows(self) -> bool:
        """Whether a subject and a finite verb come right after the date."""
        at = self.after
        if at < len(self.tokens) and self.tokens[at].text == ",":
            at += 1
        if at >= len(self.tokens) or self.pos(at) not in ("PRON", "DET", "NOUN", "PROPN"):
            return False
        for place in range(at, min(at + 9, len(self.tokens))):
            if self.tokens[place].tag in _FINITE:
                return True
            if self.pos(place) == "PUNCT":
                return False
        return False

    def _verb_after(self, place: int) -> int | None:
        depth = 0
        for at in range(place, min(place + _REACH, len(self.tokens))):
            mark = self.tokens[at].text
            depth = max(0, depth + (mark in ("(", "[")) - (mark in (")", "]")))
            if depth == 0 and self.tokens[at].tag in _FINITE and not self._in_relative_clause(place, at):
                return self._main_verb(at)
        return None

    def _in_relative_clause(self, start: int, at: int) -> bool:
        return at - 1 >= start and self.tokens[at - 1].text.lower() in ("who", "which")

    def _main_verb(self, at: int) -> int:
        """The full verb after an auxiliary: was opened, did not open."""
        if self.pos(at) != "AUX":
            return at
        for place in range(at + 1, min(at + 6, len(self.tokens))):
            if self.tokens[place].tag in VERB_TAGS:
                if self.pos(place) == "VERB":
                    return place
                at = place
            elif self.pos(place) not in ("ADV", "PART", "AUX"):
                break
        return at
