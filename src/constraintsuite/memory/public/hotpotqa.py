"""HotpotQA (Yang et al. 2018): sentences of ten paragraphs, of which some support the answer; and 2WikiMultiHopQA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field, StrictInt, StrictStr

from constraintsuite.core.errors import UserError
from constraintsuite.memory.public.base import (
    BenchmarkFile,
    BenchmarkItem,
    BenchmarkRecord,
    BenchmarkRow,
    Haystack,
    HaystackDocument,
    OfficialScorer,
    ReadOptions,
    assemble,
    passages_of,
    read_records,
)
from constraintsuite.memory.public.measures import (
    WRONG,
    MatchScores,
    MetricValues,
    compare_closed,
    compare_sets,
    harmonic,
)

_NOT_JOINT = "joint_* is null: officially it multiplies in the scores of predicted evidence triples, and no mode predicts triples."


def _rows_of_columns(first: str, second: str) -> BeforeValidator:
    """Accept Hugging Face's layout too: a list per column, where the authors have a pair per row."""

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
    """Read the distractor or full-wiki files, in the authors' layout or in Hugging Face's columns."""
    return _read_questions("hotpotqa", path, options, HotpotScorer())


def _read_questions(benchmark: str, path: Path, options: ReadOptions, scorer: OfficialScorer) -> BenchmarkFile:
    """Read any file in HotpotQA's form."""
    options.refuse(benchmark, "granularity", "corpus")
    rows = read_records(path, options.limit, HotpotQuestion, lambda one: one.id)
    return assemble(benchmark, path, options, scorer, (_row(where, question) for where, question in rows))


def _row(where: str, question: HotpotQuestion) -> BenchmarkRow:
    haystack, notes = _haystack(where, question)
    item = _item(where, question)
    return BenchmarkRow(haystack, [item], notes + _missing_gold(where, item, haystack))


def _item(where: str, question: HotpotQuestion) -> BenchmarkItem:
    if not question.supporting_facts or question.answer is None:
        raise UserError(
            f"{where}: {question.id} has no supporting facts or no answer, as in a test file without labels. "
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


def _haystack(where: str, question: HotpotQuestion) -> tuple[Haystack, list[str]]:
    """Return the paragraphs of a question, and notes on titles that occur twice."""
    if not question.context:
        raise UserError(f"{where}: {question.id} has no context to search in.")
    seen: dict[str, list[tuple[str, ...]]] = {}
    sources, odd = [], []
    for title, sentences in question.context:
        before = seen.setdefault(title, [])
        if sentences in before:
            odd.append(f"{where}: {question.id} has the paragraph {title!r} twice; one is kept.")
            continue
        before.append(sentences)
        document = title if len(before) == 1 else f"{title}#{len(before)}"  # no title of Wikipedia has this mark
        if document != title:
            odd.append(f"{where}: {question.id} has two paragraphs {title!r}; facts are taken from the first.")
        sources.append(HaystackDocument(document, title, passages_of(document, sentences), (title,)))
    return Haystack(question.id, tuple(sources)), odd


def _missing_gold(where: str, item: BenchmarkItem, haystack: Haystack) -> list[str]:
    """Note the gold that no search can find; the official evaluation counts it all the same."""
    there = {passage.name for source in haystack.sources for passage in source.passages}
    return [
        f"{where}: {item.id} has the supporting fact {fact!r}, but no such sentence in its context; it counts as missed."
        for fact in item.gold
        if fact not in there
    ]


class HotpotScorer(OfficialScorer):
    """`hotpot_evaluate_v1.py`: supporting facts as sets, answers by words, and both together."""

    def at_cutoff(self, item: BenchmarkItem, ranking: Sequence[str], k: int, budget: int) -> MetricValues:
        """Score `sp_*` of the first `k` facts, and `title_recall`, which is HippoRAG's Recall of passages."""
        titles = list(dict.fromkeys(title_of(name) for name in ranking))[:k]
        gold_titles = {title_of(name) for name in item.gold}
        values = _named("sp", f"@{k}", self.facts(item, ranking[:k]))
        return values | {f"title_recall@{k}": len(gold_titles.intersection(titles)) / len(gold_titles)}

    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """Score `answer_*`, and `joint_*` with the facts at the budget."""
        scores = WRONG if answer is None else compare_closed(answer, item.answers[0])
        joint = self.joined(scores, self.facts(item, ranking[:budget]))
        return _named("answer", "", scores) | _named("joint", f"@{budget}", joint)

    def facts(self, item: BenchmarkItem, predicted: Sequence[str]) -> MatchScores:
        """Compare predicted supporting facts, as `title:number`, with the gold."""
        return compare_sets(self.names(predicted), self.names(item.gold))

    def joined(self, answer: MatchScores, facts: MatchScores) -> MatchScores | None:
        """Combine the scores of answer and facts: products of EM, precision and recall, and the F1 of those."""
        precision, recall = answer.precision * facts.precision, answer.recall * facts.recall
        return MatchScores(answer.em * facts.em, harmonic(precision, recall), precision, recall)


def title_of(fact: str) -> str:
    """Return the title of `title:number`."""
    return fact.rpartition(":")[0]


def _named(prefix: str, suffix: str, scores: MatchScores | None) -> MetricValues:
    columns = zip(("em", "f1", "prec", "recall"), scores or (None,) * 4, strict=True)
    return {f"{prefix}_{name}{suffix}": value for name, value in columns}


def read_2wiki(path: Path, options: ReadOptions) -> BenchmarkFile:
    """Read the authors' `train.json` or `dev.json`."""
    reading = _read_questions("2wiki", path, options, TwoWikiScorer())
    return replace(reading, notes=(_NOT_JOINT, *reading.notes))


class TwoWikiScorer(HotpotScorer):
    """HotpotQA's scores, but the case of titles is ignored, and there is no joint score without triples."""

    def names(self, names: Sequence[str]) -> Sequence[str]:
        """Write facts in lower case."""
        return [name.lower() for name in names]

    def joined(self, answer: MatchScores, facts: MatchScores) -> MatchScores | None:
        """Give no score: answer times facts is not what the authors call joint."""
        return None
