"""From the command line to the run folder, with real servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli import evaluate as commands
from experiments.tiny_suite import write_suite
from models.http.servers import KEY, Server, overlap


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RERANK_KEY", KEY)
    return write_suite(tmp_path / "suite")


def evaluate(suite: Path, model: str, out: str = "runs") -> Path:
    arguments = [str(suite), "--out", str(suite.parent / out), "--model", model, "--json"]
    result = CliRunner().invoke(commands.eval_command, arguments, catch_exceptions=False)
    (entry,) = json.loads(result.stdout)
    return Path(entry["run"])


@pytest.mark.parametrize(
    "name",
    [
        "http:{}/v2/rerank,model=m,key_env=RERANK_KEY",
        "http:{}/rerank,batch=1",
        "http:{}/v1/embeddings",
        "listwise:m,url={}/v1",
    ],
)
def test_a_server_is_evaluated_through_faults_and_a_rerun_is_the_same_bytes(
    server: Server, suite: Path, name: str
) -> None:
    server.faults.extend(["429 0", "", "503 0", ""])
    run = evaluate(suite, name.format(server.url("")))
    assert KEY not in "".join(file.read_text() for file in run.iterdir() if file.is_file())
    events = json.loads((run / "environment.json").read_text())["events"]
    assert [event.rpartition(": ")[2] for event in events] == [
        "1 request repeated after 429 Too Many Requests",
        "1 request repeated after 503 Service Unavailable",
    ]
    before = len(server.requests)
    again = evaluate(suite, name.format(server.url("")), out="again")
    assert len(server.requests) == before
    assert json.loads((again / "manifest.json").read_text()) == json.loads((run / "manifest.json").read_text())


def test_the_scores_of_a_run_are_the_servers(server: Server, suite: Path) -> None:
    run = evaluate(suite, f"http:{server.url('/rerank')},format=tei")
    given = {
        (asked.body["query"], overlap(asked.body["query"], text))
        for asked in server.requests
        for text in asked.body["texts"]
    }
    rows = [json.loads(line) for line in (run / "scores.jsonl").read_text().splitlines()]
    assert {(row["query"], row["score"]) for row in rows} == given
    assert json.loads((run / "model.json").read_text())["format"] == "tei"


def test_a_model_that_only_minds_the_order_gets_nothing_right(server: Server, suite: Path) -> None:
    server.prefers = "first"
    run = evaluate(suite, f"listwise:m,url={server.url('/v1')}")
    metrics = json.loads((run / "summary.json").read_text())["overall"]["metrics"]
    assert (metrics["accuracy"]["value"], metrics["tie_rate"]["value"]) == (0.0, 1.0)
    assert json.loads((run / "model.json").read_text())["position_bias"]["bias"] == 1.0
