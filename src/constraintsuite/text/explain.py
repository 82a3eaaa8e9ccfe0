"""Explain a verdict: the mentions of Y in a text, the deciding cues and scopes, and the names of the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Span
from constraintsuite.text.base import Analyser, Analysis, DocumentVerdict, Scope
from constraintsuite.text.mentions import find_forms, surface_forms
from constraintsuite.text.polarity import JudgedMention, judge_document, judge_mentions

WIDTH = 100
_SAYS: dict[DocumentVerdict, str] = {
    "affirms": "affirms",
    "negates": "negates",
    "mixed": "says different things of",
    "uncertain": "leaves open",
    "omits": "does not mention",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The verdict of an analyser on a text and a Y, with its reasons."""

    analyser: str
    version: str
    y: str
    forms: tuple[str, ...]
    verdict: DocumentVerdict
    mentions: tuple[JudgedMention, ...]
    analysis: Analysis


def explain(analyser: Analyser, text: str, y: str, forms: Sequence[str] = ()) -> Explanation:
    """The verdict on each mention of Y in a text, with its reasons."""
    if not text.strip():
        raise UserError("The text is empty.")
    if not y.strip():
        raise UserError("Y is empty; name what the text may speak of, such as --y 'swimming pool'.")
    surface = tuple(forms) or surface_forms(y.strip())
    analysis = next(iter(analyser.analyse([text])))
    judged = judge_mentions(find_forms(text, surface), analysis.scopes)
    return Explanation(analyser.name, analyser.version, y, surface, judge_document(judged), judged, analysis)


def explanation_lines(found: Explanation) -> Iterator[str]:
    """An explanation to read: under each sentence a row in which = marks the cue, ~ its scope and ^ the mention."""
    count = len(found.mentions)
    yield f"{found.analyser} ({found.version})"
    yield f"the text {_SAYS[found.verdict]} {found.y!r}: {count} {'mention' if count == 1 else 'mentions'} of {', '.join(found.forms)}"
    for number, judged in enumerate(found.mentions, 1):
        cue = f", cue {judged.cue.of(found.analysis.text)!r}" if judged.cue else ""
        yield ""
        yield f"{number}. {judged.verdict}: {judged.span.of(found.analysis.text)!r}, rule {judged.rule}{cue}"
        yield from _marked(found.analysis, judged)


def _marked(analysis: Analysis, judged: JudgedMention) -> Iterator[str]:
    sentence = next((one for one in analysis.sentences if one.covers(judged.span)), Span(0, len(analysis.text)))
    row = [" "] * (sentence.end - sentence.start)
    for scope in _deciding(analysis.scopes, judged):
        _paint(row, sentence, Span(scope.start, scope.end), "~")
    for scope in _deciding(analysis.scopes, judged):
        _paint(row, sentence, Span(scope.cue_start, scope.cue_end), "=")
    _paint(row, sentence, judged.span, "^")
    text = "".join(" " if character.isspace() else character for character in sentence.of(analysis.text))
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= WIDTH else text.rfind(" ", start, start + WIDTH) + 1 or start + WIDTH
        end = end if end > start else start + WIDTH
        yield f"   {text[start:end]}".rstrip()
        yield f"   {''.join(row[start:end])}".rstrip()
        start = end


def _deciding(scopes: Sequence[Scope], judged: JudgedMention) -> list[Scope]:
    return [scope for scope in scopes if scope.start <= judged.span.start and judged.span.end <= scope.end]


def _paint(row: list[str], sentence: Span, span: Span, mark: str) -> None:
    for place in range(max(span.start, sentence.start), min(span.end, sentence.end)):
        row[place - sentence.start] = mark
