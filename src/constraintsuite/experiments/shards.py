"""The pairs of a suite in shards, each scored by whoever has a model in memory, and gathered again.

Shards are planned from the pairs alone, so that a score is the same however many score them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.core.execution.engine import Engine, LocalEngine
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.execution.record_isolation import RecordIsolation, list_left_out
from constraintsuite.core.execution.shard_runs import WorkCounts, spread
from constraintsuite.core.store.download import cache_folder
from constraintsuite.core.store.files import atomic_writer, write_text
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.experiments.scoring import Scores, check_given, document_id
from constraintsuite.experiments.summary import Visible
from constraintsuite.models.base import Counting, Describing, ModelFact, Pair, Scorer, Truncating, is_spreadable
from constraintsuite.models.worker_model import WorkerSpec, cached_model

SHARD_PAIRS = 4_096
"""About as many are in a shard: many more than in a batch, and few enough that they can be spread evenly."""


@dataclass(frozen=True)
class ScoreTask:
    """Some pairs, the model that scores them, and where that goes."""

    model: str
    fingerprint: str
    pairs: Path
    numbers: Path
    """A row a pair: its score, and how many characters of its text are read; NaN for what there is not."""
    said: Path
    """What the model says of itself, and what happened on the way."""


@dataclass(frozen=True, slots=True)
class ShardPair:
    """A line of the file of a shard's pairs."""

    query: str
    text: str


@dataclass(frozen=True)
class Scored:
    """What came of all shards."""

    scores: Scores
    """Without pairs that break the model."""
    visible: Visible | None
    facts: Mapping[str, ModelFact]
    events: tuple[str, ...]


def plan_shards(pairs: Sequence[Pair], scorer: Scorer) -> list[list[Pair]]:
    """Sorted pairs in shards of equal size, but for the pairs of a query, which stay together.

    A model that cannot be spread gets all in one.
    """
    if not is_spreadable(scorer):
        return [list(pairs)]
    number = -(-len(pairs) // SHARD_PAIRS)
    shards: dict[int, list[Pair]] = {}
    place = 0
    for _, same in groupby(pairs, key=itemgetter(0)):
        of_query = list(same)
        shards.setdefault(place * number // len(pairs), []).extend(of_query)
        place += len(of_query)
    return list(shards.values())


def score_shards(
    shards: Sequence[Sequence[Pair]],
    sent: WorkerSpec,
    scorer: Scorer,
    folder: Path,
    engine: Engine,
    reporter: Reporter,
) -> Scored:
    """Every shard that is not done yet, then all of them together."""
    where = engine if is_spreadable(scorer) else LocalEngine()  # this process, where the collection is
    watch = reporter if len(shards) > 1 else _Notes(reporter)  # of one shard, the model itself tells more
    tasks = {}
    for number, pairs in enumerate(shards):
        name = f"{number:05}"
        files = (folder / f"{name}.{end}" for end in ("pairs.jsonl", "npy", "said.json"))
        tasks[name] = task = ScoreTask(sent.name, sent.fingerprint, *files)
        if not task.pairs.is_file():
            write_jsonl(task.pairs, (ShardPair(*pair) for pair in pairs))
    outcome = spread("pairs", score_shard, tasks, folder, where, watch)
    said = [json.loads(task.said.read_text(encoding="utf-8")) for task in tasks.values()]
    rows = np.concatenate([np.load(task.numbers, allow_pickle=False) for task in tasks.values()])
    there = ~np.isnan(rows[:, 0])
    kept = [pair for pair, is_there in zip((p for shard in shards for p in shard), there, strict=True) if is_there]
    read = rows[there, 1]
    knows_reading = isinstance(scorer, Truncating) and not np.isnan(read).any()
    return Scored(
        dict(zip(kept, rows[there, 0].tolist(), strict=True)),
        dict(zip(kept, read.astype(np.int64).tolist(), strict=True)) if knows_reading else None,
        {**said[0]["facts"], **_noticed(scorer, outcome)},
        (*(event for each in said for event in each["events"]), *list_left_out(folder, tasks)),
    )


def score_shard(task: ScoreTask, isolation: RecordIsolation) -> WorkCounts:
    """Score the pairs of a shard, all in one call."""
    pairs = [(line.query, line.text) for line in read_jsonl(task.pairs, ShardPair)]
    texts = (text for pair in pairs for text in pair)
    held = cached_model(task.model, task.fingerprint, texts, score_cache())
    before = len(held.bench.events)
    made = isolation.map_shard(pairs, _name, lambda some: _numbers(held.scorer, some), ("a", "a"))
    rows = np.array([(np.nan, np.nan) if row is None else row for row in made], dtype=np.float64).reshape(-1, 2)
    facts = held.scorer.describe() if isinstance(held.scorer, Describing) else {}
    with atomic_writer(task.numbers) as file:
        np.save(file, rows, allow_pickle=False)
    write_text(task.said, json.dumps({"facts": facts, "events": held.bench.events[before:]}, ensure_ascii=False))
    counts = held.scorer.text_counts() if isinstance(held.scorer, Counting) else {}
    return WorkCounts({**counts, "pairs": int((~np.isnan(rows[:, 0])).sum())})


def score_cache() -> Path:
    """Where a process keeps what its model gave for batches."""
    return cache_folder() / "scores"


def _numbers(scorer: Scorer, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
    """Score and characters read, a row a pair."""
    rows = np.full((len(pairs), 2), np.nan)
    rows[:, 0] = check_given(scorer, pairs, scorer.score(pairs))
    read = scorer.visible(pairs) if isinstance(scorer, Truncating) else None
    if read is not None:
        rows[:, 1] = read
    return rows


def _name(pair: Pair) -> str:
    query, text = pair
    return f"the query {query!r} with the document {document_id(text)}"


def _noticed(scorer: Scorer, outcome: WorkCounts) -> Mapping[str, ModelFact]:
    """What was counted in all shards; a text that stands in several is counted in each."""
    return scorer.describe_counts(outcome.counts) if isinstance(scorer, Counting) else {}


@dataclass(frozen=True)
class _Notes(Silent):
    """Hands notes on and shows no progress."""

    reporter: Reporter

    def note(self, text: str) -> None:
        """Hand one line on to the reporter behind this one."""
        self.reporter.note(text)
