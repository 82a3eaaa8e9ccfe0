"""Whole commands on a real cluster of two nodes, one of which is lost on the way: the bytes are those of one process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.main import cli
from constraintsuite.core.store.artifact import read_manifest
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source
from core.execution.two_nodes import TwoNodes, start_two_nodes
from core.store.s3_server import BUCKET, Server, s3_server
from tiny_bundle import make_bundle, save_model

SHARDS = 4


@pytest.fixture(scope="module")
def bucket() -> Iterator[Server]:
    with s3_server() as server:
        server.empty()
        yield server


@pytest.fixture(scope="module")
def machines(bucket: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Settings of the two nodes, and of the machine of the command: each has a cache of its own, and all see the bucket."""
    store = {"AWS_ENDPOINT_URL": bucket.url, "AWS_ACCESS_KEY_ID": "anyone", "AWS_SECRET_ACCESS_KEY": "anything"}
    caches = tmp_path_factory.mktemp("caches")
    return {name: {**store, "CSUITE_CACHE": str(caches / name)} for name in ("first", "second", "own")}


@pytest.fixture(scope="module")
def nodes(machines: dict[str, dict[str, str]]) -> Iterator[TwoNodes]:
    pytest.importorskip("ray", reason="needs the extra [ray]")
    with start_two_nodes(machines["first"], machines["second"]) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipe")
    write_jsonl(folder / "docs.jsonl", list(open_source(SourceSettings(source="sample")).documents(BadRows()))[:80])
    settings = {"corpus": {"source": str(folder / "docs.jsonl")}, "analysis": {"analyser": "rules"}}
    (folder / "ours.yaml").write_text(json.dumps(settings | {"documents": {"shards": SHARDS}}))
    return folder / "ours.yaml"


@pytest.fixture(scope="module")
def suite(recipe: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one process makes of the corpus."""
    folder = tmp_path_factory.mktemp("one") / "suite"
    alone("build", recipe, "--out", folder)
    return folder


def csuite(*arguments: object, **settings: str) -> str:
    """Run a command, with models of one thread, as a node has one processor to give."""
    settings = {"CSUITE_THREADS": "1", **settings}
    command = [sys.executable, "-m", "constraintsuite", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **settings})
    assert done.returncode == 0, done.stderr
    assert "raylet" not in done.stdout + done.stderr  # Ray's own words on a node that is lost
    return done.stderr


def alone(*arguments: object, **settings: str) -> None:
    """Run a command in this process, with one thread too: what the nodes are compared with."""
    done = CliRunner().invoke(cli, [*map(str, arguments)], env={"CSUITE_THREADS": "1", **settings})
    assert done.exit_code == 0, done.output


@contextmanager
def losing_a_node(nodes: TwoNodes, folder: Path, pattern: str) -> Iterator[None]:
    """While the second node works on a shard, it is gone for good; afterwards there is a new one.

    That is, once there is the folder of the shards. The first node is held up until then, or it might be through with all.
    """
    ended = threading.Event()
    seized: list[int] = []

    def lose() -> None:
        held = None
        while not ended.is_set() and not seized:
            time.sleep(0.002)
            if any(folder.glob(pattern)):
                held = held or nodes.seize_worker(second=False)
                worker = nodes.seize_worker(second=True)
                seized.extend([worker] if worker else [])
        nodes.lose_second()
        for process in seized:
            os.kill(process, signal.SIGKILL)
        if held:
            os.kill(held, signal.SIGCONT)

    fate = threading.Thread(target=lose)
    fate.start()
    try:
        yield
    finally:
        ended.set()
        fate.join()
        nodes.join_again()
    assert seized, "no shard was under way on the second node"


def contents(folder: Path) -> dict[str, str]:
    """The hash of every artifact in a folder."""
    found = {path.parent: read_manifest(path.parent) for path in folder.rglob("manifest.json")}
    return {str(path.relative_to(folder)): manifest.content for path, manifest in found.items() if manifest}


def test_a_build(nodes: TwoNodes, recipe: Path, suite: Path, tmp_path: Path) -> None:
    with losing_a_node(nodes, tmp_path, "stages/mentions"):
        csuite("build", recipe, "--out", tmp_path, "--engine", "ray", "--address", nodes.address)
    assert contents(tmp_path) == contents(suite)


def test_an_evaluation(nodes: TwoNodes, tmp_path: Path) -> None:
    pair = {"q1": "Which soup has cream?", "q2": "Which soup has no cream?", "doc1": "With cream.", "doc2": "No cream."}
    rows = [{"id": f"{n}-0", "WorkerId": 0} | {key: f"{text} {n}" for key, text in pair.items()} for n in range(1_100)]
    write_jsonl(tmp_path / "nevir.jsonl", rows)
    alone("import", "nevir", tmp_path / "nevir.jsonl", "--out", tmp_path / "suite")  # two shards of pairs
    score = ("eval", tmp_path / "suite", "--model", "cross:tiny", "--out")
    alone(*score, tmp_path / "one", CSUITE_CACHE=str(tmp_path / "cache"))
    folder = tmp_path / "two" / "suite" / "cross-tiny"
    with losing_a_node(nodes, folder, "**/stages"):
        csuite(*score, tmp_path / "two", "--engine", "ray", "--address", nodes.address)
    assert contents(tmp_path / "two") == contents(tmp_path / "one")


def test_an_embedding_and_its_neighbours(nodes: TwoNodes, tmp_path: Path) -> None:
    model = save_model(tmp_path / "model")
    one, two = make_bundle(tmp_path / "one" / "bundle"), make_bundle(tmp_path / "two" / "bundle")
    spread = ("--engine", "ray", "--address", nodes.address)
    alone("embed", one, "--model", model, "--shard-rows", 1)
    alone("bundle", "truth", one, "--knn", 3)
    with losing_a_node(nodes, two / "vectors", "*/stages"):
        csuite("embed", two, "--model", model, "--shard-rows", 1, *spread)
    csuite("bundle", "truth", two, "--knn", 3, *spread)
    assert contents(two) == contents(one)


def test_a_build_whose_command_is_killed_and_started_again(
    nodes: TwoNodes, recipe: Path, suite: Path, tmp_path: Path
) -> None:
    spread = ("build", recipe, "--out", tmp_path, "--engine", "ray", "--address", nodes.address)
    with subprocess.Popen([sys.executable, "-m", "constraintsuite", *map(str, spread)]) as process:
        while not any((tmp_path / "stages" / "mentions").glob("*.outcome.json")):
            time.sleep(0.02)
        process.kill()
    assert not (tmp_path / "manifest.json").exists()
    csuite(*spread)
    assert contents(tmp_path) == contents(suite)


def test_a_build_of_nodes_that_share_nothing_but_a_bucket(
    bucket: Server, machines: dict[str, dict[str, str]], nodes: TwoNodes, recipe: Path, suite: Path
) -> None:
    url = f"s3://{BUCKET}/suites/ours"
    csuite("build", recipe, "--out", url, "--engine", "ray", "--address", nodes.address, **machines["own"])
    objects = bucket.objects()
    files = {path.name: path for path in suite.glob("*.json*")}
    there = {name: objects[f"suites/ours/{name}"] for name in files if name != "environment.json"}
    assert there == {name: file.read_bytes() for name, file in files.items() if name != "environment.json"}
    parts = "mirrors/*/ours/stages/mentions/part-*.jsonl"
    read = [path.name for node in ("first", "second") for path in Path(machines[node]["CSUITE_CACHE"]).glob(parts)]
    assert len(read) == len(set(read)) == SHARDS  # each shard came to one node, and to no other


def test_an_embedding_of_nodes_that_share_nothing_but_a_bucket(
    bucket: Server, machines: dict[str, dict[str, str]], nodes: TwoNodes, tmp_path: Path
) -> None:
    own = machines["own"]
    model = save_model(tmp_path / "model")
    one = make_bundle(tmp_path)
    embed = ("--model", model, "--shard-rows", 7)
    alone("embed", one, *embed)
    url = f"s3://{BUCKET}/bundle"
    files = {"--source": "docs.jsonl", "--queries": "queries.jsonl", "--qrels": "qrels.txt"}
    given = [each for option, name in files.items() for each in (option, tmp_path / "source" / name)]
    csuite("subset", *given, "--size", 30, "--namespace", "tiny", "--accept-coverage", "--out", url, **own)
    csuite("embed", url, *embed, "--engine", "ray", "--address", nodes.address, **own)
    objects = bucket.objects()
    vectors = [path.relative_to(one).as_posix() for path in (one / "vectors").rglob("*.npy")]
    assert vectors
    assert {name: objects[f"bundle/{name}"] for name in vectors} == {
        name: (one / name).read_bytes() for name in vectors
    }
    # What was only needed on the way is gone there too.
    assert not [name for name in objects if name.startswith("bundle/") and "/stages/" in name]
