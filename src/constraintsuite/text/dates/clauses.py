"""The verb that a date belongs to, and its subject, from parts of speech alone."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.text.base import Token
from constraintsuite.text.dates.words import date_words

_VERB_TAGS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"))
_FINITE = frozenset(("VBD", "VBP", "VBZ", "MD"))
_NOMINAL = frozenset(("NOUN", "PROPN", "PRON"))
_RELATIVE = frozenset(("who", "which", "that", "whom"))
_LIGHT = frozenset(("ADP", "DET", "ADV", "ADJ", "PART", "SCONJ", "NUM"))
_REACH = 45
_DEEPEST = 4


class DatedClause:
    """The tokens of a sentence around one date: from `at` up to, but not including, `after`."""

    def __init__(self, text: str, tokens: Sequence[Token], start: int, end: int) -> None:
        self._text = text
        self._tokens = tokens
        self.at = next((place for place, one in enumerate(tokens) if one.end > start), len(tokens))
        self.after = next((place for place in range(self.at, len(tokens)) if tokens[place].start >= end), len(tokens))

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
        word = self._tokens[place].lemma.lower()
        return {"bear": "born"}.get(word, word)

    def is_attribute(self) -> bool:
        """Whether the date stands before a noun: a 17th century architect."""
        if not 0 < self.at or self.after >= len(self._tokens) or self._pos(self.after) not in ("NOUN", "ADJ", "PROPN"):
            return False
        at = self.at - 1
        while at > 0 and self._tokens[at].text.lower() in ("mid", "early", "late", "-"):
            at -= 1
        return self._tokens[at].tag in ("DT", "PRP$", "POS", "JJ") and self._tokens[at].text.lower() != "the"

    def copula_before(self) -> int | None:
        """The place of "is" in "is a 2002 film"."""
        at = self.at - 1
        while at > 0 and self._pos(at) in ("DET", "ADJ", "ADV") or (at > 0 and self._tokens[at].text == "-"):
            at -= 1
        return at if at >= 0 and self._tokens[at].lemma == "be" else None

    def verb_before(self, place: int) -> int | None:
        """The nearest verb before a place, outside brackets that the place is not in."""
        depth = 0
        for at in range(place - 1, max(-1, place - _REACH), -1):
            mark = self._tokens[at].text
            depth = max(0, depth + (mark in (")", "]")) - (mark in ("(", "[")))
            if depth == 0 and mark == ";":
                return None
            if depth == 0 and self._is_verb(at):
                return at
        return None

    def thing(self, verb: int) -> str:
        """What the event happened to: what was made if the verb says so, else the subject."""
        made = self._tokens[verb]
        if made.lemma.lower() in date_words().verbs_of_making and not self._is_passive(verb):
            found = self._object(verb)
            if found:
                return found
        if made.tag == "VBG" and self._word(verb + 1) == "of" and self._pos(verb - 1) == "DET":
            return self._noun_from(verb + 2)  # the sinking of the ship
        return self.subject(verb)

    def subject(self, verb: int, depth: int = 0) -> str:
        """The subject of a verb, as the text names it."""
        at, auxiliary = self._before_auxiliaries(verb)
        if at < 0 or depth > _DEEPEST:
            return self._noun_after_comma() if at < 0 else ""
        token = self._tokens[at]
        if token.text.lower() in _RELATIVE:
            return self._antecedent(at - 1)
        if token.text.lower() == "there":
            return self._noun_from(verb + 1)
        if token.pos in _NOMINAL:
            reduced = self._tokens[verb].tag in ("VBN", "VBG") and not auxiliary
            return self._short_noun(at) if reduced else self._subject_phrase(at)
        earlier = self.verb_before(at + 1)
        if earlier is None and token.text == ",":
            return self._subject_phrase(at - 1)
        if earlier is None:
            return self._noun_after_comma() if self._tokens[verb].tag in ("VBN", "VBG") else ""
        return self.subject(earlier, depth + 1)

    def noun_after(self) -> str:
        """The noun that the date stands before."""
        return self._noun_from(self.after)

    def _before_auxiliaries(self, verb: int) -> tuple[int, bool]:
        """The place before a verb with its auxiliaries, adverbs, brackets and the date, and whether there was an auxiliary."""
        at, auxiliary = verb - 1, False
        while at >= 0:
            if self.at <= at < self.after:
                at = self.at - 1
                while at >= 0 and self._pos(at) in ("ADP", "SCONJ", "DET", "ADJ"):
                    at -= 1
            elif self._tokens[at].text in (")", "]"):
                at = next((one for one in range(at, -1, -1) if self._tokens[one].text in ("(", "[")), 0) - 1
            elif self._pos(at) in ("AUX", "ADV", "PART"):
                auxiliary = auxiliary or self._pos(at) == "AUX"
                at -= 1
            else:
                break
        return at, auxiliary

    def _is_passive(self, verb: int) -> bool:
        if self._tokens[verb].tag != "VBN":
            return False
        at, auxiliary = self._before_auxiliaries(verb)
        return not auxiliary or any(one.lemma == "be" for one in self._tokens[at + 1 : verb])

    def _object(self, verb: int) -> str:
        """The noun phrase right after a verb; of "his first album, 'Cinémascope'", the title."""
        first = verb + 1
        if (
            self._pos_or_nothing(first) not in ("DET", "NOUN", "PROPN", "ADJ", "NUM", "PRON")
            and self._word(first) != '"'
        ):
            return ""
        last = first
        while self._pos_or_nothing(last) not in ("", "ADP", "VERB", "AUX", "CCONJ", "SCONJ") and self._word(
            last
        ) not in (",", ";", ".", "("):
            last += 1
        if self._word(last) == "," and self._word(last + 1) in ('"', "“"):
            first = last + 2
            last = next((one for one in range(first, len(self._tokens)) if self._word(one) in ('"', "”", ",")), first)
        return self._phrase(first, min(last, len(self._tokens)) - 1) if not first <= self.at < last else ""

    def _antecedent(self, last: int) -> str:
        """The noun before "who"; of "she is a weaver who", her."""
        phrase, first = self._noun_back(last)
        if first > 0 and self._tokens[first - 1].lemma == "be":
            return self.subject(first - 1, _DEEPEST) or phrase
        return phrase

    def _noun_from(self, first: int) -> str:
        last = first
        while self._pos_or_nothing(last) in ("NOUN", "PROPN", "ADJ", "NUM", "DET") or self._word(last) in (
            "-",
            "'s",
            "’s",
        ):
            last += 1
        return self._phrase(first, last - 1)

    def _word(self, at: int) -> str:
        return self._tokens[at].text if 0 <= at < len(self._tokens) else ""

    def _pos_or_nothing(self, at: int) -> str:
        return self._tokens[at].pos if 0 <= at < len(self._tokens) else ""

    def _pos(self, at: int) -> str:
        return self._tokens[at].pos

    def _is_verb(self, at: int) -> bool:
        token = self._tokens[at]
        if token.tag not in _VERB_TAGS or token.pos not in ("VERB", "AUX"):
            return False
        if token.tag in ("VBN", "VBG") and 0 < at < len(self._tokens) - 1:
            before, after = self._tokens[at - 1], self._pos(at + 1)
            if before.tag in ("DT", "PRP$") and after in ("ADJ", "NUM", "SYM"):
                return False
            return not (before.pos in ("DET", "ADJ") and after in ("NOUN", "PROPN"))
        return True

    def _is_cleft(self) -> bool:
        """It was not until 1917 that the president asked."""
        following = [one.text for one in self._tokens[self.after : self.after + 2]]
        return "that" in following and 0 < self.at and self._tokens[self.at - 1].text == "until"

    def _opens_clause(self) -> bool:
        at = self.at - 1
        while at >= 0 and self._pos(at) in _LIGHT:
            at -= 1
        if at < 0 or self._tokens[at].text in (";", ":", ".", "*") or (at == 0 and self._pos(at) == "PUNCT"):
            return True
        joined = self._tokens[at].text == "," or self._pos(at) == "CCONJ"
        return joined and self._clause_follows()

    def _clause_follows(self) -> bool:
        """Whether a subject and a finite verb come right after the date."""
        at = self.after
        if at < len(self._tokens) and self._tokens[at].text == ",":
            at += 1
        if at >= len(self._tokens) or self._pos(at) not in ("PRON", "DET", "NOUN", "PROPN"):
            return False
        for place in range(at, min(at + 9, len(self._tokens))):
            if self._tokens[place].tag in _FINITE:
                return True
            if self._pos(place) == "PUNCT":
                return False
        return False

    def _verb_after(self, place: int) -> int | None:
        depth = 0
        for at in range(place, min(place + _REACH, len(self._tokens))):
            mark = self._tokens[at].text
            depth = max(0, depth + (mark in ("(", "[")) - (mark in (")", "]")))
            if depth == 0 and self._tokens[at].tag in _FINITE and not self._in_relative_clause(place, at):
                return self._main_verb(at)
        return None

    def _in_relative_clause(self, start: int, at: int) -> bool:
        return at - 1 >= start and self._tokens[at - 1].text.lower() in ("who", "which")

    def _main_verb(self, at: int) -> int:
        """The full verb after an auxiliary: was opened, did not open."""
        if self._pos(at) != "AUX":
            return at
        for place in range(at + 1, min(at + 6, len(self._tokens))):
            if self._tokens[place].tag in _VERB_TAGS:
                if self._pos(place) == "VERB":
                    return place
                at = place
            elif self._pos(place) not in ("ADV", "PART", "AUX"):
                break
        return at

    def _phrase(self, first: int, last: int) -> str:
        if not 0 <= first <= last < len(self._tokens):
            return ""
        return self._text[self._tokens[first].start : self._tokens[last].end]

    def _short_noun(self, last: int) -> str:
        """The noun phrase that ends at a place, back to its article."""
        return self._noun_back(last)[0]

    def _noun_back(self, last: int) -> tuple[str, int]:
        while last >= 0 and self._tokens[last].text in (",", ")"):
            last -= 1
        first = last
        while first > 0 and (
            self._pos(first - 1) in ("NOUN", "PROPN", "ADJ", "NUM", "DET")
            or self._word(first - 1).lower() in ("of", "-", "'s", "’s")
        ):
            first -= 1
        while first < last and self._pos(first) in ("ADP", "PUNCT", "PART"):
            first += 1
        return self._phrase(first, last), first

    def _subject_phrase(self, last: int) -> str:
        """The subject that ends at a place, without its prepositional phrases; of an apposition, the name before it."""
        first, depth = last, 0
        while first > 0:
            before = self._tokens[first - 1]
            depth = max(0, depth + (before.text in (")", "]")) - (before.text in ("(", "[")))
            if depth == 0 and (
                before.text in (",", ";", ":", "(", '"', "“")
                or before.tag in _VERB_TAGS
                or before.tag in ("MD", "WDT", "WP", "WRB")
            ):
                break
            if before.pos in ("SCONJ", "AUX"):
                break
            first -= 1
        if first <= self.at <= last:
            first = min(self.after, last)
        while first < last and self._pos(first) in ("CCONJ", "ADV", "PUNCT", "SCONJ", "NUM"):
            first += 1
        if self._pos(first) == "ADP":
            return self._short_noun(last)
        if (
            first > 1
            and self._tokens[first - 1].text == ","
            and self._pos(first) == "DET"
            and self._pos(first - 2) == "PROPN"
        ):
            return self._short_noun(first - 2)
        end = next(
            (at for at in range(first + 1, last + 1) if self._pos(at) == "ADP" and self._tokens[at].text != "of"),
            last + 1,
        )
        return self._phrase(first, end - 1)

    def _noun_after_comma(self) -> str:
        """The subject of a sentence that opens with a participle: Built in 1911, the villa ..."""
        at = next((one for one in range(self.after, len(self._tokens)) if self._tokens[one].text == ","), None)
        if at is None:
            return ""
        last = at + 1
        if self._pos_or_nothing(last) not in ("DET", "PRON", "NOUN", "PROPN", "ADJ"):
            return ""
        while last + 1 < len(self._tokens) and self._pos(last) not in ("NOUN", "PROPN", "PRON"):
            last += 1
        while last + 1 < len(self._tokens) and self._pos(last + 1) in ("NOUN", "PROPN"):
            last += 1
        return self._phrase(at + 1, last) if last < len(self._tokens) else ""
