"""Mark the roles of words: in a query and its opposite, and in a text what it says about Y.

A text gets marks at the mentions of Y, at the cue that negates them, and at the scope of the cue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example, ExampleDocument
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Span
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.mechanism.contrasts.alignment import changed_stretches, unchanged_parts
from constraintsuite.mechanism.contrasts.records import Marked, RoleSpans, folded, word_spans
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.edits import starts_with_vowel_sound
from constraintsuite.text.mentions import find_forms, fold
from constraintsuite.text.polarity import judge_mention

NEAR = 0.6
"""The smallest share of the longer text's words that two texts have in common if one is an edit of the other."""
FALLBACK = "rules"


class OppositeWords(StrictModel):
    """The words of `data/opposites.yaml`, which turn a query into its opposite."""

    counterparts: dict[str, str]
    determiner: str
    article: str
    article_before_vowel: str
    amount: str

    @property
    def articles(self) -> tuple[str, str]:
        """The indefinite article before a consonant and before a vowel."""
        return self.article, self.article_before_vowel


@cache
def opposite_words() -> OppositeWords:
    """Read the words when the first query needs them."""
    return read_package_yaml(OppositeWords, "constraintsuite.mechanism.contrasts", "data", "opposites.yaml")


class OppositeQueries(NamedTuple):
    """Two queries over the same documents, and how they differ."""

    clean: Marked
    corrupt: Marked
    change: str


def opposite_queries(example: Example) -> OppositeQueries | None:
    """The query and its opposite: with the cue replaced, or else the one of the example; None if there is no other query."""
    query = example.query
    replaced = _replace_cue(example)
    other, change = replaced if replaced is not None else (example.opposite, "opposite")
    if not other or folded(other, word_spans(other)) == folded(query, word_spans(query)):
        return None
    return OppositeQueries(*mark_queries(query, other, y_forms(example)), change)


def mark_queries(one: str, other: str, forms: Sequence[str]) -> tuple[Marked, Marked]:
    """Both queries with Y marked, and as cues the words that only one of them has."""
    spans, others = word_spans(one), word_spans(other)
    changed = changed_stretches(folded(one, spans), folded(other, others))
    mine = [span for stretch in changed for span in spans[stretch.start : stretch.end]]
    theirs = [span for stretch in changed for span in others[stretch.other_start : stretch.other_end]]
    return mark_query(one, mine, forms), mark_query(other, theirs, forms)


def mark_query(query: str, cues: Sequence[Span], forms: Sequence[str]) -> Marked:
    """A query with marks at its cues and at mentions of Y; where they overlap, Y counts."""
    spans = RoleSpans(query, "q_topic")
    spans.paint(cues, "q_cue")
    spans.paint(find_forms(query, forms), "q_y")
    return spans.marked()


def y_forms(example: Example) -> list[str]:
    """All names of what the constraint is about; empty if it is not known.

    The words of a list are its values: in "Danish or Welsh", "or" states the constraint.
    """
    constraint = example.constraint
    if constraint is None:
        return []
    if constraint.forms and not isinstance(constraint, Exclude):
        return list(constraint.forms)
    return [form for form in dict.fromkeys((constraint.value, *constraint.forms)) if form.strip()]


def type_of(example: Example) -> str:
    """The type of its constraint; empty without one."""
    return "" if example.constraint is None else example.constraint.type


def y_of(example: Example) -> str:
    """What the constraint is about; empty if it is not known."""
    return "" if example.constraint is None else example.constraint.value


def cue_of(example: Example) -> str:
    """The words that state the constraint; empty if they are not known."""
    return "" if example.constraint is None else example.constraint.cue


def find_words(text: str, words: str) -> list[Span]:
    """The spans of some words in a text, whatever their case, but not as parts of other words."""
    if not words.strip():
        return []
    pattern = rf"(?<![\w-]){re.escape(fold(words))}(?![\w-])"
    return [Span(*found.span()) for found in re.finditer(pattern, fold(text))]


def _replace_cue(example: Example) -> tuple[str, str] | None:
    """The query with its cue replaced, and how; None if that is not possible.

    Only exclusions: the other types word both sides of a question alike, and "no" before a list is no determiner of one thing.
    """
    if not isinstance(example.constraint, Exclude):
        return None
    query, cue = example.query, fold(cue_of(example))
    mentions = find_forms(query, y_forms(example))
    places = [place for place in find_words(query, cue) if not any(place.overlaps(one) for one in mentions)]
    if not mentions or not places:
        return None
    nearest = min(places, key=lambda place: min(gap(place, mention) for mention in mentions))
    words = opposite_words()
    new = _determiner_for(example, mentions) if cue == words.determiner else words.counterparts.get(cue)
    if new is None:
        return None
    return query[: nearest.start] + new + query[nearest.end :], f"{cue} > {new}"


def gap(one: Span, other: Span) -> int:
    """The number of characters between two spans; below 0 if they overlap."""
    return max(one.start, other.start) - min(one.end, other.end)


def _determiner_for(example: Example, mentions: Sequence[Span]) -> str:
    """The replacement of "no": an article if the opposite query or a text uses one before Y, else "some"."""
    words = opposite_words()
    article = rf"(?<!\w)(?:{'|'.join(map(re.escape, words.articles))}) $"
    countable = any(
        re.search(article, text[: mention.start], re.IGNORECASE)
        for text in (example.opposite or "", example.satisfying.text, example.violating.text)
        for mention in find_forms(text, [y_of(example)])
    )
    following = example.query[mentions[0].start :]
    if not countable:
        return words.amount
    return words.article_before_vowel if starts_with_vowel_sound(following) else words.article


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
    mentions = sorted({*evidence, *find_forms(text, [] if _is_value(example) else y_forms(example))})
    reached = [_governed_by(text, mention, evidence.get(mention), reader) for mention in mentions]
    if None in reached:
        return None
    found = [one for one in reached if one is not None]
    spans.paint((span for one in found for span in one.scopes), "d_scope")
    spans.paint((span for one in found for span in one.cues), "d_cue")
    spans.paint(mentions, "d_y")
    return spans


def _is_value(example: Example) -> bool:
    """Whether texts state a value that is compared with the query's: the same number elsewhere in a text is of something else."""
    constraint = example.constraint
    return not (constraint is None or constraint.forms or isinstance(constraint, Exclude)) and constraint.evidence != ()


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
