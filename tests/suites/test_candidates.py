"""The pools of a build: found shard by shard, and the same as those of one index over everything."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import fsspec
import pytest

from constraintsuite.core.execution.engine import Crash, Done, LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.shards import shard_of
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.mirror import open_mirror
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.models.retrieval.bm25 import Bm25Retriever
from constraintsuite.suites.corpus.files import part_path
from constraintsuite.suites.recipe import DocumentSettings, Recipe
from constraintsuite.suites.stages import shard_search
from constraintsuite.suites.stages.candidates import Pool, read_pools, work
from constraintsuite.suites.stages.documents import read_documents
from constraintsuite.suites.stages.shard_search import RankTask, rank_shard
from constraintsuite.text.terms import TermAnalyser

Task = TypeVar("Task")
Result = TypeVar("Result")
HANDED_OVER = (".counts", ".postings", ".hits")


def make_job(suite: Path, folder: Path, shards: int, workers: int = 1) -> Job[Recipe]:
    """The documents of a suite in as many shards, and its queries."""
    documents = list(read_documents(suite / "stages" / "documents"))
    for shard in range(shards):
        write_jsonl(part_path(folder / "documents", shard), (d for d in documents if shard_of(d.id, shards) == shard))
    (folder / "out").mkdir()
    recipe = Recipe(corpus=SourceSettings(source="sample"), documents=DocumentSettings(shards=shards))
    inputs = {"documents": folder / "documents", "queries": suite / "stages" / "queries"}
    return Job(recipe, folder / "out", inputs, LocalEngine(workers), Silent())


def pools_of(suite: Path) -> Path:
    return suite / "stages" / "candidates" / "pools.jsonl"


def test_the_pools_are_those_of_one_index(small_suite: Path) -> None:
    documents = list(read_documents(small_suite / "stages" / "documents"))
    single = Bm25Retriever([d.id for d in documents], [f"{d.title} {d.text}" for d in documents])
    pools = list(read_pools(pools_of(small_suite).parent))
    for pool in pools:
        hits = single.search(pool.query, 200)
        assert pool == Pool(pool.query, tuple(h.document for h in hits), tuple(round(h.score, 5) for h in hits))
    assert any(len(pool.documents) > 1 for pool in pools)


@pytest.mark.parametrize(("shards", "workers"), [(1, 1), (7, 1), (5, 2)])
def test_the_number_of_shards_and_workers_changes_nothing(
    small_suite: Path, tmp_path: Path, shards: int, workers: int
) -> None:
    job = make_job(small_suite, tmp_path, shards, workers)
    assert work(job) == WorkCounts({"pools": len(list(read_pools(pools_of(small_suite).parent)))})
    assert (job.out / "pools.jsonl").read_bytes() == pools_of(small_suite).read_bytes()


def test_what_the_shards_handed_over_is_cleared_away(small_suite: Path) -> None:
    left = {file.name for file in pools_of(small_suite).parent.iterdir()}
    assert not [name for name in left if name.startswith(HANDED_OVER)]


def test_what_the_shards_handed_over_is_cleared_from_an_object_store(
    small_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    mirror = open_mirror(f"memory://{tmp_path.name}")
    job = make_job(small_suite, mirror.root, 3)
    done = work(job)
    names = {Path(name).name for name in fsspec.filesystem("memory").find(f"/{tmp_path.name}")}
    assert "count-00000.outcome.json" in names
    assert not [name for name in names if name.startswith(HANDED_OVER)]
    assert work(job) == done
    assert (job.out / "pools.jsonl").read_bytes() == pools_of(small_suite).read_bytes()


class ManyMachines:
    """Does every task on a machine that has seen nothing yet: with a cache of its own."""

    def __init__(self, caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.caches, self.monkeypatch = caches, monkeypatch
        self.machines = 0

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        return [self._one(function, task) for task in tasks]

    def _one(self, function: Callable[[Task], Result], task: Task) -> Result:
        self.machines += 1
        with self.monkeypatch.context() as patch:
            patch.setenv("CSUITE_CACHE", str(self.caches / str(self.machines)))
            return function(task)


def test_what_one_machine_read_another_searches(
    small_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "own"))
    mirror = open_mirror(f"memory://{tmp_path.name}")
    job = make_job(small_suite, mirror.root, 3)
    mirror.push(job.inputs["documents"])
    machines = ManyMachines(tmp_path, monkeypatch)
    work(replace(job, engine=machines))
    assert machines.machines == 2 * 3
    assert (job.out / "pools.jsonl").read_bytes() == pools_of(small_suite).read_bytes()


def test_a_stage_that_was_stopped_goes_on_where_it_was(
    small_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job(small_suite, tmp_path, 4)

    def break_off(task: RankTask, isolation: RecordIsolation) -> WorkCounts:
        if task.hits.name == ".hits-00002.jsonl":
            raise RuntimeError("power cut")
        return rank_shard(task, isolation)

    monkeypatch.setattr(shard_search, "rank_shard", break_off)
    with pytest.raises(RuntimeError, match="power cut"):
        work(job)
    monkeypatch.undo()
    part_path(job.inputs["documents"], 0).unlink()  # finished, and so not read again
    work(job)
    assert (job.out / "pools.jsonl").read_bytes() == pools_of(small_suite).read_bytes()


def test_a_stage_that_was_stopped_while_clearing_up_is_finished(small_suite: Path, tmp_path: Path) -> None:
    job = make_job(small_suite, tmp_path, 3)
    done = work(job)
    assert work(job) == done
    assert (job.out / "pools.jsonl").read_bytes() == pools_of(small_suite).read_bytes()


def test_a_document_that_cannot_be_analysed_is_left_out_and_counted_once(
    small_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job(small_suite, tmp_path, 3)
    pools = read_pools(pools_of(small_suite).parent)
    poison = next(pool.documents[0] for pool in pools if pool.documents)
    text = next(d.text for d in read_documents(job.inputs["documents"]) if d.id == poison)
    terms = TermAnalyser.terms

    def failing(self: TermAnalyser, given: str) -> list[str]:
        if text in given:
            raise ValueError("no such letter")
        return terms(self, given)

    monkeypatch.setattr(TermAnalyser, "terms", failing)
    assert work(job).rejects == {"unworkable": 1}
    assert poison not in {name for pool in read_pools(job.out) for name in pool.documents}
    (listing,) = job.out.glob("*.poison.jsonl")
    assert poison in listing.read_text()


def test_every_text_is_analysed_once(small_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_job(small_suite, tmp_path, 3)
    given = Counter[str]()
    terms = TermAnalyser.terms

    def counting(self: TermAnalyser, text: str) -> list[str]:
        given[text] += 1
        return terms(self, text)

    monkeypatch.setattr(TermAnalyser, "terms", counting)
    work(job)
    documents = [f"{d.title} {d.text}" for d in read_documents(job.inputs["documents"])]
    assert given == Counter([*documents, *(pool.query for pool in read_pools(job.out))])


def test_a_worker_loads_neither_the_parser_nor_torch() -> None:
    code = "import sys, constraintsuite.suites.stages.shard_search; print(*({'spacy', 'torch'} & sys.modules.keys()))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert loaded.stdout.split() == []
