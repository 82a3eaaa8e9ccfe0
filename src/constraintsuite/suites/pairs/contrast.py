"""A denied filler inserted into a real passage ("directed by A, not B"), and the same text with the two exchanged."""

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
"""The full stop of "P. A. Backer" or "Smt. Sarita", which may end no sentence."""


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
    """ExplicitMention and MinPairs from one couple of a stated relation."""
    relation = knowledge.relations.get(couple.p.relation)
    if relation is None:
        return
    edited_a = insert_denial(
        passages[couple.a], relation, couple.p.constraint.value, couple.q.constraint.value, couple.a
    )
    edited_b = insert_denial(
        passages[couple.b], relation, couple.q.constraint.value, couple.p.constraint.value, couple.b
    )
    if edited_a is not None and edited_b is not None:
        yield from _explicit(couple, edited_a, edited_b)
    yield from _swap(couple, edited_a, edited_b, passages, relation)


def _explicit(couple: Couple, edited_a: Inserted, edited_b: Inserted) -> Iterator[PairDraft]:
    """Both documents now name both fillers, each affirming its own and denying the other's."""
    identity = f"c{stable_hash('insert', couple.id):016x}"
    a = DraftDocument(couple.a, edited_a.text, "insert", (edited_a.span,))
    b = DraftDocument(couple.b, edited_b.text, "insert", (edited_b.span,))
    yield make_draft(EXPLICIT, couple.p, b, a, cost=couple.cost, couple=identity)
    yield make_draft(EXPLICIT, couple.q, a, b, cost=couple.cost, couple=identity)


def _swap(
    couple: Couple,
    edited_a: Inserted | None,
    edited_b: Inserted | None,
    passages: Mapping[str, EditablePassage],
    relation: Relation,
) -> Sequence[PairDraft]:
    """One of the two edited passages against itself with its fillers exchanged; the first in which that can be done."""
    for document, edited, own, other in (
        (couple.a, edited_a, couple.p, couple.q),
        (couple.b, edited_b, couple.q, couple.p),
    ):
        if edited is None:
            continue
        swapped = swap_fillers(
            edited.text, passages[document].title, relation, own.constraint.value, other.constraint.value
        )
        if swapped is not None:
            identity = f"c{stable_hash('swap', couple.id, document):016x}"
            return swap_drafts(swapped, document, own, other, couple=identity, cost=couple.cost, natural=False)
    return ()


@dataclass(frozen=True)
class Inserted:
    """A text with a denial put in, and where."""

    text: str
    span: tuple[int, int]


def insert_denial(passage: EditablePassage, relation: Relation, stated: str, denied: str, key: str) -> Inserted | None:
    """The passage with `denied` named and denied beside what it states; None where no place is safe."""
    fact = next((f for f in passage.facts if f.relation == relation.key and f.y == stated), None)
    if fact is None:
        return None
    made = [_contrast(passage.text, fact, form, denied) for form in relation.contrasts if fact.list_end >= 0]
    made += [_contrast_before(passage.text, fact, form, denied) for form in relation.contrasts_before]
    made += [_sentence(passage, fact, relation.denial, denied)] if relation.denial else []
    possible = [one for one in made if one is not None]
    if possible:
        return possible[stable_hash("denial", key, denied) % len(possible)]
    return None


def _contrast(text: str, fact: Fact, form: str, denied: str) -> Inserted | None:
    addition = form.format(y=denied, a_y=with_article(denied))
    after = text[fact.list_end : fact.list_end + 1]
    if addition.endswith(",") and after in {".", ",", ";"}:
        addition = addition[:-1]
    if " but not " in addition and fact.fillers < 2:
        return None
    edited = text[: fact.list_end] + addition + text[fact.list_end :]
    return Inserted(edited, (fact.list_end, fact.list_end + len(addition)))


def _contrast_before(text: str, fact: Fact, form: str, denied: str) -> Inserted | None:
    """ "directed by A" to "directed not by B but by A"; only where A is the single filler."""
    addition = form.format(y=denied, a_y=with_article(denied))
    link = addition.split()[1]
    before = re.search(rf"(?<=\w ){link} (?:an? |the )?$", text[: fact.start])
    if before is None or fact.fillers != 1 or fact.list_end < 0:
        return None
    at = before.start()
    return Inserted(text[:at] + addition + text[at:], (at, at + len(addition)))


def _sentence(passage: EditablePassage, fact: Fact, form: str, denied: str) -> Inserted | None:
    end = next((end for start, end in passage.sentences if start <= fact.start < end), None)
    if end is None or passage.text[end - 1 : end] not in {".", "!"}:
        return None
    if _ABBREVIATED.search(passage.text[:end]):
        return None
    subject = passage.pronoun if "{subject}" in form else "It"
    if subject in ("", "They"):
        return None
    be = "is" if re.search(r"\bis an?\b", passage.text[:end]) else "was"
    sentence = form.format(subject=subject, be=be, it="it", y=denied, a_y=with_article(denied))
    addition = f" {sentence[:1].upper()}{sentence[1:]}"
    return Inserted(passage.text[:end] + addition + passage.text[end:], (end, end + len(addition)))


def swap_fillers(text: str, title: str, relation: Relation, a: str, b: str) -> Swapped | None:
    """The text with `a` and `b` exchanged; None unless each stands exactly once, under any of its names."""
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
