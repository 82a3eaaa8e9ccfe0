"""MinPairs from sentences that affirm one attribute and deny another: "showers but no washing machines", exchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import Split
from constraintsuite.records.text import Span
from constraintsuite.suites.pairs.couples import Matching, group_key
from constraintsuite.suites.pairs.exchanges import exchange_spans, swap_drafts
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.reading.nouns import bare_noun, is_plural
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.text.mentions import find_forms


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
