"""Mark what a text says about Y: its mentions, the cue that negates them, and the scope of the cue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example, ExampleDocument
from constraintsuite.core.records.text import Span
from constraintsuite.mechanism.contrasts.alignment import changed_stretches, unchanged_parts
from constraintsuite.mechanism.contrasts.queries import find_words, gap, y_forms
from constraintsuite.mechanism.contrasts.records import Marked, RoleSpans, folded, word_spans
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms, fold
from constraintsuite.text.polarity import judge_mention

NEAR = 0.6
"""The smallest share of the longer text's words that two texts have in common if one is an edit of the other."""
FALLBACK = "rules"


class AnalysisReader:
    """Analyses of texts, each made once and only when needed, since a parser is slow.

    If the analyser of the suite is not installed, the rules are used.
    """

    def __init__(self, analyser: str) -> None:
        try:
            self._analyser = get_analyser(analyser if analyser in ANALYSERS.names() else FALLBACK)
        except MissingExtraError:
            self._analyser = get_analyser(FALLBACK)
        self.name = self._analyser.name
        self._known: dict[str, Analysis] = {}

    def analysis(self, text: str) -> Analysis:
        """The analysis of a text; each text is analysed once."""
        if text not in self._known:
            self._known[text] = next(iter(self._analyser.analyse([text])))
        return self._known[text]


def paint_text(example: Example, role: str, reader: AnalysisReader) -> RoleSpans | None:
    """The text of one document of the example with roles; None if the cue that the suite names is not in it."""
    document = example.document(role)
    text = document.text
    spans = RoleSpans(text, "d_other")
    if not y_forms(example):
        _paint_edit(spans, document, reader.analysis(text))
        return spans
    evidence = {Span(one.start, one.end): one for one in evidence_of(example, role)}
    mentions = sorted({*evidence, *find_forms(text, y_forms(example))})
    reached = [_governed_by(text, mention, evidence.get(mention), reader) for mention in mentions]
    if None in reached:
        return None
    found = [one for one in reached if one is not None]
    spans.paint((span for one in found for span in one.scopes), "d_scope")
    spans.paint((span for one in found for span in one.cues), "d_cue")
    spans.paint(mentions, "d_y")
    return spans


def mark_texts(example: Example, reader: AnalysisReader) -> tuple[Marked, Marked] | None:
    """The satisfying and the violating text with marks; None if a cue is not found."""
    satisfying, violating = (paint_text(example, role, reader) for role in (SATISFYING, VIOLATING))
    return None if satisfying is None or violating is None else (satisfying.marked(), violating.marked())


def evidence_of(example: Example, role: str) -> list[Evidence]:
    """The evidence in the document with this role; empty if the example has no constraint."""
    return [] if example.constraint is None else [one for one in example.constraint.evidence if one.document == role]


def mirror(one: RoleSpans, other: RoleSpans) -> None:
    """Give words of `other` that have no role the cue and scope roles of their counterparts in `one`.

    If two texts differ by one edit, both contain the cue, though it governs Y in only one of them. A word that replaces a
    cue gets its role.
    """
    spans, others = word_spans(one.text), word_spans(other.text)
    words, other_words = folded(one.text, spans), folded(other.text, others)
    for a, b in _counterparts(words, other_words):
        if words[a] == other_words[b]:
            for shift, role in enumerate(one.roles(spans[a])):
                at = others[b].start + shift
                if role in ("d_cue", "d_scope") and other.bare(at):
                    other.paint([Span(at, at + 1)], role)
        elif "d_cue" in one.roles(spans[a]) and other.bare(others[b].start):
            other.paint([others[b]], "d_cue")


def are_near(one: str, other: str) -> bool:
    """Whether one text is an edit of the other."""
    words, other_words = folded(one, word_spans(one)), folded(other, word_spans(other))
    enough = NEAR * max(len(words), len(other_words))
    if (Counter(words) & Counter(other_words)).total() < enough:
        return False  # true for most pairs, and fast to see
    changed = changed_stretches(words, other_words)
    kept = len(words) - sum(stretch.end - stretch.start for stretch in changed)
    return kept >= enough


class _CueAndScope(NamedTuple):
    cues: tuple[Span, ...] = ()
    scopes: tuple[Span, ...] = ()


def _governed_by(text: str, mention: Span, said: Evidence | None, reader: AnalysisReader) -> _CueAndScope | None:
    """The cue of a mention and its scope, from the analysis or from the evidence of the suite; None if neither finds the cue."""
    if said is not None and said.value == "affirmed" and not said.cue:
        return _CueAndScope()  # true for most violating documents
    analysis = reader.analysis(text)
    judged = judge_mention(mention, analysis.scopes)
    cue = judged.cue
    if said is not None and said.cue and (judged.verdict != said.value or cue is None):
        cue = min(_find_cue(text, said.cue), key=lambda one: gap(one, mention), default=None)
        if cue is None:
            return None
    if cue is None:
        return _CueAndScope()
    drawn = [
        Span(scope.start, scope.end)
        for scope in analysis.scopes
        if (scope.cue_start, scope.cue_end) == (cue.start, cue.end)
        and scope.start <= mention.start
        and mention.end <= scope.end
    ]
    between = Span(min(cue.end, mention.end), max(cue.start, mention.start))
    same_sentence = any(one.covers(cue) and one.covers(mention) for one in analysis.sentences)
    return _CueAndScope((cue,), (*drawn, between) if same_sentence and between.start < between.end else tuple(drawn))


def _find_cue(text: str, cue: str) -> list[Span]:
    """The spans of a cue as a word, or else as part of one: "doesn't", "peanut-free"."""
    found = re.finditer(re.escape(fold(cue)), fold(text))
    return find_words(text, cue) or [Span(*one.span()) for one in found]


def _paint_edit(spans: RoleSpans, document: ExampleDocument, analysis: Analysis) -> None:
    """Without a known Y, the edited spans are the scope, and negation cues in them or governing them are the cues."""
    edited = [Span(*span) for span in document.changed]
    spans.paint(edited, "d_scope")
    scopes = [scope for scope in analysis.scopes if scope.kind == "negated"]
    cues = {Span(scope.cue_start, scope.cue_end): Span(scope.start, scope.end) for scope in scopes}
    for cue, scope in cues.items():
        if any(span.overlaps(cue) or span.overlaps(scope) for span in edited):
            spans.paint([cue], "d_cue")


def _counterparts(words: Sequence[str], other_words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of places that correspond: kept words, and words replaced by equally many."""
    stretches = changed_stretches(words, other_words)
    for start, end, shift in unchanged_parts(len(words), stretches):
        yield from ((place, place + shift) for place in range(start, end))
    for start, end, other_start, other_end in stretches:
        if end - start == other_end - other_start:
            yield from zip(range(start, end), range(other_start, other_end), strict=True)
