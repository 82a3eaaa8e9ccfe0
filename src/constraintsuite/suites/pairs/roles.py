"""Drafts of texts with invented names in which one person has different roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from constraintsuite.core.records.examples import EXPLICIT, MINPAIRS
from constraintsuite.core.records.text import Document
from constraintsuite.suites.invented.passage import InventedPassage, invent_passage, read_passage
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.roles import RolePair
from constraintsuite.suites.reading.records import NamesRead
from constraintsuite.text.edits import apply_replacements, exchange

INVENTED = "invented_names"
EXCHANGED = "exchanged_people"


def role_drafts(
    pairs: Iterable[RolePair],
    proposals: Mapping[str, Proposal],
    documents: Mapping[str, Document],
    readings: Mapping[str, NamesRead],
) -> Iterator[PairDraft]:
    """Two drafts for each pair whose proposals are built: each text breaks one of the two queries and obeys the other."""
    for pair in pairs:
        if any(one not in proposals for one in pair.proposals):
            continue
        first, second = (proposals[one] for one in pair.proposals)
        passages = [_rewrite(pair, place, first, documents, readings) for place in (0, 1)]
        if pair.sources[0] == pair.sources[1]:
            texts = _exchange_people(passages[0], pair.people)
        else:
            texts = tuple(DraftDocument(one.source, one.text, INVENTED, title=one.title) for one in passages)
        if len(texts) == 2:
            name, couple = MINPAIRS if pair.sources[0] == pair.sources[1] else EXPLICIT, f"c{pair.id}"
            yield make_draft(name, first, texts[1], texts[0], cost=0.0, couple=couple)
            yield make_draft(name, second, texts[0], texts[1], cost=0.0, couple=couple)


def _rewrite(
    pair: RolePair,
    place: int,
    proposal: Proposal,
    documents: Mapping[str, Document],
    readings: Mapping[str, NamesRead],
) -> InventedPassage:
    source = pair.sources[place]
    real = read_passage(documents[source], readings[source])
    assert real is not None, source  # the proposal was made from it
    is_exchange = pair.sources[0] == pair.sources[1]
    return invent_passage(real, proposal.split, {pair.people[0 if is_exchange else place]: pair.name})


def _exchange_people(passage: InventedPassage, people: tuple[str, str]) -> tuple[DraftDocument, ...]:
    """The passage, and the passage with two people exchanged; nothing if one of the names is there twice."""
    names = [passage.people[person] for person in people]
    if any(passage.text.count(name) != 1 for name in names):
        return ()
    first, second = ((at, at + len(name)) for name in names for at in [passage.text.index(name)])
    edits = exchange(passage.text, first, second)
    assert edits is not None, passage.source
    text, spans = apply_replacements(passage.text, edits)
    original = tuple((edit.start, edit.end) for edit in edits)
    return (
        DraftDocument(passage.source, passage.text, INVENTED, original, passage.title),
        DraftDocument(passage.source, text, EXCHANGED, spans, passage.title),
    )
