"""HotpotQA (Yang et al. 2018): sentences of ten paragraphs, of which some support the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AliasChoices, BeforeValidator, Field, StrictInt, StrictStr

from constraintsuite.errors import UserError
from constraintsuite.memory.public.answers import WRONG, AnswerScores, compare_closed
from constraintsuite.memory.public.base import (
    BenchmarkFile,
    BenchmarkItem,
    Haystack,
    HaystackDocument,
    MetricValues,
    OfficialScorer,
    ReadOptions,
)
from constraintsuite.memory.public.evidence import SetScores, compare_sets, cutoffs_of, harmonic, ranking_values
from constraintsuite.memory.public.pooling import pool
from constraintsuite.memory.public.reading import (
    BenchmarkRecord,
    BenchmarkRow,
    SeenItemIds,
    checked,
    passages_of,
    read_rows,
)
from constraintsuite.store.files import sha256_of

CUTOFFS = (1, 2, 5, 10, 20)


def _rows_of_columns(first: str, second: str) -> BeforeValidator:
    """Hugging Face's layout has a list for each column where the authors' has a pair for each row."""

    def turn(value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        left, right = value.get(first), value.get(second)
        if not isinstance(left, list) or not isinstance(right, list) or len(left) != len(right):
            raise ValueError(f"expected lists {first!r} and {second!r} of the same length")
        return list(zip(left, right, strict=True))

    return BeforeValidator(turn)


class HotpotQuestion(BenchmarkRecord):
    """A row of the authors' file, or of Hugging Face's export."""

    id: StrictStr = Field(validation_alias=AliasChoices("_id", "id"), min_length=1)
    question: StrictStr = Field(min_length=1)
    answer: StrictStr | None = None
    context: Annotated[tuple[tuple[StrictStr, tuple[StrictStr, ...]], ...], _rows_of_columns("title", "sentences")]
    supporting_facts: Annotated[
        tuple[tuple[StrictStr, Annotated[StrictInt, Field(ge=0)]], ...], _rows_of_columns("title", "sent_id")
    ] = ()
    type: StrictStr = ""
    level: StrictStr = ""


def read(path: Path, options: ReadOptions) -> BenchmarkFile:
    """The distractor or full-wiki files, in the authors' layout or in Hugging Face's columns."""
    return read_questions("hotpotqa", path, options, HotpotScorer())


def read_questions(benchmark: str, path: Path, options: ReadOptions, scorer: OfficialScorer) -> BenchmarkFile:
    """Any file in HotpotQA's form."""
    options.refuse(benchmark, "granularity", "corpus")
    ids, items, haystacks, notes = SeenItemIds(), [], {}, []
    for row in read_rows(path, options.limit):
        question = checked(row, HotpotQuestion)
        ids.add(question.id, row.where)
        haystack, odd = _haystack(row, question)
        item = _item(row, question)
        items.append(item)
        haystacks[haystack.id] = haystack
        notes += odd + _strays(row, item, haystack)
    reading = BenchmarkFile(benchmark, sha256_of(path), tuple(items), haystacks, scorer, tuple(notes))
    return pool(reading) if options.pooled else reading


def _item(row: BenchmarkRow, question: HotpotQuestion) -> BenchmarkItem:
    if not question.supporting_facts or question.answer is None:
        raise UserError(
            f"{row.where}: {question.id} has no supporting facts or no answer, as in a test file without labels. "
            "Use a training or development file."
        )
    facts = dict.fromkeys(f"{title}:{number}" for title, number in question.supporting_facts)
    return BenchmarkItem(
        id=question.id,
        question=question.question,
        haystack=question.id,
        gold=tuple(facts),
        groups={name: value for name, value in (("type", question.type), ("level", question.level)) if value},
        cluster=question.id,
        answers=(question.answer,),
    )


class _Shelf(NamedTuple):
    haystack: Haystack
    odd: list[str]


def _haystack(row: BenchmarkRow, question: HotpotQuestion) -> _Shelf:
    if not question.context:
        raise UserError(f"{row.where}: {question.id} has no context to search in.")
    seen: dict[str, list[tuple[str, ...]]] = {}
    sources, odd = [], []
    for title, sentences in question.context:
        before = seen.setdefault(title, [])
        if sentences in before:
            odd.append(f"{row.where}: {question.id} has the paragraph {title!r} twice; one is kept.")
            continue
        before.append(sentences)
        document = title if len(before) == 1 else f"{title}#{len(before)}"  # no title of Wikipedia has this mark
        if document != title:
            odd.append(f"{row.where}: {question.id} has two paragraphs {title!r}; facts are taken from the first.")
        sources.append(HaystackDocument(document, title, passages_of(document, sentences), (title,)))
    return _Shelf(Haystack(question.id, tuple(sources)), odd)


def _strays(row: BenchmarkRow, item: BenchmarkItem, haystack: Haystack) -> list[str]:
    """Gold that nothing can find; the official evaluation counts it all the same."""
    there = {passage.name for source in haystack.sources for passage in source.passages}
    return [
        f"{row.where}: {item.id} has the supporting fact {fact!r}, but no such sentence in its context; it counts as missed."
        for fact in item.gold
        if fact not in there
    ]


class HotpotScorer:
    """`hotpot_evaluate_v1.py`: supporting facts as sets, answers by words, and both together."""

    def score(self, item: BenchmarkItem, ranking: Sequence[str], budget: int) -> MetricValues:
        """`sp_*` of what stands above each cut-off, and `title_recall`, which is HippoRAG's Recall of passages."""
        cutoffs = cutoffs_of(CUTOFFS, budget)
        values = ranking_values(self.names(item.gold), self.names(ranking), cutoffs)
        titles = list(dict.fromkeys(title_of(name) for name in ranking))
        gold_titles = {title_of(name) for name in item.gold}
        for k in cutoffs:
            scores = self.facts(item, ranking[:k])
            values[f"sp_em@{k}"], values[f"sp_f1@{k}"] = scores.em, scores.f1
            values[f"sp_prec@{k}"], values[f"sp_recall@{k}"] = scores.precision, scores.recall
            values[f"title_recall@{k}"] = len(gold_titles.intersection(titles[:k])) / len(gold_titles)
        return values

    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """`answer_*`, and `joint_*` with the facts at the budget."""
        scores = WRONG if answer is None else compare_closed(answer, item.answers[0])
        joint = self.joined(scores, self.facts(item, ranking[:budget]))
        values: MetricValues = {f"answer_{name}": value for name, value in _columns(scores)}
        return values | {f"joint_{name}@{budget}": value for name, value in _columns(joint)}

    def facts(self, item: BenchmarkItem, predicted: Sequence[str]) -> SetScores:
        """Supporting facts that were predicted, as `title:number`."""
        return compare_sets(self.names(predicted), self.names(item.gold))

    def names(self, facts: Sequence[str]) -> Sequence[str]:
        """Facts in the form in which they are compared."""
        return facts

    def joined(self, answer: AnswerScores, facts: SetScores) -> AnswerScores | None:
        """Answer and facts together: products of EM, precision and recall, and the F1 of those."""
        precision, recall = answer.precision * facts.precision, answer.recall * facts.recall
        return AnswerScores(answer.em * facts.em, harmonic(precision, recall), precision, recall)


def title_of(fact: str) -> str:
    """The title of `title:number`."""
    return fact.rpartition(":")[0]


def _columns(scores: AnswerScores | None) -> Iterator[tuple[str, float | None]]:
    return zip(("em", "f1", "prec", "recall"), scores or (None,) * 4, strict=True)


def evaluate(
    items: Sequence[BenchmarkItem], answers: Mapping[str, str], facts: Mapping[str, Sequence[str]], scorer: HotpotScorer
) -> MetricValues:
    """A whole prediction file as the official script has it: sums over what was predicted, divided by all items."""
    totals: MetricValues = dict.fromkeys(
        [f"{kind}{name}" for kind in ("", "sp_", "joint_") for name in ("em", "f1", "prec", "recall")], 0.0
    )
    for item in items:
        answer = compare_closed(answers[item.id], item.answers[0]) if item.id in answers else None
        support = scorer.facts(item, facts[item.id]) if item.id in facts else None
        if answer is not None:
            _add(totals, "", answer)
        if support is not None:
            _add(totals, "sp_", AnswerScores(support.em, support.f1, support.precision, support.recall))
        if answer is not None and support is not None:
            _add(totals, "joint_", scorer.joined(answer, support))
    return {name: None if total is None else total / len(items) for name, total in totals.items()}


def _add(totals: MetricValues, kind: str, scores: AnswerScores | None) -> None:
    for name, value in _columns(scores):
        total = totals[f"{kind}{name}"]
        totals[f"{kind}{name}"] = None if total is None or value is None else total + value
