"""LongMemEval (Wu et al. 2025): questions about chats of long ago, scored as its retrieval evaluation does it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, StrictBool, StrictInt, StrictStr

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.memory.public.base import (
    BenchmarkFile,
    BenchmarkItem,
    BenchmarkRecord,
    Granularity,
    HaystackDocument,
    HaystackPassage,
    MetricValues,
    ReadOptions,
    merged,
    pool,
    read_records,
)
from constraintsuite.memory.public.measures import cutoffs_of, ranking_values

CUTOFFS = (1, 3, 5, 10, 30, 50)
_MARK = "answer"  # in the ids of the sessions that were written to hold evidence


class LongMemEvalTurn(BenchmarkRecord):
    """What one side of a chat said."""

    role: Literal["user", "assistant"]
    content: StrictStr
    has_answer: StrictBool | None = None


class LongMemEvalQuestion(BenchmarkRecord):
    """A row of the authors' file."""

    question_id: StrictStr = Field(min_length=1)
    question_type: StrictStr
    question: StrictStr = Field(min_length=1)
    answer: StrictStr | StrictInt
    haystack_session_ids: list[StrictStr] = Field(min_length=1)
    haystack_sessions: list[list[LongMemEvalTurn]]
    haystack_dates: list[StrictStr]
    answer_session_ids: list[StrictStr]


class LongMemEvalSession(NamedTuple):
    """One chat of the haystack, with its date."""

    id: str
    date: str
    turns: Sequence[LongMemEvalTurn]


def read(path: Path, options: ReadOptions) -> BenchmarkFile:
    """Any of the authors' files; what the official evaluation leaves out is left out and counted."""
    options.refuse("longmemeval", "corpus")
    granularity: Granularity = options.granularity or "session"
    skipped = {"abstention": 0, "no_answer_in_user_turns": 0}
    items, haystacks = [], {}
    for where, question in read_records(path, options.limit, LongMemEvalQuestion, lambda one: one.question_id):
        sessions = _sessions(where, question)
        haystacks[question.question_id] = merged(
            question.question_id, (_source(session, granularity) for session in sessions)
        )
        reason = _left_out(question, sessions)
        if reason:
            skipped[reason] += 1
        else:
            items.append(_item(question, sessions, granularity))
    if not items:
        raise UserError(f"{path}: no question is left after the official filter ({skipped}).")
    scorer = LongMemEvalScorer(granularity)
    reading = BenchmarkFile("longmemeval", sha256_of(path), tuple(items), haystacks, scorer, skipped=skipped)
    return pool(reading) if options.pooled else reading


def _sessions(where: str, question: LongMemEvalQuestion) -> list[LongMemEvalSession]:
    columns = (question.haystack_session_ids, question.haystack_dates, question.haystack_sessions)
    if len({len(column) for column in columns}) > 1:
        raise UserError(f"{where}: {question.question_id} has not as many session ids, dates and sessions.")
    unknown = set(question.answer_session_ids) - set(question.haystack_session_ids)
    if unknown:
        raise UserError(f"{where}: {question.question_id} has no session {min(unknown)!r}, which holds its answer.")
    sessions = [LongMemEvalSession(*columns) for columns in zip(*columns, strict=True)]
    for session in sessions:
        if _MARK in session.id and any(turn.has_answer is None for turn in _user_turns(session)):
            raise UserError(f"{where}: a turn of the session {session.id!r} does not say whether it has the answer.")
    return sessions


def _user_turns(session: LongMemEvalSession) -> list[LongMemEvalTurn]:
    return [turn for turn in session.turns if turn.role == "user"]


def _left_out(question: LongMemEvalQuestion, sessions: Sequence[LongMemEvalSession]) -> str:
    if "_abs" in question.question_id:
        return "abstention"
    flagged = any(turn.has_answer for session in sessions for turn in _user_turns(session))
    return "" if flagged else "no_answer_in_user_turns"


def _source(session: LongMemEvalSession, granularity: Granularity) -> HaystackDocument:
    """A session under a neutral id, because its own may say that it is gold."""
    document = f"session-{sha256_text(session.id)[:12]}"
    texts = _named_texts(session, granularity)
    passages = (
        HaystackPassage(f"{document}:{number}", name, text.strip()) for number, name, text, _ in texts if text.strip()
    )
    return HaystackDocument(document, "", tuple(passages), attributes={"date": session.date})


def _named_texts(session: LongMemEvalSession, granularity: Granularity) -> Iterator[tuple[int, str, str, bool]]:
    """Number, name and text of what is searched (the user's words and nothing else, as officially), and whether it is gold."""
    marked = _MARK in session.id
    if granularity == "session":
        turns = _user_turns(session)
        gold = marked and any(turn.has_answer for turn in turns)
        yield 0, session.id, " ".join(turn.content for turn in turns), gold
        return
    for number, turn in enumerate(session.turns, 1):
        if turn.role == "user":
            yield number, f"{session.id}_{number}", turn.content, marked and bool(turn.has_answer)


def _item(
    question: LongMemEvalQuestion, sessions: Sequence[LongMemEvalSession], granularity: Granularity
) -> BenchmarkItem:
    gold = (name for session in sessions for _, name, _, is_gold in _named_texts(session, granularity) if is_gold)
    return BenchmarkItem(
        id=question.question_id,
        question=question.question,
        haystack=question.question_id,
        gold=tuple(dict.fromkeys(gold)),
        groups={"type": question.question_type},
        cluster=question.question_id,
        answers=(str(question.answer),),
    )


class LongMemEvalScorer:
    """`evaluate_retrieval`, and for turns also `evaluate_retrieval_turn2session`, under `session_`."""

    def __init__(self, granularity: Granularity) -> None:
        self.granularity = granularity

    def score(self, item: BenchmarkItem, ranking: Sequence[str], budget: int) -> MetricValues:
        """`recall_any`, `recall_all` and `ndcg_any` at the official cut-offs, beside the usual measures of rankings."""
        cutoffs = cutoffs_of(CUTOFFS, budget)
        values = ranking_values(item.gold, ranking, cutoffs)
        for k in cutoffs:
            values |= _named("", k, official_scores(ranking, item.gold, k))
            if self.granularity == "turn":
                depth = widened(ranking, item.gold, k, budget)
                values |= _named("session_", k, depth and official_scores(ranking, item.gold, depth, session_of))
        return values

    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """Nothing: LongMemEval's answers are judged by a model."""
        raise UserError(
            "LongMemEval scores answers with a model as judge, which is not done here. Leave the answers out."
        )


class OfficialScores(NamedTuple):
    """The three figures of a ranking."""

    recall_any: float
    recall_all: float
    ndcg_any: float


def official_scores(
    ranking: Sequence[str], gold: Sequence[str], depth: int, counted_as: Callable[[str], str] = str
) -> OfficialScores:
    """Of the first `depth` names; what is to be recalled is what the gold counts as, its session or itself."""
    relevant = [name in gold for name in ranking[:depth]]
    found = {counted_as(name) for name, is_gold in zip(ranking, relevant, strict=False) if is_gold}
    ideal = dcg([True] * min(depth, len(gold)))
    return OfficialScores(
        float(bool(found)), float(found == set(map(counted_as, gold))), dcg(relevant) / ideal if ideal else 0.0
    )


def _named(prefix: str, k: int, scores: OfficialScores | int | None) -> MetricValues:
    """None where the budget was too small to tell."""
    found = scores if isinstance(scores, OfficialScores) else (None, None, None)
    return {f"{prefix}{name}@{k}": value for name, value in zip(OfficialScores._fields, found, strict=True)}


def dcg(relevant: Sequence[bool]) -> float:
    """The official discount: ranks 1 and 2 weigh the same, rank i from 2 on 1 / log2(i)."""
    return sum(1.0 if rank == 1 else 1 / math.log2(rank) for rank, is_gold in enumerate(relevant, 1) if is_gold)


def session_of(turn: str) -> str:
    """The session of `session_number`."""
    return turn.rpartition("_")[0]


def widened(ranking: Sequence[str], gold: Sequence[str], k: int, budget: int) -> int | None:
    """How deep one must look to see `k` sessions; None if the budget ended before.

    As officially, the turns of a session with the answer and those without it count as two sessions, since the latter
    were renamed.
    """
    seen: set[tuple[str, bool]] = set()
    for depth, name in enumerate(ranking, 1):
        seen.add((session_of(name), name in gold))
        if len(seen) >= k:
            return depth
    return None if len(ranking) >= budget else max(k, len(ranking))
