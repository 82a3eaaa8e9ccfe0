"""Minimal pairs: a text against itself with two stretches exchanged, or with one sentence negated or affirmed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import MINPAIRS
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Span
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.pairs.couples import Matching, group_proposals
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.reading.document import bare_noun, is_plural
from constraintsuite.suites.reading.records import DocumentReading, NounReading
from constraintsuite.text.edits import apply_replacements, exchange
from constraintsuite.text.mentions import find_forms


@dataclass(frozen=True)
class Swapped:
    """A text with two stretches exchanged, and their places before and after."""

    text: str
    original: str
    spans: tuple[tuple[int, int], ...]
    original_spans: tuple[tuple[int, int], ...]

    @property
    def token_count_preserved(self) -> bool:
        """Whether articles were corrected without adding or removing a word."""
        return len(self.text.split()) == len(self.original.split())


def exchange_spans(text: str, first: tuple[int, int], second: tuple[int, int]) -> Swapped | None:
    """Exchange two stretches, and correct articles and capitals; None if they overlap."""
    replacements = exchange(text, first, second)
    if replacements is None:
        return None
    edited, spans = apply_replacements(text, replacements)
    return Swapped(edited, text, spans, tuple((r.start, r.end) for r in replacements))


def swap_drafts(
    swapped: Swapped, document: str, affirmed: Proposal, denied: Proposal, *, couple: str, cost: float, natural: bool
) -> tuple[PairDraft, PairDraft]:
    """Two drafts with the two texts in both roles: the original affirms the Y of `affirmed` and denies the Y of `denied`.

    `natural` means that the original is a text of the corpus, so only the other one is edited.
    """
    original = DraftDocument(document, swapped.original, "" if natural else "swap", swapped.original_spans)
    edited = DraftDocument(document, swapped.text, "swap", swapped.spans)
    return (
        make_draft(MINPAIRS, affirmed, edited, original, cost=cost, couple=couple),
        make_draft(MINPAIRS, denied, original, edited, cost=cost, couple=couple),
    )


def natural_swaps(attributes: Sequence[Proposal], matching: Matching) -> Iterator[PairDraft]:
    """For each document and two attributes of its topic: the text against itself with the two nouns exchanged."""
    done: set[tuple[str, frozenset[str]]] = set()
    for _, group in sorted(group_proposals(attributes).items()):
        for p, q in product(group, repeat=2):
            ys = frozenset((p.constraint.value, q.constraint.value))
            shared = matching.evidence[p.id].affirming & matching.evidence[q.id].denying & set(p.violating)
            for document in sorted(shared) if len(ys) == 2 else ():
                if (document, ys) in done or matching.splits.get(document) != p.split:
                    continue
                drafts = _swap_nouns(document, p, q, matching)
                if drafts:
                    done.add((document, ys))
                    yield from drafts


def _swap_nouns(document: str, p: Proposal, q: Proposal, matching: Matching) -> Sequence[PairDraft]:
    text = matching.documents[document].text
    affirmed, denied = find_forms(text, p.constraint.forms), find_forms(text, q.constraint.forms)
    if len(affirmed) != 1 or len(denied) != 1:
        return ()
    reading = matching.readings[document]
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
    """Whether both are bare nouns in the same number, with articles that suit both.

    The words that belong to a noun which is not bare would stay behind and describe the wrong thing.
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


FlipDirection = Literal["deny", "affirm"]
_PHRASE_ENDS = re.compile(r"\.|$")


class FlipRule(StrictModel):
    """Words before Y, and the words that replace them; Y itself stays."""

    name: str
    before: str
    becomes: str
    number: Literal["any", "singular", "plural"] = "any"


@cache
def load_rules(direction: FlipDirection) -> tuple[FlipRule, ...]:
    """The rules of `flips.yaml` that negate (`deny`) or affirm (`affirm`) what comes before Y."""
    rules = dict[FlipDirection, tuple[FlipRule, ...]]
    return read_package_yaml(rules, "constraintsuite.suites.pairs", "flips.yaml")[direction]


def flip_drafts(attributes: Sequence[Proposal], matching: Matching) -> Iterator[PairDraft]:
    """At most one flip for each document and Y, where Y occurs once and ends its phrase."""
    for proposal in attributes:
        evidence = matching.evidence[proposal.id]
        turns: tuple[tuple[FlipDirection, set[str]], ...] = (
            ("deny", evidence.affirming & set(proposal.violating)),
            ("affirm", evidence.denying & set(proposal.satisfying)),
        )
        for direction, documents in turns:
            for document in sorted(documents):
                draft = _flip(document, proposal, direction, matching)
                if draft is not None:
                    yield draft


def _flip(document: str, proposal: Proposal, direction: FlipDirection, matching: Matching) -> PairDraft | None:
    """The text paired with its edit by the first rule whose words come right before Y; None where that is not safe."""
    if matching.splits.get(document) != proposal.split:
        return None
    text, reading = matching.documents[document].text, matching.readings[document]
    mentions = find_forms(text, proposal.constraint.forms)
    noun = bare_noun(mentions[0], reading.nouns) if len(mentions) == 1 else None
    # A tail ("showers in summer") would narrow what is denied: the phrase must end with Y.
    if noun is None or _PHRASE_ENDS.match(text[noun.end :]) is None:
        return None
    if direction == "deny" and _has_cue(noun, reading):
        return None
    number = "plural" if is_plural(noun, text) else "singular"
    for rule in load_rules(direction):
        match = re.search(rf"(?<![\w-]){rule.before}$", text[: noun.start])
        if match is None or rule.number not in ("any", number):
            continue
        words = match.expand(rule.becomes)
        edited_text = text[: match.start()] + words + text[noun.start :]
        original = DraftDocument(document, text, changed=(match.span(),))
        changed = ((match.start(), match.start() + len(words)),)
        edited = DraftDocument(document, edited_text, f"flip_{direction}:{rule.name}", changed)
        satisfying, violating = (edited, original) if direction == "deny" else (original, edited)
        cost = stable_hash("flip", document, proposal.id) % 1000 / 1000
        return make_draft(MINPAIRS, proposal, satisfying, violating, cost=cost)
    return None


def _has_cue(noun: NounReading, reading: DocumentReading) -> bool:
    """Whether the sentence already negates or doubts something: "has no plugins but no tags" is not a sentence."""
    start, end = next((s, e) for s, e in reading.sentences if s <= noun.start < e)
    return any(start <= scope.cue_start < end for scope in reading.scopes)
