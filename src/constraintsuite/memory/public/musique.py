"""MuSiQue (Trivedi et al. 2022): twenty paragraphs per question, of which two to four form a chain to the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import Field, StrictBool, StrictInt, StrictStr

from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.intervals import connected_components
from constraintsuite.core.store.files import sha256_text
from constraintsuite.memory.public.base import (
    BenchmarkFile,
    BenchmarkItem,
    BenchmarkRecord,
    BenchmarkRow,
    Haystack,
    HaystackDocument,
    HaystackPassage,
    OfficialScorer,
    ReadOptions,
    assemble,
    read_records,
)
from constraintsuite.memory.public.measures import WRONG, MetricValues, compare_open, compare_sets

_ID = re.compile(r"(?P<form>(?P<hops>[2-9])hop\d?)__(?P<parts>.+)")


class Paragraph(BenchmarkRecord):
    """One paragraph of a question."""

    idx: StrictInt
    title: StrictStr
    paragraph_text: StrictStr = Field(min_length=1)
    is_supporting: StrictBool


class MusiqueQuestion(BenchmarkRecord):
    """A row of the authors' file."""

    id: StrictStr
    question: StrictStr = Field(min_length=1)
    paragraphs: list[Paragraph] = Field(min_length=1)
    answer: StrictStr
    answer_aliases: tuple[StrictStr, ...] = ()
    answerable: StrictBool = True


def read(path: Path, options: ReadOptions) -> BenchmarkFile:
    """Read MuSiQue-Ans or MuSiQue-Full; as in the official protocol, questions without an answer are not scored."""
    options.refuse("musique", "granularity", "corpus")
    rows = (_row(*row) for row in read_records(path, options.limit, MusiqueQuestion, _identity))
    reading = assemble("musique", path, options, MusiqueScorer(), rows)
    return replace(reading, items=_clustered(reading.items))


def _row(where: str, question: MusiqueQuestion) -> BenchmarkRow:
    if not question.answerable:
        return BenchmarkRow(None, skipped="unanswerable")
    return BenchmarkRow(_haystack(where, question), [_item(where, question)])


def _identity(question: MusiqueQuestion) -> str:
    return f"{question.id}{'' if question.answerable else ' (unanswerable)'}"


def _item(where: str, question: MusiqueQuestion) -> BenchmarkItem:
    form = _ID.fullmatch(question.id)
    if form is None:
        raise UserError(f"{where}: the id {question.id!r} does not say its hops, as in 2hop__1_2 or 3hop1__1_2_3.")
    gold = dict.fromkeys(_name(paragraph) for paragraph in question.paragraphs if paragraph.is_supporting)
    if not gold:
        raise UserError(f"{where}: {question.id} has no supporting paragraph. Use a file with labels.")
    return BenchmarkItem(
        id=question.id,
        question=question.question,
        haystack=question.id,
        gold=tuple(gold),
        groups={"hops": form["hops"], "form": form["form"]},
        cluster=question.id,
        answers=(question.answer, *question.answer_aliases),
    )


def _haystack(where: str, question: MusiqueQuestion) -> Haystack:
    numbers = [paragraph.idx for paragraph in question.paragraphs]
    if len(set(numbers)) < len(numbers):
        raise UserError(f"{where}: {question.id} has two paragraphs of the same idx.")
    sources = {_name(paragraph): _source(paragraph) for paragraph in question.paragraphs}
    return Haystack(question.id, tuple(sources.values()))


def _source(paragraph: Paragraph) -> HaystackDocument:
    name = _name(paragraph)
    passage = HaystackPassage(name, name, paragraph.paragraph_text.strip())
    return HaystackDocument(name.removesuffix(":0"), paragraph.title, (passage,), (paragraph.title,))


def _name(paragraph: Paragraph) -> str:
    """Name a paragraph by its content: a title may have several paragraphs, a paragraph several questions."""
    return f"{paragraph.title}~{sha256_text(paragraph.title, paragraph.paragraph_text)[:10]}:0"


def _clustered(items: Sequence[BenchmarkItem]) -> tuple[BenchmarkItem, ...]:
    """Put questions that share a single-hop question into one cluster, since they are not independent."""
    numbers = connected_components([item.id.partition("__")[2].split("_") for item in items])
    return tuple(replace(item, cluster=f"chain-{number}") for item, number in zip(items, numbers.tolist(), strict=True))


class MusiqueScorer(OfficialScorer):
    """`evaluate_v1.0.py` of MuSiQue-Ans; `recall` is HippoRAG's Recall of passages."""

    def at_cutoff(self, item: BenchmarkItem, ranking: Sequence[str], k: int, budget: int) -> MetricValues:
        """Score `support_em` and `support_f1` of the first `k` paragraphs."""
        scores = compare_sets(ranking[:k], item.gold)
        return {f"support_em@{k}": scores.em, f"support_f1@{k}": scores.f1}

    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """Score EM and F1, the best over the aliases."""
        scores = WRONG if answer is None else compare_open(answer, item.answers)
        return {"answer_em": scores.em, "answer_f1": scores.f1}
