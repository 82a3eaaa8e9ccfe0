"""What the sentences of a unit say: its roles, claims, citations and definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from constraintsuite.memory.ingest.citations import Citation, Condition, find_citations
from constraintsuite.memory.ingest.claims import Claim, claim_of
from constraintsuite.memory.ingest.definitions import find_definitions
from constraintsuite.memory.ingest.roles import is_exception, roles_of
from constraintsuite.memory.ingest.views import SentenceView, view_sentence
from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.memory.records import SemanticRole
from constraintsuite.records.text import Span
from constraintsuite.text.base import Analysis, Token
from constraintsuite.text.rules import RulesAnalyser
from constraintsuite.text.sentence import Sentence

_LONGEST_LEAD = 300


@dataclass(frozen=True, slots=True)
class UnitReading:
    """What one unit says."""

    roles: tuple[SemanticRole, ...] = ()
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    definitions: tuple[str, ...] = ()
    points_back: bool = False
    """Whether it opens with an exception to "this" or "these": to the unit before."""
    opens_with_exception: bool = False


def read_units(texts: Iterable[tuple[str, str]]) -> Iterator[UnitReading]:
    """The reading of each (lead, text); a lead is the unfinished sentence that announces a list, or empty."""
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
        roles=roles_of(views, overrides=any(one.relation == "overrides" for one in citations)),
        claims=tuple(claim_of(view) for view in views if view.main),
        citations=citations,
        definitions=find_definitions(text),
        points_back=first is not None and is_exception(first) and _points_back(first),
        opens_with_exception=first is not None
        and any(one.kind == "exception" and one.cue == 0 for one in first.stretches),
    )


def _sentences(analysis: Analysis) -> Iterator[Sentence]:
    """The sentences; what stands on either side of a colon or semicolon is one each."""
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
