"""Reads the sentences of a unit: its roles, claims, citations and definitions; and stores the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.core.records.text import Span
from constraintsuite.memory.ingest.citations import Citation, Condition, find_citations, find_definitions
from constraintsuite.memory.ingest.claims import Claim, claim_of, stances_of
from constraintsuite.memory.ingest.document import ParsedDocument, UnitPosition
from constraintsuite.memory.ingest.names import Named
from constraintsuite.memory.ingest.sentence_view import SentenceView, is_negated, view_sentence
from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.memory.records import SemanticRole, Unit
from constraintsuite.text.base import Analysis, Token
from constraintsuite.text.rules import RulesAnalyser
from constraintsuite.text.sentence import Sentence

ORDER: tuple[SemanticRole, ...] = (
    "exception", "escalation", "remedy", "prohibition", "condition", "obligation", "action",
)  # fmt: skip
"""The most informative role first."""
_LONGEST_LEAD = 300


def _roles_of(views: Sequence[SentenceView], *, overrides: bool) -> tuple[SemanticRole, ...]:
    """Return the roles of a unit, the most informative first; a unit that overrides what it cites is an exception."""
    found = {role for view in views for role in _sentence_roles(view)}
    if overrides:
        found.add("exception")
    return tuple(role for role in ORDER if role in found)


def _sentence_roles(view: SentenceView) -> set[SemanticRole]:
    found: set[SemanticRole] = set()
    if _is_exception(view):
        found.add("exception")
    if any(stretch.kind == "condition" for stretch in view.stretches):
        found.add("condition")
    for predicate, stance in zip(view.predicates, stances_of(view), strict=True):
        if stance == "barred":
            found.add("prohibition")
        elif stance == "required":
            found.add("action" if predicate.place == view.command else "obligation")
    if _escalates(view):
        found.add("escalation")
    if _remedies(view):
        found.add("remedy")
    return found


def _is_exception(view: SentenceView) -> bool:
    """Whether a sentence makes an exception to a rule."""
    return any(stretch.kind == "exception" for stretch in view.stretches) or _exempts(view)


def _exempts(view: SentenceView) -> bool:
    """Whether a sentence says that a rule does not apply."""
    sentence = view.sentence
    lists = word_lists()
    for place in view.main:
        word, after = sentence.words[place], sentence.word(place + 1)
        if word in lists.applying and is_negated(view, place):
            return True
        if word in lists.exempt and not is_negated(view, place) and (after in lists.after_exempt or after in (".", "")):
            return True
        if sentence.lemma(place) == "exception" and sentence.word(place + 1) in ("to", "is", "applies", ":"):
            return True
    return False


def _escalates(view: SentenceView) -> bool:
    sentence = view.sentence
    lists = word_lists()
    for place in view.main:
        if place != view.command and not _is_verb_form(sentence, place):
            continue
        lemma = sentence.lemma(place)
        if lemma in lists.escalating:
            return not is_negated(view, place)
        if lemma in lists.telling or (sentence.word(place) == "hand" and sentence.word(place + 1) == "over"):
            near = range(place + 1, min(place + 9, sentence.length))
            if any(_is_authority(sentence, at) for at in near) and not is_negated(view, place):
                return True
    return False


def _is_verb_form(sentence: Sentence, place: int) -> bool:
    """Whether a word is a verb, or "page" that the tagger took for a noun: "and page the duty manager"."""
    if sentence.is_verb(place) or sentence.lemma(place) not in ("escalate", "page"):
        return sentence.is_verb(place)
    opening = sentence.word(place - 1) in (",", "and", "then", "or", "to", "please", "", ":")
    return opening and sentence.pos(place + 1) in ("DET", "PROPN", "PRON")


def _is_authority(sentence: Sentence, place: int) -> bool:
    lists = word_lists()
    if sentence.word(place) == "call" and sentence.word(place - 1) == "-" and sentence.word(place - 2) == "on":
        return True
    return sentence.lemma(place) in lists.authorities or sentence.word(place) in lists.authorities


def _remedies(view: SentenceView) -> bool:
    sentence = view.sentence
    lists = word_lists()
    granting = not {"allowed", "required"}.isdisjoint(stances_of(view))
    start = view.predicates[0].place if view.predicates else 0
    for place in view.main:
        lemma = sentence.lemma(place)
        remedial = lemma in lists.remedy_verbs or (lemma in lists.repairing_verbs and _went_wrong(view))
        verb = sentence.is_verb(place) and remedial and view.command < 0
        granted = verb and granting and place >= start
        noun = sentence.word(place) in lists.remedy_nouns and sentence.pos(place) == "NOUN" and place > start
        if (granted or (noun and _gets(view))) and not is_negated(view, place):
            return True
    return False


def _went_wrong(view: SentenceView) -> bool:
    conditional = any(stretch.kind == "condition" for stretch in view.stretches)
    return conditional or not word_lists().wrongs.isdisjoint(view.sentence.words)


def _gets(view: SentenceView) -> bool:
    """Whether something is granted or claimed: a mere mention of damages is not a remedy."""
    sentence = view.sentence
    return any(
        (sentence.lemma(place) in word_lists().getting or sentence.word(place) in ("liable", "entitled"))
        and not is_negated(view, place)
        for place in view.main
    )


class UnitReading(NamedTuple):
    """The result of reading the sentences of one unit."""

    roles: tuple[SemanticRole, ...] = ()
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    definitions: tuple[str, ...] = ()
    points_back: bool = False
    """Whether it begins with an exception to "this" or "these", which means the unit before."""
    opens_with_exception: bool = False


@dataclass(frozen=True)
class ReadDocument(ParsedDocument):
    """A document with the readings of its units and the names in them, before it is linked with others."""

    readings: tuple[UnitReading, ...]
    names: tuple[tuple[Named, ...], ...]


def read_units(texts: Iterable[tuple[str, str]]) -> Iterator[UnitReading]:
    """Read each (lead, text); the lead is the unfinished sentence that introduces a list, or empty."""
    analyser = RulesAnalyser()
    for lead, text in texts:
        if not text:
            yield UnitReading()
            continue
        opening = _opening(lead)
        (analysis,) = analyser.analyse([opening + text])
        yield _reading(analysis, len(opening))


def _opening(lead: str) -> str:
    if not lead.endswith(":") or len(lead) > _LONGEST_LEAD:
        return ""
    comma = "," if lead.split(maxsplit=1)[0].lower() in word_lists().conditional_openings else ""
    return f"{lead.rstrip(': ')}{comma} "


def _reading(analysis: Analysis, own: int) -> UnitReading:
    views = [view_sentence(sentence, analysis.scopes) for sentence in _sentences(analysis)]
    text = analysis.text[own:]
    first = views[0] if views else None
    citations = tuple(find_citations(text, _conditions(views, own)))
    return UnitReading(
        roles=_roles_of(views, overrides=any(one.relation == "overrides" for one in citations)),
        claims=tuple(claim_of(view) for view in views if view.main),
        citations=citations,
        definitions=find_definitions(text),
        points_back=bool(first and _is_exception(first) and _points_back(first)),
        opens_with_exception=bool(first and any(one.kind == "exception" and one.cue == 0 for one in first.stretches)),
    )


def _sentences(analysis: Analysis) -> Iterator[Sentence]:
    """Yield the sentences; a colon or semicolon also ends one."""
    ends = iter(analysis.sentences)
    end = next(ends, None)
    inside: list[Token] = []
    for token in analysis.tokens:
        while end is not None and token.start >= end.end:
            end = next(ends, None)
            if inside:
                yield Sentence(inside)
                inside = []
        inside.append(token)
        if token.text in (";", ":"):
            yield Sentence(inside)
            inside = []
    if inside:
        yield Sentence(inside)


def _conditions(views: Sequence[SentenceView], own: int) -> list[Condition]:
    found = []
    for view in views:
        for one in view.stretches:
            tokens = view.sentence.tokens
            start, end = tokens[one.cue].start - own, tokens[max(one.last - 1, one.cue)].end - own
            found.append(Condition(Span(start, end), view.sentence.words[one.cue], one.kind == "exception"))
    return found


def _points_back(view: SentenceView) -> bool:
    sentence = view.sentence
    return sentence.word(0) in word_lists().anaphors and (
        sentence.is_verb(1) or sentence.word(1) in ("limit", "rule", "duty", "ban")
    )


class ReadingOrigin(NamedTuple):
    """What decides the reading of a document: while it is the same, the file is not read again."""

    sha256: str
    """The hash of the bytes of its file; empty for a document that was removed."""
    markdown: bool


@dataclass(frozen=True, slots=True)
class ReadingHeader:
    """A line of the readings without its content."""

    document: str
    origin: ReadingOrigin


@dataclass(frozen=True, slots=True)
class _Content:
    title: str
    units: tuple[Unit, ...]
    places: tuple[UnitPosition, ...]
    section_numbers: Mapping[int, str]
    readings: tuple[UnitReading, ...]
    names: tuple[tuple[Named, ...], ...]


@dataclass(frozen=True, slots=True)
class KeptReading:
    """A line of the readings: the content of a document, or None if it was removed."""

    document: str
    origin: ReadingOrigin
    content: _Content | None

    @classmethod
    def of(cls, document: ReadDocument) -> KeptReading:
        """Make the line that stores the reading of a document."""
        content = _Content(
            document.title, document.units, document.places, document.section_numbers, document.readings, document.names
        )
        return cls(document.id, ReadingOrigin(document.sha256, document.markdown), content)

    def read(self) -> ReadDocument | None:
        """Return the document as it was read; None if it was removed."""
        kept = self.content
        if kept is None:
            return None
        parsed = (self.document, kept.title, *self.origin, kept.units, kept.places, kept.section_numbers)
        return ReadDocument(*parsed, kept.readings, kept.names)

    @classmethod
    def removed(cls, document: str) -> KeptReading:
        """Make the line of a document that was removed: its earlier lines no longer count."""
        return cls(document, ReadingOrigin("", False), None)
