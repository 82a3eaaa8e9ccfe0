"""A benchmark from its file to its folder: what is finished is skipped, what fails is said, and nothing else is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.ann import ann
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.vectors.ann.host import describe_host
from constraintsuite.vectors.ann.results import AnnRun, MeasuredCell, load_ann_run, load_queries

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
DATA = (
    "  - {name: points, format: synthetic, kind: duplicates, rows: 300, queries: 40, dimensions: 8, metric: cosine}\n"
)
PROTOCOL = "protocol: {modes: [serial, batch], repeats: 2, min_seconds: 0, timeout_seconds: 60}\n"
EXACT = "  - {engine: exact}\n"
CODED = "  - {engine: coded, build: {code: [int8, binary]}, rerank: [1, 4]}\n"
IMPOSSIBLE = "  - {name: wide, engine: coded, build: {dimensions: 9}}\n"


def bench(folder: Path, engines: str, data: str = DATA, more: str = PROTOCOL) -> Path:
    file = folder / "bench.yaml"
    file.write_text(f"name: tiny\nk: [5]\ndata:\n{data}{more}engines:\n{engines}")
    return file


def call(*arguments: object) -> Result:
    return CliRunner().invoke(ann, [str(argument) for argument in arguments])


def run(file: Path, out: Path) -> tuple[int, dict[str, int]]:
    result = call("run", file, "--out", out, "--json")
    counts = json.loads(result.stdout)
    return result.exit_code, {name: counts[name] for name in ("measured", "skipped", "failed")}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> AnnRun:
    folder = tmp_path_factory.mktemp("finished")
    code, counts = run(bench(folder, EXACT + CODED), folder / "run")
    assert (code, counts) == (0, {"measured": 10, "skipped": 0, "failed": 0})
    return load_ann_run(folder / "run")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measured")
    assert run(bench(folder, EXACT), folder / "run") == (0, {"measured": 2, "skipped": 0, "failed": 0})
    return folder / "run"


@pytest.fixture
def out(measured: Path, tmp_path: Path) -> Path:
    """A folder in which everything exact is measured, for a test to go on with."""
    return Path(shutil.copytree(measured, tmp_path / "run"))


def cell(found: AnnRun, name: str, mode: str = "serial", rerank: int = 1, **build: object) -> MeasuredCell:
    (one,) = [
        each
        for each in found.cells
        if (each.point.name, each.point.mode, each.point.rerank, dict(each.point.build)) == (name, mode, rerank, build)
    ]
    return one


def test_comparing_everything_finds_everything_though_rows_are_repeated(finished: AnnRun) -> None:
    exact = cell(finished, "exact")
    assert exact.exact
    assert exact.figures["ann.recall_tie@5"].value == 1.0
    assert exact.figures["ann.recall@5"].value == 1.0
    assert exact.figures["ann.recall_tie@5"].n == 40


def test_a_rerank_brings_back_what_a_code_loses(finished: AnnRun) -> None:
    plain, again = (
        cell(finished, "coded", rerank=rerank, code="binary").figures["ann.recall_tie@5"].value for rerank in (1, 4)
    )
    assert plain is not None
    assert again is not None
    assert plain < again


def test_modes_are_cells_of_their_own_and_only_single_calls_have_percentiles(finished: AnnRun) -> None:
    serial, batch = (cell(finished, "exact", mode) for mode in ("serial", "batch"))
    assert serial.speed.latencies_ms is not None
    assert set(serial.speed.latencies_ms) == {"p50", "p95", "p99", "p999"}
    assert batch.speed.latencies_ms is None
    assert serial.key != batch.key
    assert len(serial.speed.repeats) == 2


def test_cost_and_conditions_are_recorded(finished: AnnRun) -> None:
    one = cell(finished, "coded", code="int8")
    assert one.cost.build_seconds > 0
    assert one.cost.index_bytes == 300 * 8 + 2 * 8 * 4
    assert one.cost.peak_bytes is None or one.cost.peak_bytes > 1e6
    assert one.library.startswith("numpy ")
    assert finished.facts.host["processors"] == os.cpu_count()
    assert finished.facts.data[0].rows == 300


def test_answers_of_every_query_are_kept(finished: AnnRun) -> None:
    one = cell(finished, "coded", code="int8")
    kept = load_queries(finished, one)
    assert kept.query_row.tolist() == list(range(40))
    assert kept.rows.shape == (40, 5)
    assert kept.latency_ns is not None
    assert (kept.latency_ns > 0).all()
    assert kept.recall_tie.mean() == pytest.approx(one.figures["ann.recall_tie@5"].value)
    assert kept.kth_gap.mean() == pytest.approx(one.figures["ann.kth_gap@5"].value)
    assert load_queries(finished, cell(finished, "exact", "batch")).latency_ns is None


def test_a_finished_run_is_an_artifact_whose_bytes_are_checked(finished: AnnRun) -> None:
    artifact = Artifact.open(finished.path, "ann")
    assert artifact.manifest.counts == {"cells": 10, "builds": 3}
    assert artifact.verify() == []


def test_a_second_run_measures_nothing_and_a_longer_one_only_what_is_new(tmp_path: Path, out: Path) -> None:
    before = {file.name: file.stat().st_mtime_ns for file in (out / "cells").iterdir()}
    assert run(bench(tmp_path, EXACT), out) == (0, {"measured": 0, "skipped": 2, "failed": 0})
    assert run(bench(tmp_path, EXACT + CODED), out) == (0, {"measured": 8, "skipped": 2, "failed": 0})
    after = {file.name: file.stat().st_mtime_ns for file in (out / "cells").iterdir()}
    assert before.items() <= after.items()


@pytest.mark.parametrize("folder", ["cells", "per_query"])
def test_a_cell_that_was_changed_is_measured_again(tmp_path: Path, out: Path, folder: str) -> None:
    spoilt = min((out / folder).iterdir())
    spoilt.write_bytes(spoilt.read_bytes() + b" ")
    assert run(bench(tmp_path, EXACT), out) == (0, {"measured": 1, "skipped": 1, "failed": 0})
    Artifact.open(out, "ann")


def test_what_fails_is_said_and_the_rest_is_measured_and_it_is_tried_again(tmp_path: Path) -> None:
    out = tmp_path / "run"
    printed = call("run", bench(tmp_path, IMPOSSIBLE + EXACT), "--out", out)
    assert printed.exit_code == 3
    assert "dimensions is 9" in printed.stdout
    assert "2 failed" in printed.stdout
    (failure, _) = load_ann_run(out).failures
    assert failure.error == "coded: dimensions is 9, but the vectors have 8."
    assert Artifact.open(out).manifest.rejects == {"failed": 2}
    assert run(bench(tmp_path, IMPOSSIBLE + EXACT), out) == (3, {"measured": 0, "skipped": 2, "failed": 2})
    assert run(bench(tmp_path, EXACT), out) == (0, {"measured": 0, "skipped": 2, "failed": 0})


def test_a_build_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    # No interpreter starts in a hundredth of a second, however fast the machine is.
    impatient = "protocol: {repeats: 1, min_seconds: 0, timeout_seconds: 0.01}\n"
    code, counts = run(bench(tmp_path, EXACT, more=impatient), tmp_path / "run")
    assert (code, counts["failed"]) == (3, 1)
    assert "took longer than timeout_seconds, 0.01 s" in load_ann_run(tmp_path / "run").failures[0].error


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds the worker through Linux's /proc")
def test_a_process_that_is_killed_is_a_failure_and_no_end(tmp_path: Path) -> None:
    large = DATA.replace("rows: 300", "rows: 20000").replace("duplicates", "gaussian")
    file = bench(tmp_path, "  - {engine: coded}\n" + EXACT, large)
    killer = threading.Thread(target=kill_worker)
    killer.start()
    code, counts = run(file, tmp_path / "run")
    killer.join()
    assert (code, counts) == (3, {"measured": 2, "skipped": 0, "failed": 2})
    assert load_ann_run(tmp_path / "run").failures[0].error.startswith("the process was ended by signal 9")


def kill_worker() -> None:
    """End the first worker of this process as soon as it is there."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        for children in Path("/proc/self/task").glob("*/children"):
            for pid in children.read_text().split():
                if b"vectors.ann.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(int(pid), signal.SIGKILL)
                    return
        time.sleep(0.02)


def test_judgments_give_figures_of_their_own(tmp_path: Path) -> None:
    pytest.importorskip("ir_measures")
    rng = np.random.default_rng(0)
    np.save(tmp_path / "base.npy", rng.standard_normal((50, 4)).astype(np.float32))
    np.save(tmp_path / "queries.npy", rng.standard_normal((12, 4)).astype(np.float32))
    (tmp_path / "relevance.tsv").write_text("".join(f"{q}\t{q}\t1\n" for q in range(12)))
    data = "  - {name: files, format: npy, path: ., metric: dot}\n"
    assert run(bench(tmp_path, EXACT, data), tmp_path / "run")[0] == 0
    done = load_ann_run(tmp_path / "run")
    exact = cell(done, "exact")
    assert exact.figures["rel.recall@5"] == exact.figures["rel.ceiling.recall@5"]
    assert exact.figures["rel.recall@5"].n == 12
    of_queries = load_queries(done, exact).rel
    assert of_queries.keys() == {name for name in exact.figures if name.startswith("rel.")}
    assert of_queries["rel.ndcg@5"].mean() == pytest.approx(exact.figures["rel.ndcg@5"].value)


def test_what_measures_judgments_is_asked_for_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "base.npy", np.eye(6, dtype=np.float32))
    np.save(tmp_path / "queries.npy", np.eye(6, dtype=np.float32)[:2])
    (tmp_path / "relevance.tsv").write_text("0\t0\t1\n")
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    file = bench(tmp_path, EXACT, "  - {name: files, format: npy, path: ., metric: dot}\n")
    result = call("run", file, "--out", tmp_path / "run")
    assert "pip install 'constraintsuite[ranking]'" in str(result.exception)
    assert not (tmp_path / "run" / "run.json").exists()


def test_a_folder_that_goes_on_elsewhere_is_measured_anew_there(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = bench(tmp_path, EXACT)
    here = describe_host()
    for host, counts in ((here, (0, 2)), ({**here, "processor": "abacus"}, (2, 0)), (here, (0, 2))):
        monkeypatch.setattr("constraintsuite.vectors.ann.host.describe_host", lambda host=host: host)
        assert run(file, out) == (0, {"measured": counts[0], "skipped": counts[1], "failed": 0})
        found = load_ann_run(out)
        assert (
            {each.host["processor"] for each in found.cells} == {host["processor"]} == {found.facts.host["processor"]}
        )
    assert len(list((out / "cells").iterdir())) == 4


def test_vectors_in_a_mapped_file_are_not_copied(tmp_path: Path) -> None:
    np.save(tmp_path / "base.npy", np.eye(6, dtype=np.float32))
    np.save(tmp_path / "queries.npy", np.eye(6, dtype=np.float32)[:2])
    run(bench(tmp_path, EXACT, "  - {name: files, format: npy, path: ., metric: dot}\n"), tmp_path / "run")
    assert list((tmp_path / "run").rglob("base.npy")) == []


def test_a_folder_of_other_things_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("all of it")
    result = call("run", bench(tmp_path, EXACT), "--out", tmp_path / "run")
    assert isinstance(result.exception, UserError)
    assert "thesis.txt: this is not part of the ann" in str(result.exception)
    assert [file.name for file in (tmp_path / "run").iterdir()] == ["thesis.txt"]


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path) -> None:
    result = call("run", bench(tmp_path, EXACT + CODED), "--out", tmp_path / "run", "--dry-run")
    assert result.stdout.splitlines() == [
        "3 builds, 10 cells",
        "points: 300 x 8, 40 queries, 0 MB",
        "memory: about 150 MB (exact on points)",
        "disk: about 0 MB",
    ]
    assert not (tmp_path / "run").exists()


def test_the_printed_example_can_be_run(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text(call("example").stdout)
    result = call("run", tmp_path / "bench.yaml", "--out", tmp_path / "run", "--dry-run", "--json")
    assert json.loads(result.stdout)["builds"] == 4


def test_every_engine_is_listed_with_its_parameters() -> None:
    listed = json.loads(call("engines", "--json").stdout)
    assert {"exact", "faiss", "usearch", "hnswlib", "pgvector", "qdrant"} <= listed.keys()
    assert listed["faiss"]["search"].keys() == {"nprobe", "ef", "k_factor"}
