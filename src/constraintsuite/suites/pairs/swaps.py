"""MinPairs from sentences that affirm one attribute and deny another: "showers but no washing machines", exchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import MINPAIRS, Split
from constraintsuite.records.text import Span
from constraintsuite.suites.pairs.couples import Matching, group_key
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.reading.document import bare_noun, is_plural
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.text.editing import apply_replacements, exchange
from constraintsuite.text.mentions import find_forms


@dataclass(frozen=True)
class Swapped:
    """A text with two stretches exchanged, and where they stand before and after."""

    text: str
    original: str
    spans: tuple[tuple[int, int], ...]
    original_spans: tuple[tuple[int, int], ...]

    @property
    def token_count_preserved(self) -> bool:
        """Whether the articles could be mended without adding or dropping a word."""
        return len(self.text.split()) == len(self.original.split())


def exchange_spans(text: str, first: tuple[int, int], second: tuple[int, int]) -> Swapped | None:
    """Exchange two stretches, with articles and capitals mended; None if they overlap."""
    replacements = exchange(text, first, second)
    if replacements is None:
        return None
    edited, spans = apply_replacements(text, replacements)
    return Swapped(edited, text, spans, tuple((r.start, r.end) for r in replacements))


def swap_drafts(
    swapped: Swapped, document: str, affirmed: Proposal, denied: Proposal, *, couple: str, cost: float, natural: bool
) -> tuple[PairDraft, PairDraft]:
    """Both texts once in each role: the original affirms the Y of `affirmed` and denies that of `denied`.

    `natural`: the original stands so in the corpus, and only the other text is edited.
    """
    original = DraftDocument(document, swapped.original, "" if natural else "swap", swapped.original_spans)
    edited = DraftDocument(document, swapped.text, "swap", swapped.spans)
    return (
        make_draft(MINPAIRS, affirmed, edited, original, cost=cost, couple=couple),
        make_draft(MINPAIRS, denied, original, edited, cost=cost, couple=couple),
    )


def natural_swaps(
    attributes: Sequence[Proposal], readings: Mapping[str, DocumentReading], matching: Matching
) -> Iterator[PairDraft]:
    """For each document and two attributes of its topic, the text against itself with the two nouns exchanged."""
    groups: dict[tuple[str, str, Split], list[Proposal]] = defaultdict(list)
    for proposal in attributes:
        groups[group_key(proposal)].append(proposal)
    done: set[tuple[str, str, str]] = set()
    for key in sorted(groups):
        for p in groups[key]:
            for q in groups[key]:
                if p.constraint.value == q.constraint.value:
                    continue
                shared = matching.evidence[p.id].affirming & matching.evidence[q.id].denying
                for document in sorted(shared & set(p.violating)):
                    pair = (
                        document,
                        min(p.constraint.value, q.constraint.value),
                        max(p.constraint.value, q.constraint.value),
                    )
                    if pair in done or matching.splits.get(document) != p.split:
                        continue
                    drafts = _swap(document, p, q, readings, matching)
                    if drafts:
                        done.add(pair)
                        yield from drafts


def _swap(
    document: str, p: Proposal, q: Proposal, readings: Mapping[str, DocumentReading], matching: Matching
) -> Sequence[PairDraft]:
    text = matching.documents[document].text
    affirmed, denied = find_forms(text, p.constraint.forms), find_forms(text, q.constraint.forms)
    if len(affirmed) != 1 or len(denied) != 1:
        return ()
    reading = readings[document]
    if not _same_sentence(affirmed[0], denied[0], reading) or not _exchangeable(affirmed[0], denied[0], reading, text):
        return ()
    swapped = exchange_spans(text, (affirmed[0].start, affirmed[0].end), (denied[0].start, denied[0].end))
    if swapped is None or not swapped.token_count_preserved:
        return ()
    couple = f"c{stable_hash('swap', p.id, q.id, document):016x}"
    return swap_drafts(swapped, document, p, q, couple=couple, cost=0.0, natural=True)


def _same_sentence(a: Span, b: Span, reading: DocumentReading) -> bool:
    return any(start <= a.start < end and start <= b.start < end for start, end in reading.sentences)


def _exchangeable(a: Span, b: Span, reading: DocumentReading, text: str) -> bool:
    """Both stand as bare nouns, in the same number, and with articles that suit both.

    What belongs to a noun that is not bare would stay behind and describe the wrong thing.
    """
    first, second = bare_noun(a, reading.nouns), bare_noun(b, reading.nouns)
    if first is None or second is None or is_plural(first, text) != is_plural(second, text):
        return False
    if text[a.end : a.end + 1] == "-" or text[b.end : b.end + 1] == "-":
        return False
    articles = [_article(span, text) for span in (a, b)]
    return "a" not in articles or articles[0] == articles[1] or set(articles) == {"a", "no"}


def _article(span: Span, text: str) -> str:
    before = text[: span.start].split()[-1:] or [""]
    word = before[0].lower()
    return {"a": "a", "an": "a", "no": "no"}.get(word, "")
