"""A sentence with its cues and the scopes that were drawn so far, for the functions in `text/draw`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from constraintsuite.text.base import ScopeKind, Token
from constraintsuite.text.clauses import RELATIVE
from constraintsuite.text.cues import Cue, find_cues
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.linear import LinearSentence
from constraintsuite.text.sentence import TokenRange

_BRINGING = ("possession_verbs", "creating_verbs", "attaining_verbs")
_OWNED = frozenset(("'s", "'"))
_AFTER_DEFINITE = frozenset(("NOUN", "PROPN", "ADJ", "NUM", "VERB"))


class ScopePatch(NamedTuple):
    """A range of tokens that a rule marks."""

    first: int
    last: int
    kind: ScopeKind
    rule: str


class ScopedSentence(LinearSentence):
    """One sentence while its scopes are drawn."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self.cues = find_cues(self)
        self.drawn: list[tuple[Cue, ScopePatch]] = []

    def add(self, cue: Cue, patches: Iterable[ScopePatch]) -> None:
        """Add the patches of a cue that are not empty."""
        for patch in patches:
            first, last = self._after_owner(patch), min(patch.last, self.length)
            if first < last:
                self.drawn.append((cue, patch._replace(first=first, last=last)))

    def _after_owner(self, patch: ScopePatch) -> int:
        """The start of a patch without a known owner, who is there all the same: without Adam's consent."""
        known = self.word(patch.first) in word_list("definite_determiners")
        place = patch.first + known
        while place < patch.last and self.pos(place) in (("PROPN", "NOUN") if known else ("PROPN",)):
            place += 1
        owned = place > patch.first and self.word(place) in ("'s", "'") and patch.kind != "affirmed"
        if self.pos(place + 1) == "PROPN" and self.pos(place - 1) == "PROPN":  # New Year's Day
            return patch.first
        return place + 1 if owned and place + 1 < patch.last else patch.first

    def is_drawn(self, at: int) -> bool:
        """Whether the place is already marked as negated."""
        return any(patch.kind == "negated" and patch.first <= at < patch.last for _, patch in self.drawn)

    def has_cue(self, first: int, last: int, draws: frozenset[str]) -> bool:
        """Whether a cue of one of the named drawing functions begins in a range."""
        return any(first <= cue.first < last and cue.draw in draws for cue in self.cues)

    def is_known(self, first: int) -> bool:
        """Whether a phrase that begins here is definite or a name."""
        return self.word(first) in word_list("definite_determiners") or self.pos(first) in ("PRON", "PROPN")

    def follows_relative(self, verb: int) -> bool:
        """Whether a relative pronoun comes right before the verb: a moat, which may be dry."""
        return self.word(self.skip_adverbs_back(verb - 1)) in RELATIVE

    def segment(self, at: int) -> TokenRange:
        """The words between the hard marks around a place."""
        first = last = at
        while first > 0 and not self.is_hard(first - 1):
            first -= 1
        while not self.is_hard(last):
            last += 1
        return TokenRange(first, last)

    def mark(self, cue: Cue, stretch: TokenRange | None, rule: str = "") -> Iterator[ScopePatch]:
        """The patch of a range, if there is one, with the kind of the cue."""
        if stretch is not None:
            yield ScopePatch(stretch.first, stretch.last, cue.kind, rule or cue.rule)

    def predicate(self, cue: Cue, first: int, last: int) -> Iterator[ScopePatch]:
        """The patches of a negated predicate, without definite noun phrases that the clause presupposes.

        "did not water the ferns" presupposes that there are ferns; "does not have the badge" does not presuppose the badge.
        """
        start = first
        for hole in self._definite(first, last, deep=cue.kind == "negated"):
            yield ScopePatch(start, hole.first, cue.kind, cue.rule)
            start = hole.last
        yield ScopePatch(start, last, cue.kind, cue.rule)

    def _definite(self, first: int, last: int, *, deep: bool) -> Iterator[TokenRange]:
        place = first
        while place < last:
            if self._is_presupposed(first, place):
                end = min(self._presupposed_end(place, deep=deep), last)
                yield TokenRange(place, end)
                place = max(end, place + 1)
            else:
                place += 1

    def _presupposed_end(self, place: int, *, deep: bool) -> int:
        end = self.phrase_end(place)
        if self.tag(end - 1) == "JJ" and self.pos(end - 2) == "NOUN":  # call the soup | spicy
            return end - 1
        if deep and self.word(end) in ("who", "that", "which", "whose"):
            end = self.clause_end(end + 1)
        inner = self.find(word_list("exceptive_starts") | {"without"}, place + 1, end)
        return inner if inner >= 0 else end

    def _is_presupposed(self, first: int, place: int) -> bool:
        if self.word(place - 1) == "than" and self.pos(place) == "PROPN":  # thought to be better than Hamlet
            return True
        # She could not bear Rome's lack of shade; but goat's cheese has no owner.
        capital = self.tokens[place].text[0].isupper()
        named = capital and self.pos(place) == "PROPN" and self.word(place + 1) == "'s"
        if (not named and self.words[place] not in word_list("definite_determiners")) or self.is_drawn(place + 1):
            return False
        if self.tag(place) in ("WDT", "IN") or not (named or self.pos(place + 1) in _AFTER_DEFINITE):
            return False
        between = self.word(place - 1) == "back" or self.tag(place - 1) == "PRP"  # bring back, give him
        lemma = self.lemma(self.skip_adverbs_back(place - 2 if between else place - 1))
        superlative = self.tag(place + 1) in ("JJS", "RBS") or self.word(place + 1).endswith("est")
        if lemma == "be" and superlative:  # not the prettiest park: it is a park
            return True
        return not any(lemma in word_list(name) for name in _BRINGING) and not self._goes_with_verb(place)

    def _goes_with_verb(self, place: int) -> bool:
        """Whether a definite phrase is denied with its verb all the same."""
        if self.word(place - 1) == "of" and self.word(place - 2) == "any":  # allowed her any of the money
            return True
        if self.word(place + 1) == "own" and self.words[place] in ("its", "their"):  # no longer brews its own ale
            return True
        if f"{self.word(place + 1)}_{self.word(place + 2)}" in word_list("relational_nouns"):  # the existence of Y
            return True
        last = self.phrase_end(place) - 1
        if self.is_drawn(last) and self.find(_OWNED, place, last) >= 0:  # nothing excludes the supplier's liability
            return True
        return self.words[last] in word_list("prizes")  # failed to capture the nomination


Draw = Callable[[ScopedSentence, Cue], Iterable[ScopePatch]]
