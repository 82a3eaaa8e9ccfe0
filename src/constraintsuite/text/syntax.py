"""The reach of a cue by the dependency parse, and by word order if the parse does not decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraintsuite.text.base import Token
from constraintsuite.text.clauses import RELATIVE
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence
from constraintsuite.text.sentence import NOMINAL, TokenRange

_SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass"))
_BEFORE_NOUN = frozenset(("det", "amod", "compound", "nummod", "poss", "nmod", "predet", "quantmod", "advmod", "punct"))
_PREDICATE_PARTS = frozenset(
    ("aux", "auxpass", "acomp", "attr", "prep", "pobj", "advmod", "neg", "prt", "oprd", "pcomp", "amod", "dobj")
)
_CLIMB = 4


class ParsedSentence(ScopedSentence):
    """Uses the parse for subjects, and to decide at commas and coordinations whether a phrase continues."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self._children: list[list[int]] = [[] for _ in range(self.length)]
        for place, token in enumerate(self.tokens):
            if 0 <= token.head < self.length:
                self._children[token.head].append(place)

    def subject(self, verb: int) -> TokenRange | None:
        """The subject in the parse, followed through coordinated verbs and relative pronouns."""
        predicate = self._predicate(verb)
        if predicate is not None and self._dep(predicate) == "conj" and self._follows_aside(verb):
            return super().subject(verb)
        finite = predicate is not None and self._is_tensed(predicate)
        for _ in range(_CLIMB):
            if predicate is None:
                break
            nouns = [child for child in self._children[predicate] if self._dep(child) in _SUBJECTS]
            if nouns and (self._is_tensed(predicate) or not finite):
                return self._noun_phrase(self._resolve(nouns[-1], predicate))
            if self._dep(predicate) in ("acl", "relcl"):
                return self._noun_phrase(self.tokens[predicate].head)
            linked = self._dep(predicate) in ("conj", "xcomp") or (nouns and finite)
            predicate = self.tokens[predicate].head if linked else None
        return super().subject(verb)

    def antecedent(self, verb: int) -> TokenRange | None:
        """The noun that a relative clause describes, if its pronoun is the verb's object."""
        if self._dep(verb) == "relcl":
            pronoun = any(
                self.words[child] in RELATIVE and self._dep(child) not in _SUBJECTS for child in self._children[verb]
            )
            loose = self.lemma(verb) in word_list("intransitive_verbs")
            if pronoun or not (loose or any(self._dep(child) == "dobj" for child in self._children[verb])):
                return self._noun_phrase(self.tokens[verb].head)
        return super().antecedent(verb)

    def verb_of_subject(self, first: int, last: int) -> int | None:
        """The verb that governs the phrase as its subject."""
        tokens = self.tokens
        if not self.can_be_subject(first):
            return None
        for place in range(first, min(last, self.length)):
            head = tokens[place].head
            if 0 <= head < self.length and not first <= head < last:
                if tokens[place].dep in _SUBJECTS:
                    group = [child for child in self._children[head] if self._dep(child) in ("aux", "auxpass", "neg")]
                    start = min((at for at in (*group, head) if at >= last), default=head)
                    return start if start >= last and self.is_finite(start) else None
                if tokens[place].dep in ("dobj", "pobj", "attr", "dative", "oprd"):
                    return None
        return super().verb_of_subject(first, last)

    def leaves_clause(self, verb: int, start: int) -> bool:
        """Whether a further verb governs the clause that began at `start`, rather than being part of it."""
        governor = self._predicate(start)
        if governor is None or governor == verb:
            return super().leaves_clause(verb, start)
        return verb in self._ancestors(governor) or super().leaves_clause(verb, start)

    def joins(self, place: int, start: int) -> bool | None:
        """Whether the noun after a comma or coordinator is coordinated with one in the stretch before; None if unclear."""
        top = self._top_after(place)
        if top is None or self.pos(top) not in NOMINAL:
            return None
        if any(self._dep(child) in _SUBJECTS for child in self._children[top]):
            return False
        dep, head = self._dep(top), self.tokens[top].head
        if dep in _SUBJECTS:
            return False
        if dep == "conj":
            while head >= place and self._dep(head) == "conj":
                head = self.tokens[head].head
            nominal = self.pos(head) in NOMINAL
            return head >= start if nominal else self._verb_joins(top, head)
        return None

    def _verb_joins(self, top: int, head: int) -> bool | None:
        """False for a noun that "and" coordinates with a verb: it is a clause whose verb was parsed wrongly."""
        joining = {self.words[child] for child in self._children[head] if head < child < top}
        return False if self.is_verb(head) and "and" in joining else None

    def _top_after(self, place: int) -> int | None:
        """The highest word of the phrase that follows a comma or coordinator."""
        at = place + 1
        while self.word(at) in ("and", "or", "nor", "&", '"', "“"):
            at += 1
        if at >= self.length:
            return None
        for _ in range(12):
            head = self.tokens[at].head
            if head <= place or self._dep(at) in _SUBJECTS or self._dep(at) == "conj":
                return at
            at = head
        return None

    def _predicate(self, at: int) -> int | None:
        """The verb of the predicate that contains `at`."""
        for _ in range(_CLIMB):
            if not 0 <= at < self.length:
                return None
            has_subject = any(self._dep(child) in _SUBJECTS for child in self._children[at])
            if has_subject or self._dep(at) not in _PREDICATE_PARTS:
                return at if self.is_verb(at) or has_subject else None
            at = self.tokens[at].head
        return None

    def _follows_aside(self, verb: int) -> bool:
        """Whether a comma comes right before the verb group: "peanuts, the label says, were never used"."""
        return self.word(self.verb_group_start(verb) - 1) == ","

    def _is_tensed(self, verb: int) -> bool:
        """Whether the verb, or an auxiliary of it, is finite."""
        helpers = (child for child in self._children[verb] if self._dep(child) in ("aux", "auxpass"))
        return any(self.is_finite(place) for place in (verb, *helpers))

    def _resolve(self, noun: int, verb: int) -> int:
        """The antecedent of a relative pronoun; any other noun itself."""
        if self.words[noun] in RELATIVE and self._dep(verb) == "relcl":
            return self.tokens[verb].head
        return noun

    def _noun_phrase(self, noun: int) -> TokenRange | None:
        """A noun with its premodifiers, its of-phrases and its coordinated nouns."""
        if not 0 <= noun < self.length:
            return None
        places = sorted({noun, *self._parts(noun)})
        first = places[0]
        while self.word(first - 1) == "-" and first > 1:  # Wi-Fi
            first -= 2
        return TokenRange(first, places[-1] + 1)

    def _parts(self, noun: int) -> Iterator[int]:
        for child in self._children[noun]:
            dep = self._dep(child)
            listed = self.pos(child) in NOMINAL and dep in ("conj", "appos")
            if (child < noun and dep in _BEFORE_NOUN) or (child > noun and listed):
                yield from (child, *self._parts(child))
            elif child > noun and dep == "prep" and not self._cuts_subject(child):
                for inner in self._children[child]:
                    yield from (inner, *self._parts(inner))

    def _ancestors(self, place: int) -> set[int]:
        found: set[int] = set()
        while 0 <= self.tokens[place].head < self.length and place not in found:
            place = self.tokens[place].head
            found.add(place)
        return found

    def _dep(self, place: int) -> str:
        return self.tokens[place].dep
