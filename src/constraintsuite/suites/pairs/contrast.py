"""Inserts a denied filler into a real passage ("directed by A, not B"), and exchanges the two fillers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import EXPLICIT
from constraintsuite.suites.domain import Knowledge, Relation
from constraintsuite.suites.pairs.couples import Couple
from constraintsuite.suites.pairs.minimal import Swapped, exchange_spans, swap_drafts
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.relations import y_words
from constraintsuite.suites.queries.wording import with_article
from constraintsuite.suites.reading.records import Fact
from constraintsuite.text.mentions import find_forms

_ABBREVIATED = re.compile(r"(?<!\w)[^\W\d_a-z]\w{0,3}\.$")
"""An abbreviation with its full stop ("P. A. Backer", "Smt. Sarita"), which need not end a sentence."""


@dataclass(frozen=True)
class EditablePassage:
    """What an edit needs to know of a document."""

    text: str
    title: str
    facts: Sequence[Fact]
    sentences: Sequence[tuple[int, int]]
    pronoun: str


def contrast_drafts(
    couple: Couple, passages: Mapping[str, EditablePassage], knowledge: Knowledge
) -> Iterator[PairDraft]:
    """Drafts of ExplicitMention and MinPairs from one couple of a stated relation.

    For ExplicitMention both documents name both fillers: each affirms its own and denies the other's. For MinPairs one of them
    is set against itself with the fillers exchanged: the first in which that can be done.
    """
    relation = knowledge.relations.get(couple.p.relation)
    if relation is None:
        return
    sides = ((couple.a, couple.p, couple.q), (couple.b, couple.q, couple.p))
    inserted = [
        insert_denial(passages[document], relation, own.constraint.value, other.constraint.value, document)
        for document, own, other in sides
    ]
    texts = [
        DraftDocument(document, made.text, "insert", (made.span,))
        for (document, _, _), made in zip(sides, inserted, strict=True)
        if made is not None
    ]
    if len(texts) == 2:
        identity = f"c{stable_hash('insert', couple.id):016x}"
        yield make_draft(EXPLICIT, couple.p, texts[1], texts[0], cost=couple.cost, couple=identity)
        yield make_draft(EXPLICIT, couple.q, texts[0], texts[1], cost=couple.cost, couple=identity)
    for (document, own, other), made in zip(sides, inserted, strict=True):
        title, values = passages[document].title, (own.constraint.value, other.constraint.value)
        swapped = swap_fillers(made.text, title, relation, *values) if made is not None else None
        if swapped is not None:
            identity = f"c{stable_hash('swap', couple.id, document):016x}"
            yield from swap_drafts(swapped, document, own, other, couple=identity, cost=couple.cost, natural=False)
            return


@dataclass(frozen=True)
class Inserted:
    """A text with an inserted denial, and the place of the denial."""

    text: str
    span: tuple[int, int]


def insert_denial(passage: EditablePassage, relation: Relation, stated: str, denied: str, key: str) -> Inserted | None:
    """The passage with a denial of `denied` next to the stated filler; None where no place is safe."""
    fact = next((f for f in passage.facts if f.relation == relation.key and f.y == stated), None)
    if fact is None:
        return None
    made = [_insert_after(passage.text, fact, form, denied) for form in relation.contrasts if fact.list_end >= 0]
    made += [_insert_before(passage.text, fact, form, denied) for form in relation.contrasts_before]
    made += [_add_sentence(passage, fact, relation.denial, denied)] if relation.denial else []
    possible = [inserted for inserted in made if inserted is not None]
    return possible[stable_hash("denial", key, denied) % len(possible)] if possible else None


def _insert_after(text: str, fact: Fact, form: str, denied: str) -> Inserted | None:
    addition = form.format(y=denied, a_y=with_article(denied))
    after = text[fact.list_end : fact.list_end + 1]
    if addition.endswith(",") and after in {".", ",", ";"}:
        addition = addition[:-1]
    if " but not " in addition and fact.fillers < 2:
        return None
    edited = text[: fact.list_end] + addition + text[fact.list_end :]
    return Inserted(edited, (fact.list_end, fact.list_end + len(addition)))


def _insert_before(text: str, fact: Fact, form: str, denied: str) -> Inserted | None:
    """From "directed by A" to "directed not by B but by A"; only where A is the only filler."""
    addition = form.format(y=denied, a_y=with_article(denied))
    link = addition.split()[1]
    before = re.search(rf"(?<=\w ){link} (?:an? |the )?$", text[: fact.start])
    if before is None or fact.fillers != 1 or fact.list_end < 0:
        return None
    at = before.start()
    return Inserted(text[:at] + addition + text[at:], (at, at + len(addition)))


def _add_sentence(passage: EditablePassage, fact: Fact, form: str, denied: str) -> Inserted | None:
    end = next((end for start, end in passage.sentences if start <= fact.start < end), None)
    if end is None or passage.text[end - 1 : end] not in {".", "!"} or _ABBREVIATED.search(passage.text[:end]):
        return None
    subject = passage.pronoun if "{subject}" in form else "It"
    if subject in ("", "They"):
        return None
    be = "is" if re.search(r"\bis an?\b", passage.text[:end]) else "was"
    sentence = form.format(subject=subject, be=be, it="it", y=denied, a_y=with_article(denied))
    addition = f" {sentence[:1].upper()}{sentence[1:]}"
    return Inserted(passage.text[:end] + addition + passage.text[end:], (end, end + len(addition)))


def swap_fillers(text: str, title: str, relation: Relation, a: str, b: str) -> Swapped | None:
    """The text with `a` and `b` exchanged; None unless each occurs exactly once, under any of its names."""
    for y in (a, b):
        words = y_words(relation, y)
        if len(find_forms(text, words.forms)) != 1 or find_forms(title, words.forms):
            return None
        if find_forms(f"{title} {text}", words.blocked):
            return None
    first, second = find_forms(text, [a]), find_forms(text, [b])
    if len(first) != 1 or len(second) != 1:
        return None
    return exchange_spans(text, (first[0].start, first[0].end), (second[0].start, second[0].end))
