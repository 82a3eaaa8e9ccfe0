"""Writing: two passages that differ by a negation; a person writes a query for each, which the other does not answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from constraintsuite.suites.annotation.records import AnnotationEvent, AnnotationItem, AnnotationQuestion, EventDraft
from constraintsuite.suites.export.base import write_rows
from constraintsuite.suites.export.nevir import FIELDS

NAME = "writing"
SLICES = (MINPAIRS, "nevir")
"""Whose two documents are a passage and its edited twin."""
LONGEST_PASSAGE = 4_000
"""Characters; nobody should have to read more to write one line."""
PASSAGES = ("passage_1", "passage_2")
QUESTIONS = tuple(
    AnnotationQuestion(f"query_{number}", f"A query that only passage {number} answers", "text") for number in (1, 2)
)
_CARD = """# Written queries

{rows} pairs of queries by {people} people for {passages} pairs of passages, in the layout of NevIR: q1 is answered by doc1 only, q2 by
doc2 only; WorkerId is who wrote them. The first half of an id is the passage's, so that intervals are resampled by passage. No query has a
word that stands in only one of its passages, and none is answered by yes or no; whether the other rules were kept, only people can say.
"""


@dataclass(frozen=True)
class WritingItems:
    """Pairs of passages, in an order that tells nothing and is the same for all writers."""

    pairs: Sequence[Example]
    seed: int = 0
    models: tuple[str, ...] = ()
    """Whose scores annotators may ask for."""
    name: str = NAME
    questions: tuple[AnnotationQuestion, ...] = QUESTIONS

    def items(self) -> Iterator[AnnotationItem]:
        """One item for each pair of passages."""
        for pair in self.pairs:
            texts = (pair.satisfying.text, pair.violating.text)
            original = stable_hash("side", str(self.seed), pair.id) % 2
            yield AnnotationItem(
                pair.id,
                fields=dict(zip(PASSAGES, texts if original == 0 else reversed(texts), strict=True)),
                groups={"domain": pair.domain, "operator": pair.edit},
                links=pair.clusters or (pair.couple or pair.id,),
                hidden={"original": PASSAGES[original], "split": pair.split, "models": " ".join(self.models)},
            )


@dataclass(frozen=True)
class WrittenQueries:
    """What one person wrote for one item; `queries` in the order of its passages."""

    item: AnnotationItem
    annotator: str
    queries: tuple[str, str]
    faults: tuple[QueryFault, ...]


@dataclass(frozen=True)
class WrittenRows:
    """How many rows an export holds, and what it left out."""

    rows: Mapping[str, int]
    """By split."""
    left_out: tuple[WrittenQueries, ...]
    """What breaks a rule: it came from a sheet, where nothing refuses it."""


def read_pairs(folder: Path, size: int, seed: int, models: tuple[str, ...] = ()) -> tuple[WritingItems, str]:
    """A sample of a suite's minimal pairs, each pair of texts once, and the name and hash of where it is from.

    Pairs in which both passages have words of their own come first, then those in which one has, then exchanged words: of
    the same words in another order none can be refused, so that only people keep a query from asking for a word.
    """
    examples, source = unchanged_examples(folder)
    pairs = _distinct([example for example in examples if example.slice in SLICES])
    if not pairs:
        raise UserError(f"{folder}: this suite has no minimal pairs ({' or '.join(SLICES)}) to write queries for.")
    drawn = sorted(pairs, key=lambda pair: (-_count_distinct(pair), stable_hash("writing", str(seed), pair.id)))[:size]
    return WritingItems(sorted(drawn, key=lambda pair: pair.id), seed, models), source


class BrokenRulesError(UserError):
    """Queries that cannot be kept."""

    def __init__(self, faults: Sequence[QueryFault]) -> None:
        super().__init__("\n".join(f"Query {fault.query + 1}: {fault.reason}" for fault in faults))
        self.faults = tuple(faults)


def keep_queries(
    batch: AnnotationBatch, annotator: str, task: AnnotationTask, queries: tuple[str, str], seen: int, now: datetime
) -> None:
    """Keep two queries for a pair, as `keep_answers` does; those that break a rule are a BrokenRulesError."""
    faults = find_faults(passages_of(task.item), queries)
    if faults:
        raise BrokenRulesError(faults)
    answers = {question.id: query for question, query in zip(QUESTIONS, queries, strict=True)}
    keep_answers(batch, annotator, task, TaskAnswers(answers, seen=seen), now)


def passages_of(item: AnnotationItem) -> tuple[str, str]:
    """The two texts as they are shown."""
    first, second = (item.fields[name] for name in PASSAGES)
    return first, second


def written(batch: AnnotationBatch, said: CurrentAnswers) -> list[WrittenQueries]:
    """All pairs of queries that stand, by item and person."""
    found = []
    for item in batch.judged:
        first, second = (said.of(item.id, question.id) for question in QUESTIONS)
        for name in sorted(set(first) & set(second)):
            queries = tidy(str(first[name].value)), tidy(str(second[name].value))
            found.append(WrittenQueries(item, name, queries, tuple(find_faults(passages_of(item), queries))))
    return found


def write_nevir(batch: AnnotationBatch, folder: Path) -> WrittenRows:
    """Write what people wrote as `csuite import nevir` reads it, one file a split; queries that break a rule are left out."""
    found = written(batch, current_answers(batch.store.events()))
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
    return WrittenRows({split: len(lines) for split, lines in rows.items()}, tuple(one for one in found if one.faults))


def _distinct(examples: Sequence[Example]) -> list[Example]:
    """Each two texts once; of a couple the one whose satisfying text is the corpus's own, as NevIR's doc1 is."""
    found: dict[frozenset[str], Example] = {}
    for example in sorted(examples, key=lambda one: not one.violating.edit or bool(one.satisfying.edit)):
        texts = frozenset((example.satisfying.text, example.violating.text))
        if len(texts) == 2 and max(map(len, texts)) <= LONGEST_PASSAGE:
            found.setdefault(texts, example)
    return list(found.values())


def _count_distinct(pair: Example) -> int:
    """How many of the two texts have words of their own."""
    return len(own_words((pair.satisfying.text, pair.violating.text)))


def _passage_names(batch: AnnotationBatch) -> dict[str, str]:
    """One name for all items that share a document."""
    groups = clusters_of(batch.judged).tolist()
    first: dict[int, str] = {}
    for item, group in zip(batch.judged, groups, strict=True):
        first[group] = min(first.get(group, min(item.links)), *item.links)
    return {
        item.id: f"{stable_hash('passage', first[group]):016x}"
        for item, group in zip(batch.judged, groups, strict=True)
    }


def _row(one: WrittenQueries, passage: str) -> dict[str, object]:
    texts, turned = passages_of(one.item), one.item.hidden["original"] == PASSAGES[1]
    order = (1, 0) if turned else (0, 1)
    identity = f"{passage}-{stable_hash('written', one.item.id, one.annotator):016x}"
    queries, documents = (one.queries[place] for place in order), (texts[place] for place in order)
    return dict(zip(FIELDS, (identity, one.annotator, *queries, *documents), strict=True))


_QUESTION = "scores:"
"""Before the name of a model: what an event with its scores is filed under. It is no question that people are asked."""


@dataclass(frozen=True, slots=True)
class PassageScores:
    """What a model gives the two passages under one query."""

    scores: tuple[float, float]
    wants: int
    """The passage that answers the query: 0 or 1."""

    @property
    def outcome(self) -> Outcome:
        """Whether that passage is put first; the same score is a tie."""
        gap = self.scores[self.wants] - self.scores[1 - self.wants]
        return "right" if gap > 0 else "wrong" if gap < 0 else "tie"


PairScores = tuple[PassageScores, PassageScores]
"""On the first query and on the second."""


def pairs_to_score(item: AnnotationItem, queries: tuple[str, str]) -> list[tuple[str, str]]:
    """Each query with each passage, in the order in which scores are kept; no text is longer than people may write or read."""
    passages = tuple(text[:LONGEST_PASSAGE] for text in passages_of(item))
    return [(query[:LONGEST], passage) for query in queries for passage in passages]


def score_draft(
    by: str, item: AnnotationItem, model: str, queries: tuple[str, str], scores: Sequence[float]
) -> EventDraft:
    """The scores of a model for `pairs_to_score` as an event."""
    return EventDraft(by, item.id, _QUESTION + model, tuple(map(repr, scores)), note=_of(queries))


def keep_scores(batch: AnnotationBatch, task: AnnotationTask, drafts: Iterable[EventDraft], now: datetime) -> None:
    """Write those that are new. With the `now` of the queries that they are of, both are taken back as one."""
    with batch.store.turn(now) as turn:
        for draft in drafts:
            before = answers_to(task, turn.events(draft.annotator)).get(draft.question)
            if before is None or (before.value, before.note) != (draft.value, draft.note):
                turn.append([draft])


def read_verdicts(
    task: AnnotationTask, own: Iterable[AnnotationEvent], queries: tuple[str, str]
) -> dict[str, PairScores]:
    """The scores of just these queries that a person asked for, by model, as they were asked."""
    found = {}
    for question, event in answers_to(task, own).items():
        if question.startswith(_QUESTION) and event.note == _of(queries):
            first, second, third, fourth = map(float, event.value)
            found[question.removeprefix(_QUESTION)] = (
                PassageScores((first, second), 0),
                PassageScores((third, fourth), 1),
            )
    return found


def _of(queries: tuple[str, str]) -> str:
    return sha256_text(*queries)[:16]
