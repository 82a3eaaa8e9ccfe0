"""How far a cue reaches: the questions that the scope rules ask about the shape of a sentence."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from constraintsuite.text.sentence import Sentence


class TokenRange(NamedTuple):
    """Tokens from `first` up to, not including, `last`."""

    first: int
    last: int


class Reach(Protocol):
    """Answers by word order (linear.py) or by dependencies (syntax.py)."""

    sentence: Sentence

    def clause_start(self, at: int) -> int:
        """Where the clause around `at` begins."""

    def clause_end(self, at: int) -> int:
        """Where the clause that is under way at `at` ends: the place after what a negated verb there denies."""

    def phrase_end(self, at: int, *, loose: bool = False) -> int:
        """Where the noun phrase that begins at `at` ends, with everything coordinated to it.

        A loose phrase keeps modifiers such as "with balconies" as long as they are indefinite.
        """

    def subject(self, verb: int) -> TokenRange | None:
        """The subject of the verb (or predicate) at `verb`; for a relative pronoun what it refers to."""

    def verb_of_subject(self, first: int, last: int) -> int | None:
        """The first word of the verb whose subject begins at `first` (its phrase ends at `last`); None if it is no subject."""

    def antecedent(self, verb: int) -> TokenRange | None:
        """What a relative pronoun that is the object of `verb` refers to: "the lamp which we removed"."""

    def verb_group_start(self, verb: int) -> int:
        """The first auxiliary of the verb group that ends at `verb`."""

    def noun_before(self, end: int) -> TokenRange | None:
        """The noun phrase whose last word is at `end`."""

    def skip_aside(self, at: int) -> int:
        """The place after an aside between commas, or after a colon, that stands at `at`."""

    def starts_clause(self, at: int) -> bool:
        """Whether a subject and its finite verb follow from `at` on."""

    def is_exceptive(self, place: int) -> bool:
        """Whether `but` at `place` means except."""
