"""Writing: for two passages that differ by a negation, people write one query each that only that passage answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import MINPAIRS, Example
from constraintsuite.core.statistics.ties import Outcome
from constraintsuite.core.store.files import sha256_text, whole_folder, write_text
from constraintsuite.suites.annotation.agreement import clusters_of
from constraintsuite.suites.annotation.answers import TaskAnswers, answers_to, keep_answers
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
from constraintsuite.suites.annotation.kinds.gold import unchanged_examples
from constraintsuite.suites.annotation.kinds.query_rules import LONGEST, QueryFault, find_faults, own_words, tidy
from constraintsuite.suites.annotation.records import (
    AnnotationEvent,
    AnnotationItem,
    AnnotationQuestion,
    EventDraft,
    ItemSet,
)
from constraintsuite.suites.export.base import write_rows
from constraintsuite.suites.export.nevir import FIELDS

NAME = "writing"
SLICES = (MINPAIRS, "nevir")
"""Slices whose two documents are a passage and an edited copy of it."""
LONGEST_PASSAGE = 4_000
"""Characters. Nobody should have to read more to write one line."""
PASSAGES = ("passage_1", "passage_2")
QUESTIONS = tuple(
    AnnotationQuestion(f"query_{number}", f"A query that only passage {number} answers", "text") for number in (1, 2)
)
_CARD = """# Written queries

{rows} pairs of queries by {people} people for {passages} pairs of passages, in the layout of NevIR: q1 is answered by doc1 only, q2 by
doc2 only; WorkerId is who wrote them. The first half of an id is the passage's, so intervals are resampled by passage. No query has a
word that appears in only one of its passages, and none is answered by yes or no; whether the other rules were kept, only people can say.
"""


@dataclass(frozen=True)
class WrittenQueries:
    """The two queries that one person wrote for one item, in the order of its passages."""

    item: AnnotationItem
    annotator: str
    queries: tuple[str, str]
    faults: tuple[QueryFault, ...]


def sample_passages(folder: Path, size: int, seed: int, models: tuple[str, ...] = ()) -> ItemSet:
    """Draw minimal pairs from the suite in a folder, each pair of texts once, in an order that is the same for all writers.

    `models` are those whose scores annotators may ask for. Pairs in which both passages have words of their own come first,
    then those in which one has. The last are pairs of the same words in another order: no query for them breaks the rules
    by a word, so only people can tell whether it asks for one passage.
    """
    examples, source = unchanged_examples(folder)
    pairs = _distinct([example for example in examples if example.slice in SLICES])
    if not pairs:
        raise UserError(f"{folder}: this suite has no minimal pairs ({' or '.join(SLICES)}) to write queries for.")
    drawn = sorted(pairs, key=lambda pair: (-_count_distinct(pair), stable_hash("writing", str(seed), pair.id)))[:size]
    items = [_item(pair, seed, models) for pair in sorted(drawn, key=lambda pair: pair.id)]
    return ItemSet(NAME, source, QUESTIONS, items)


def _item(pair: Example, seed: int, models: tuple[str, ...]) -> AnnotationItem:
    texts = (pair.satisfying.text, pair.violating.text)
    original = stable_hash("side", str(seed), pair.id) % 2
    return AnnotationItem(
        pair.id,
        fields=dict(zip(PASSAGES, texts if original == 0 else reversed(texts), strict=True)),
        groups={"domain": pair.domain, "operator": pair.edit},
        links=pair.clusters or (pair.couple or pair.id,),
        hidden={"original": PASSAGES[original], "split": pair.split, "models": " ".join(models)},
    )


class BrokenRulesError(UserError):
    """Queries that break a rule, and are not stored."""

    def __init__(self, faults: Sequence[QueryFault]) -> None:
        super().__init__("\n".join(f"Query {fault.query + 1}: {fault.reason}" for fault in faults))
        self.faults = tuple(faults)


def keep_queries(
    batch: AnnotationBatch, annotator: str, task: AnnotationTask, queries: tuple[str, str], seen: int, now: datetime
) -> None:
    """Store two queries for a pair of passages, as `keep_answers` does; a broken rule is a BrokenRulesError."""
    if faults := find_faults(passages_of(task.item), queries):
        raise BrokenRulesError(faults)
    answers = {question.id: query for question, query in zip(QUESTIONS, queries, strict=True)}
    keep_answers(batch, annotator, task, TaskAnswers(answers, seen=seen), now)


def passages_of(item: AnnotationItem) -> tuple[str, str]:
    """The two passages of an item as they are shown."""
    first, second = (item.fields[name] for name in PASSAGES)
    return first, second


def collect_queries(batch: AnnotationBatch, current: CurrentAnswers) -> list[WrittenQueries]:
    """All pairs of queries that count, by item and person."""
    found = []
    for item in batch.judged:
        first, second = (current.of(item.id, question.id) for question in QUESTIONS)
        for name in sorted(set(first) & set(second)):
            queries = tidy(str(first[name].value)), tidy(str(second[name].value))
            found.append(WrittenQueries(item, name, queries, tuple(find_faults(passages_of(item), queries))))
    return found


def write_nevir(batch: AnnotationBatch, folder: Path) -> dict[str, int]:
    """Write queries as `csuite import nevir` reads them, one file per split; return the number of rows per split.

    Queries that break a rule are left out. They can only come from a sheet: the page refuses them.
    """
    found = collect_queries(batch, current_answers(batch.store.events()))
    kept = [one for one in found if not one.faults]
    if not kept:
        raise UserError(f"{batch.path}: nobody has written a pair of queries that follows the rules.")
    passages = _passage_names(batch)
    rows: dict[str, list[dict[str, object]]] = defaultdict(list)
    for one in kept:
        rows[one.item.hidden["split"]].append(_row(one, passages[one.item.id]))
    card = _CARD.format(
        rows=len(kept), people=len({one.annotator for one in kept}), passages=len({one.item.id for one in kept})
    )
    with whole_folder(folder) as scratch:
        for split, lines in rows.items():
            write_rows(scratch / f"{split}.jsonl", lines)
        write_text(scratch / "README.md", card)
    return {split: len(lines) for split, lines in rows.items()}


def _distinct(examples: Sequence[Example]) -> list[Example]:
    """Each pair of texts once. Of a couple, take the example whose satisfying text is unedited, like doc1 in NevIR."""
    found: dict[frozenset[str], Example] = {}
    for example in sorted(examples, key=lambda one: not one.violating.edit or bool(one.satisfying.edit)):
        texts = frozenset((example.satisfying.text, example.violating.text))
        if len(texts) == 2 and max(map(len, texts)) <= LONGEST_PASSAGE:
            found.setdefault(texts, example)
    return list(found.values())


def _count_distinct(pair: Example) -> int:
    """How many of the two texts have words that the other lacks."""
    return len(own_words((pair.satisfying.text, pair.violating.text)))


def _passage_names(batch: AnnotationBatch) -> dict[str, str]:
    """A name for the passage of each item; items that share a document have the same."""
    groups = clusters_of(batch.judged).tolist()
    links: dict[int, set[str]] = defaultdict(set)
    for item, group in zip(batch.judged, groups, strict=True):
        links[group].update(item.links)
    names = {group: f"{stable_hash('passage', min(shared)):016x}" for group, shared in links.items()}
    return {item.id: names[group] for item, group in zip(batch.judged, groups, strict=True)}


def _row(one: WrittenQueries, passage: str) -> dict[str, object]:
    """A row of NevIR, in which doc1 is the unedited passage."""
    identity = f"{passage}-{stable_hash('written', one.item.id, one.annotator):016x}"
    queries, documents = one.queries, passages_of(one.item)
    if one.item.hidden["original"] == PASSAGES[1]:
        queries, documents = queries[::-1], documents[::-1]
    return dict(zip(FIELDS, (identity, one.annotator, *queries, *documents), strict=True))


_SCORES = "scores:"
"""Before the name of a model: the question of an event that stores scores. People are not asked this question."""


@dataclass(frozen=True, slots=True)
class PassageScores:
    """The scores that a model gives the two passages for one query."""

    scores: tuple[float, float]
    wants: int
    """The passage that answers the query: 0 or 1."""

    @property
    def outcome(self) -> Outcome:
        """Whether the model ranks that passage first; equal scores are a tie."""
        gap = self.scores[self.wants] - self.scores[1 - self.wants]
        return "right" if gap > 0 else "wrong" if gap < 0 else "tie"


def pairs_to_score(item: AnnotationItem, queries: tuple[str, str]) -> list[tuple[str, str]]:
    """Each query with each passage, in the order in which scores are stored. Texts that are too long are cut."""
    passages = tuple(text[:LONGEST_PASSAGE] for text in passages_of(item))
    return [(query[:LONGEST], passage) for query in queries for passage in passages]


def score_draft(
    by: str, item: AnnotationItem, model: str, queries: tuple[str, str], scores: Sequence[float]
) -> EventDraft:
    """The scores of a model for `pairs_to_score`, as an event."""
    return EventDraft(by, item.id, _SCORES + model, tuple(map(repr, scores)), note=_hash_queries(queries))


def keep_scores(batch: AnnotationBatch, task: AnnotationTask, drafts: Sequence[EventDraft], now: datetime) -> None:
    """Store scores that are new. If `now` is the time of the queries, one undo takes back both."""
    with batch.store.transaction(now) as transaction:
        current = current_answers(transaction.events(item=task.item.id))
        transaction.append([draft for draft in drafts if current.is_new(draft)])


def read_scores(
    task: AnnotationTask, own: Iterable[AnnotationEvent], queries: tuple[str, str]
) -> dict[str, tuple[PassageScores, PassageScores]]:
    """The scores that a person asked for, by model and for each of the two queries, if they are of these queries."""
    found = {}
    for question, event in answers_to(task, own).items():
        if question.startswith(_SCORES) and event.note == _hash_queries(queries):
            first, second, third, fourth = map(float, event.value)
            scores = PassageScores((first, second), 0), PassageScores((third, fourth), 1)
            found[question.removeprefix(_SCORES)] = scores
    return found


def _hash_queries(queries: tuple[str, str]) -> str:
    return sha256_text(*queries)[:16]
