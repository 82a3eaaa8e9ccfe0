"""The (query, document) pairs of a suite, and their scores.

Every distinct pair is scored once, in shards. Shards are planned from the pairs alone, so that a score does not depend on the
number of workers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
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
from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.pairwise import Scores, Visible
from constraintsuite.core.store.download import cache_folder
from constraintsuite.core.store.files import atomic_writer, write_text
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.models.base import Counting, Describing, ModelFact, Pair, Scorer, Truncating, is_spreadable
from constraintsuite.models.callable import check_scores
from constraintsuite.models.worker_model import WorkerSpec, cached_model

SHARD_PAIRS = 4_096
"""The approximate size of a shard: many batches, and yet enough shards to spread evenly over workers."""


@dataclass(frozen=True, slots=True)
class PairScore:
    """A line of a run's scores; `document` is the SHA-256 of the text in UTF-8."""

    query: str
    document: str
    score: float


def document_id(text: str) -> str:
    """The id of a text in a run's scores."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def documents_of(examples: Iterable[Example]) -> list[str]:
    """The distinct texts of all documents, sorted."""
    return sorted({document.text for example in examples for document in example.documents})


def pairs_of(examples: Iterable[Example]) -> list[Pair]:
    """The distinct (query, text) pairs, sorted."""
    return sorted({(q, d.text) for example in examples for q in example.queries.values() for d in example.documents})


def score_pairs(scorer: Scorer, pairs: list[Pair]) -> dict[Pair, float]:
    """The score of each pair, in one call. Raises UserError unless there is one finite number per pair."""
    return dict(zip(pairs, check_scores(scorer.name, pairs, scorer.score(pairs)).tolist(), strict=True))


@dataclass(frozen=True)
class ScoredPairs:
    """The scores of all shards together, and what the model reports about itself."""

    scores: Scores
    """Without the pairs at which the model fails."""
    visible: Visible | None
    facts: Mapping[str, ModelFact]
    events: tuple[str, ...]


@dataclass(frozen=True)
class ScoreTask:
    """One shard: the model, the file of its pairs, and the files to write."""

    model: str
    fingerprint: str
    pairs: Path
    numbers: Path
    """One row per pair: its score, and how many characters of its text are read; NaN if unknown."""
    report: Path
    """Facts about the model, and events while it scored."""


@dataclass(frozen=True, slots=True)
class ShardPair:
    """A line of the file of a shard's pairs."""

    query: str
    text: str


def plan_shards(pairs: Sequence[Pair], scorer: Scorer) -> list[list[Pair]]:
    """Cut sorted pairs into shards of similar size; the pairs of one query stay together.

    A model that must see all pairs gets them in one shard.
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
    spec: WorkerSpec,
    scorer: Scorer,
    folder: Path,
    engine: Engine,
    reporter: Reporter,
) -> ScoredPairs:
    """Score the shards that are not finished yet, and put the results of all shards together."""
    where = engine if is_spreadable(scorer) else LocalEngine()  # in this process, which holds the collection
    tasks = {}
    for number, pairs in enumerate(shards):
        name = f"{number:05}"
        files = (folder / f"{name}.{end}" for end in ("pairs.jsonl", "npy", "said.json"))
        tasks[name] = task = ScoreTask(spec.name, spec.fingerprint, *files)
        if not task.pairs.is_file():
            write_jsonl(task.pairs, (ShardPair(*pair) for pair in pairs))
    # The model itself reports the progress within a single shard.
    outcome = spread("pairs", score_shard, tasks, folder, where, reporter if len(shards) > 1 else _NotesOnly(reporter))
    reports = [json.loads(task.report.read_text(encoding="utf-8")) for task in tasks.values()]
    rows = np.concatenate([np.load(task.numbers, allow_pickle=False) for task in tasks.values()])
    known = ~np.isnan(rows[:, 0])
    kept = [pair for pair, is_known in zip((p for shard in shards for p in shard), known, strict=True) if is_known]
    visible = rows[known, 1]
    knows_visible = isinstance(scorer, Truncating) and not np.isnan(visible).any()
    counts = scorer.describe_counts(outcome.counts) if isinstance(scorer, Counting) else {}
    return ScoredPairs(
        dict(zip(kept, rows[known, 0].tolist(), strict=True)),
        dict(zip(kept, visible.astype(np.int64).tolist(), strict=True)) if knows_visible else None,
        {**reports[0]["facts"], **counts},
        (*(event for report in reports for event in report["events"]), *list_left_out(folder, tasks)),
    )


def score_shard(task: ScoreTask, isolation: RecordIsolation) -> WorkCounts:
    """Score the pairs of a shard in one call; pairs at which the model fails are left out."""
    pairs = [(line.query, line.text) for line in read_jsonl(task.pairs, ShardPair)]
    texts = (text for pair in pairs for text in pair)
    model = cached_model(task.model, task.fingerprint, texts, score_cache())
    scorer, before = model.scorer, len(model.bench.events)
    made = isolation.map_shard(pairs, _name, lambda some: _score_rows(scorer, some), ("a", "a"))
    rows = np.array([(np.nan, np.nan) if row is None else row for row in made], dtype=np.float64).reshape(-1, 2)
    facts = scorer.describe() if isinstance(scorer, Describing) else {}
    with atomic_writer(task.numbers) as file:
        np.save(file, rows, allow_pickle=False)
    write_text(task.report, json.dumps({"facts": facts, "events": model.bench.events[before:]}, ensure_ascii=False))
    counts = scorer.text_counts() if isinstance(scorer, Counting) else {}
    return WorkCounts({**counts, "pairs": int((~np.isnan(rows[:, 0])).sum())})


def score_cache() -> Path:
    """The folder in which models cache the scores of batches."""
    return cache_folder() / "scores"


def _score_rows(scorer: Scorer, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
    rows = np.full((len(pairs), 2), np.nan)
    rows[:, 0] = check_scores(scorer.name, pairs, scorer.score(pairs))
    visible = scorer.visible(pairs) if isinstance(scorer, Truncating) else None
    if visible is not None:
        rows[:, 1] = visible
    return rows


def _name(pair: Pair) -> str:
    query, text = pair
    return f"the query {query!r} with the document {document_id(text)}"


@dataclass(frozen=True)
class _NotesOnly(Silent):
    """A reporter that passes on notes and shows no progress."""

    reporter: Reporter

    def note(self, text: str) -> None:
        """Pass on one line."""
        self.reporter.note(text)
