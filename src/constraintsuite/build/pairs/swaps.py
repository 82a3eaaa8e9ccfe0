"""MinPairs from sentences that affirm one attribute and deny another: "showers but no washing machines", exchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from constraintsuite.build.pairs.contrast import exchange_spans
from constraintsuite.build.pairs.couples import Matching, group_key
from constraintsuite.build.pairs.records import Draft
from constraintsuite.build.queries.records import Proposal
from constraintsuite.build.reading.records import DocumentReading
from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import Edit, Split
from constraintsuite.records.text import Span
from constraintsuite.text.mentions import find_forms


def natural_swaps(
    proposals: Sequence[Proposal], readings: Mapping[str, DocumentReading], matching: Matching
) -> Iterator[Draft]:
    """For each document and two attributes of its topic, the text against itself with the two nouns exchanged."""
    groups: dict[tuple[str, str, Split], list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        key = group_key(proposal)
        if key[1] == "attribute":
            groups[key].append(proposal)
    done: set[tuple[str, str, str]] = set()
    for key in sorted(groups):
        for p in groups[key]:
            for q in groups[key]:
                if p.y == q.y:
                    continue
                shared = matching.evidence[p.id].affirming & matching.evidence[q.id].denying
                for document in sorted(shared & set(p.affirming)):
                    pair = (document, min(p.y, q.y), max(p.y, q.y))
                    if pair in done or matching.splits.get(document) != p.split:
                        continue
                    drafts = _swap(document, p, q, readings, matching)
                    if drafts:
                        done.add(pair)
                        yield from drafts


def _swap(
    document: str, p: Proposal, q: Proposal, readings: Mapping[str, DocumentReading], matching: Matching
) -> list[Draft]:
    text = matching.texts[document]
    affirmed, denied = find_forms(text, p.forms), find_forms(text, q.forms)
    if len(affirmed) != 1 or len(denied) != 1:
        return []
    reading = readings[document]
    if not _same_sentence(affirmed[0], denied[0], reading) or not _exchangeable(affirmed[0], denied[0], reading, text):
        return []
    swapped = exchange_spans(text, (affirmed[0].start, affirmed[0].end), (denied[0].start, denied[0].end))
    if swapped is None or not swapped.token_count_preserved:
        return []
    couple = f"c{stable_hash('swap', p.id, q.id, document):016x}"
    to_swapped = Edit("swap", "pos", swapped.spans, swapped.original_spans, swapped.token_count_preserved)
    to_original = Edit("swap", "neg", swapped.original_spans, swapped.spans, swapped.token_count_preserved)
    return [
        Draft(
            "negation_minpairs",
            p.id,
            p.relation,
            p.split,
            couple,
            document,
            document,
            swapped.text,
            text,
            0.0,
            to_swapped,
        ),
        Draft(
            "negation_minpairs",
            q.id,
            q.relation,
            q.split,
            couple,
            document,
            document,
            text,
            swapped.text,
            0.0,
            to_original,
        ),
    ]


def _same_sentence(a: Span, b: Span, reading: DocumentReading) -> bool:
    return any(start <= a.start < end and start <= b.start < end for start, end in reading.sentences)


def _exchangeable(a: Span, b: Span, reading: DocumentReading, text: str) -> bool:
    """Both stand as bare nouns, in the same number, and with articles that suit both."""
    if not _bare(a, reading) or not _bare(b, reading):
        return False
    if _is_plural(a.of(text), reading, a) != _is_plural(b.of(text), reading, b):
        return False
    if text[a.end : a.end + 1] == "-" or text[b.end : b.end + 1] == "-":
        return False
    articles = [_article(span, text) for span in (a, b)]
    return "a" not in articles or articles[0] == articles[1] or set(articles) == {"a", "no"}


def _bare(span: Span, reading: DocumentReading) -> bool:
    """Whether no adjective or other noun belongs to it: that would stay behind and describe the wrong thing."""
    return any(noun.start == span.start and noun.end == span.end for noun in reading.nouns)


def _is_plural(surface: str, reading: DocumentReading, span: Span) -> bool:
    noun = next(noun for noun in reading.nouns if noun.start == span.start)
    return not surface.lower().endswith(noun.lemmas[-1])


def _article(span: Span, text: str) -> str:
    before = text[: span.start].split()[-1:] or [""]
    word = before[0].lower()
    return {"a": "a", "an": "a", "no": "no"}.get(word, "")
