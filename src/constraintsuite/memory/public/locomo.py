"""LoCoMo (Maharana et al. 2024): ten long conversations, and questions with the turns that answer them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, StrictInt, StrictStr

from constraintsuite.core.errors import UserError
from constraintsuite.memory.public.base import (
    BenchmarkFile,
    BenchmarkItem,
    BenchmarkRecord,
    BenchmarkRow,
    Granularity,
    Haystack,
    HaystackDocument,
    HaystackPassage,
    OfficialScorer,
    ReadOptions,
    assemble,
    checked,
    read_records,
    refuse_repeated,
)
from constraintsuite.memory.public.measures import MetricValues, stemmed_f1, stemmed_list_f1

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""As the authors' evaluation uses the numbers; the list in the paper has another order."""
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D(\d+):(\d+)")
_REFUSALS = ("no information available", "not mentioned")


class LocomoTurn(BenchmarkRecord):
    """One turn of a conversation, perhaps with a picture."""

    speaker: StrictStr
    dia_id: StrictStr
    text: StrictStr
    blip_caption: StrictStr = ""


class LocomoSession(BenchmarkRecord):
    """The turns of a day."""

    turns: list[LocomoTurn]


class LocomoQuestion(BenchmarkRecord):
    """A question with the ids of the turns that answer it."""

    question: StrictStr = Field(min_length=1)
    category: StrictInt = Field(ge=1, le=5)
    evidence: tuple[StrictStr, ...] = ()
    answer: StrictStr | StrictInt | None = None


class Sample(BenchmarkRecord):
    """A row of `locomo10.json`."""

    sample_id: StrictStr = Field(min_length=1)
    conversation: dict[str, Any]
    qa: list[LocomoQuestion]


def read(path: Path, options: ReadOptions) -> BenchmarkFile:
    """Read `locomo10.json`; a limit counts conversations."""
    options.refuse("locomo", "corpus", "pooled")
    granularity: Granularity = options.granularity or "turn"
    records = read_records(path, options.limit, Sample, lambda one: one.sample_id)
    rows = (_row(where, sample, granularity) for where, sample in records)
    return assemble("locomo", path, options, LocomoScorer(), rows)


def _row(where: str, sample: Sample, granularity: Granularity) -> BenchmarkRow:
    sources = tuple(_sources(where, sample, granularity))
    there = {passage.name for source in sources for passage in source.passages}
    items = [
        _item(f"{sample.sample_id}/{number}", sample, asked, granularity, there)
        for number, asked in enumerate(sample.qa, 1)
    ]
    return BenchmarkRow(
        Haystack(sample.sample_id, sources), items, [note for item in items for note in _oddities(item)]
    )


def _sources(where: str, sample: Sample, granularity: Granularity) -> Iterator[HaystackDocument]:
    seen: dict[str, str] = {}
    for number, session in sorted(_sessions(where, sample.conversation).items()):
        for place, turn in enumerate(session.turns, 1):
            form = _TURN.fullmatch(turn.dia_id)
            if form is None or int(form[1]) != number:
                raise UserError(f"{where}: {sample.sample_id} has the turn {turn.dia_id!r} in session {number}.")
            refuse_repeated(seen, turn.dia_id, f"{where}, session {number}, turn {place}")
        document = f"{sample.sample_id}/session_{number}"
        date = sample.conversation.get(f"session_{number}_date_time", "")
        passages = _passages(document, number, session, granularity)
        yield HaystackDocument(document, "", passages, (str(date),) if date else (), {"date": str(date)})


def _sessions(where: str, conversation: Mapping[str, Any]) -> dict[int, LocomoSession]:
    """Return the sessions by number; dates without a session, which the file has, are ignored."""
    found = {}
    for name, turns in conversation.items():
        form = _SESSION.fullmatch(name)
        if form:
            found[int(form[1])] = checked(f"{where}, {name}", {"turns": turns}, LocomoSession)
    if not found:
        raise UserError(f"{where}: the conversation has no session.")
    return found


def _passages(
    document: str, number: int, session: LocomoSession, granularity: Granularity
) -> tuple[HaystackPassage, ...]:
    if granularity == "session":
        return (HaystackPassage(f"{document}:0", f"S{number}", "\n".join(map(_said, session.turns))),)
    return tuple(
        HaystackPassage(f"{document}:{turn.dia_id.partition(':')[2]}", turn.dia_id, _said(turn))
        for turn in session.turns
    )


def _said(turn: LocomoTurn) -> str:
    """Write a turn as the authors give it to a reader: pictures by their caption."""
    shown = f" and shared {turn.blip_caption}" if turn.blip_caption else ""
    return f'{turn.speaker} said, "{turn.text}"{shown}'


def _item(name: str, sample: Sample, asked: LocomoQuestion, granularity: Granularity, there: set[str]) -> BenchmarkItem:
    evidence = _repaired(asked.evidence)
    gold = evidence if granularity == "turn" else [f"S{one.partition(':')[0].removeprefix('D')}" for one in evidence]
    filed = asked.evidence if granularity == "turn" else [f"S{one.partition(':')[0][1:]}" for one in asked.evidence]
    return BenchmarkItem(
        id=name,
        question=asked.question,
        haystack=sample.sample_id,
        gold=tuple(one for one in dict.fromkeys(gold) if one in there),
        groups={"category": CATEGORIES[asked.category]},
        cluster=sample.sample_id,
        answers=() if asked.answer is None else (str(asked.answer),),
        as_filed=tuple(filed),
    )


def _repaired(evidence: Sequence[str]) -> list[str]:
    """Return the ids of turns: some strings hold several, some have a zero too many, some hold none."""
    found = (match for one in evidence for match in _TURN.finditer(one))
    return list(dict.fromkeys(f"D{int(match[1])}:{int(match[2])}" for match in found))


def _oddities(item: BenchmarkItem) -> list[str]:
    if not item.as_filed:
        return [f"{item.id}: no evidence; its recall is not defined (officially it is 1)."]
    if set(item.as_filed) != set(item.gold):
        return [f"{item.id}: the evidence {list(item.as_filed)} was read as {list(item.gold)}."]
    return []


class LocomoScorer(OfficialScorer):
    """`task_eval/evaluation.py`: the share of evidence that is in the context, and F1 of answers by category."""

    cutoffs = (1, 5, 10, 25, 50)

    def at_cutoff(self, item: BenchmarkItem, ranking: Sequence[str], k: int, budget: int) -> MetricValues:
        """Score `recall_as_filed`: the official recall of the strings in the file; `recall` is computed from repaired strings."""
        found = sum(one in ranking[:k] for one in item.as_filed)
        return {f"recall_as_filed@{k}": found / len(item.as_filed) if item.as_filed else 1.0}

    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """Score `answer_f1`; for an adversarial question, whether the answer says that nothing is known."""
        return {"answer_f1": 0.0 if answer is None else _answer_f1(item, answer)}


def _answer_f1(item: BenchmarkItem, answer: str) -> float:
    category = item.groups["category"]
    if category == "adversarial":
        return float(any(phrase in answer.lower() for phrase in _REFUSALS))
    if not item.answers:
        raise UserError(f"{item.id}: there is no right answer in the file to compare with.")
    gold = item.answers[0]
    if category == "multi-hop":
        return stemmed_list_f1(answer, gold)
    return stemmed_f1(answer, gold.split(";")[0].strip() if category == "open-domain" else gold)
