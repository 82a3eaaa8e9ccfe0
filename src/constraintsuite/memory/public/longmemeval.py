"""LongMemEval (Wu et al. 2025): questions about earlier chats, scored like its retrieval evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, StrictBool, StrictInt, StrictStr

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.memory.public.base import (
    BenchmarkFile,
    BenchmarkItem,
    BenchmarkRecord,
    BenchmarkRow,
    Granularity,
    HaystackDocument,
    HaystackPassage,
    OfficialScorer,
    ReadOptions,
    assemble,
    merged,
    read_records,
)
from constraintsuite.memory.public.measures import MetricValues

_MARK = "answer"  # in the ids of the sessions that were written to hold evidence


class LongMemEvalTurn(BenchmarkRecord):
    """One turn of a chat."""

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
    """Read any of the authors' files; questions that the official evaluation leaves out are only counted."""
    options.refuse("longmemeval", "corpus")
    granularity: Granularity = options.granularity or "session"
    records = read_records(path, options.limit, LongMemEvalQuestion, lambda one: one.question_id)
    rows = (_row(where, question, granularity) for where, question in records)
    return assemble("longmemeval", path, options, LongMemEvalScorer(granularity), rows)


def _row(where: str, question: LongMemEvalQuestion, granularity: Granularity) -> BenchmarkRow:
    sessions = _sessions(where, question)
    haystack = merged(question.question_id, (_source(session, granularity) for session in sessions))
    skipped = _left_out(question, sessions)
    return BenchmarkRow(haystack, [] if skipped else [_item(question, sessions, granularity)], skipped=skipped)


def _sessions(where: str, question: LongMemEvalQuestion) -> list[LongMemEvalSession]:
    columns = (question.haystack_session_ids, question.haystack_dates, question.haystack_sessions)
    if len({len(column) for column in columns}) > 1:
        raise UserError(f"{where}: {question.question_id}: session ids, dates and sessions differ in number.")
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
    """Make a document of a session, under a neutral id, because its own id may reveal that it is gold."""
    document = f"session-{sha256_text(session.id)[:12]}"
    texts = _named_texts(session, granularity)
    passages = (
        HaystackPassage(f"{document}:{number}", name, text.strip()) for number, name, text, _ in texts if text.strip()
    )
    return HaystackDocument(document, "", tuple(passages), attributes={"date": session.date})


def _named_texts(session: LongMemEvalSession, granularity: Granularity) -> Iterator[tuple[int, str, str, bool]]:
    """Yield number, name and text of each passage, and whether it is gold; as officially, only the user's words."""
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


class LongMemEvalScorer(OfficialScorer):
    """`evaluate_retrieval`, and for turns also `evaluate_retrieval_turn2session`, under `session_`."""

    cutoffs = (1, 3, 5, 10, 30, 50)

    def __init__(self, granularity: Granularity) -> None:
        self.granularity = granularity

    def at_cutoff(self, item: BenchmarkItem, ranking: Sequence[str], k: int, budget: int) -> MetricValues:
        """Score `recall_any`, `recall_all` and `ndcg_any`; None for sessions where the budget ends too early to tell."""
        values: MetricValues = dict(official_scores(ranking, item.gold, k, f"@{k}"))
        if self.granularity == "turn":
            depth = turns_covering_sessions(ranking, item.gold, k, budget)
            found = official_scores(ranking, item.gold, depth or k, f"@{k}", _session_of)
            values |= {f"session_{name}": value if depth else None for name, value in found.items()}
        return values

    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """Refuse answers: LongMemEval's are judged by a model."""
        raise UserError(
            "LongMemEval scores answers with a model as judge, which is not done here. Leave the answers out."
        )


def official_scores(
    ranking: Sequence[str], gold: Sequence[str], depth: int, suffix: str = "", counted_as: Callable[[str], str] = str
) -> dict[str, float]:
    """Score the first `depth` names; `counted_as` maps a gold name to what is counted: the session, or the name."""
    relevant = [name in gold for name in ranking[:depth]]
    found = {counted_as(name) for name, is_gold in zip(ranking, relevant, strict=False) if is_gold}
    ideal = dcg([True] * min(depth, len(gold)))
    return {
        f"recall_any{suffix}": float(bool(found)),
        f"recall_all{suffix}": float(found == set(map(counted_as, gold))),
        f"ndcg_any{suffix}": dcg(relevant) / ideal if ideal else 0.0,
    }


def dcg(relevant: Sequence[bool]) -> float:
    """Compute DCG with the official discount: rank 1 counts 1, rank i from 2 on counts 1 / log2(i)."""
    return sum(1.0 if rank == 1 else 1 / math.log2(rank) for rank, is_gold in enumerate(relevant, 1) if is_gold)


def _session_of(turn: str) -> str:
    """Return the session of a turn `session_number`."""
    return turn.rpartition("_")[0]


def turns_covering_sessions(ranking: Sequence[str], gold: Sequence[str], k: int, budget: int) -> int | None:
    """Return how many turns hold `k` sessions; None if the budget ended before.

    As officially, the turns of a session with the answer and those without it count as two sessions.
    """
    seen: set[tuple[str, bool]] = set()
    for depth, name in enumerate(ranking, 1):
        seen.add((_session_of(name), name in gold))
        if len(seen) >= k:
            return depth
    return None if len(ranking) >= budget else max(k, len(ranking))
