"""Every command that reads an artifact refuses one whose files are not as its manifest has them, before it does anything."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import constraintsuite as cs
from constraintsuite.cli.main import main
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Silent
from constraintsuite.experiments.ranking.run import RankingPlan, evaluate_retrieval
from constraintsuite.experiments.run import evaluate_suite
from constraintsuite.memory.ingest.growing import ingest_memory
from constraintsuite.memory.private.versions import freeze
from constraintsuite.reports.html import write_report
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.files import write_text
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.neighbours import make_neighbours
from experiments.tiny_suite import write_suite
from memory.private.small_pilot import begun
from tiny_bundle import make_bundle, save_model
from web.artifacts import make_artifacts
from web.site import open_site

pytest.importorskip("torch", reason="torch is not installed")

BENCH = {
    "name": "tiny",
    "k": [5],
    "data": [{"name": "bundle", "format": "bundle", "path": "bundle"}],
    "engines": [{"engine": "exact"}],
}
TUNE = {
    "name": "trial",
    "start": {"model": "models/first"},
    "tasks": [{"name": "rule", "data": {"kind": "suite", "suite": "suite"}, "epochs": 1, "loss": "margin"}],
}
MODEL = "--model cross:models/first,threads=1 --out new"
NEW = "--out new"
VECTORS, NEIGHBOURS = "bundle/vectors/*", "bundle/truth/neighbours-*"
READ = [
    ("suite/examples.jsonl", f"eval suite --model bm25 {NEW}"),
    ("suite/controls.jsonl", f"eval suite --model bm25 {NEW}"),
    ("suite/examples.jsonl", f"retrieve-eval suite --retriever bm25 {NEW}"),
    ("suite/README.md", "suite show suite"),
    ("suite/examples.jsonl", "suite stats suite"),
    ("suite/examples.jsonl", "suite sample suite"),
    ("suite/examples.jsonl", "suite audit suite"),
    ("suite/examples.jsonl", f"suite export suite --format csv {NEW}"),
    ("suite/examples.jsonl", f"gold sample suite {NEW}"),
    ("suite/examples.jsonl", f"answers suite answers.csv --name anna {NEW}"),
    ("suite/examples.jsonl", "compare run other"),
    ("suite/examples.jsonl", "gate run --suite suite --policy policy.yaml"),
    ("suite/examples.jsonl", f"report run {NEW}"),
    ("suite/examples.jsonl", f"explain attribute suite {MODEL}"),
    ("suite/examples.jsonl", f"explain patch suite {MODEL}"),
    ("suite/examples.jsonl", f"explain ablate suite {MODEL}"),
    ("suite/examples.jsonl", f"drift models/first models/second --suite suite {NEW}"),
    ("suite/examples.jsonl", f"tune tune.yaml {NEW}"),
    ("run/scores.jsonl", "compare run other"),
    ("other/summary.json", "gate run --baseline other --policy policy.yaml"),
    ("run/examples.jsonl", f"report run {NEW}"),
    ("run/summary.json", "report run --format csv"),
    ("bundle/corpus/part-00000.parquet", "truth bundle"),
    ("bundle/qrels.parquet", "truth bundle"),
    ("bundle/queries.parquet", "bundle show bundle"),
    ("bundle/corpus/part-00000.parquet", "bundle diff bundle bundle"),
    ("bundle/corpus/part-00000.parquet", f"bundle export bundle --layout jsonl {NEW}"),
    ("bundle/corpus/part-00000.parquet", "embed bundle --model dense:encoder"),
    ("bundle/qrels.parquet", f"ann run bench.yaml {NEW}"),
    (f"{VECTORS}/docs.npy", "truth bundle --knn 3"),
    (f"{VECTORS}/queries.npy", "bundle show bundle"),
    (f"{VECTORS}/encoder.json", "bundle diff bundle bundle"),
    (f"{VECTORS}/docs.npy", f"bundle export bundle --layout msmarco-subset {NEW}"),
    (f"{VECTORS}/docs.npy", f"ann run bench.yaml {NEW}"),
    (f"{VECTORS}/queries.npy", f"ann export bench.yaml --data bundle --to bigann {NEW}"),
    (f"{VECTORS}/docs.npy", "embed plain/bundle --model dense:encoder --reuse bundle"),
    (f"{NEIGHBOURS}/knn.parquet", "bundle show bundle"),
    ("bundle/truth/relevance/judged.parquet", "bundle diff bundle bundle"),
    ("ann/cells/*.json", f"ann report ann {NEW}"),
    ("ann/per_query/*.parquet", "ann compare ann"),
    ("memory/segments/00001.jsonl", "memory show memory"),
    ("memory/segments/00001.jsonl", "memory search memory rent"),
    ("memory/segments/00001.jsonl", "memory feedback memory lease:1 --at now"),
    ("ingested/readings/00001.jsonl", "memory add ingested documents"),
    ("memory/segments/00001.jsonl", "memory remove memory lease"),
    ("memory/segments/00001.jsonl", "memory private drift shadow.jsonl memory memory"),
    ("pilot/versions/1/documents/*.md", "memory private drift shadow.jsonl pilot/versions/1 memory"),
    ("remembered/outcomes.jsonl", "memory compare remembered"),
    ("remembered/summary.json", "memory gate remembered --baseline remembered"),
    ("remembered/outcomes.jsonl", f"memory report remembered {NEW}"),
    ("pilot/versions/1/documents/*.md", "memory private sheet pilot --annotator anna --annotator ben"),
    ("pilot/versions/1/units.jsonl", f"memory private export pilot {NEW}"),
    ("explained/effects/part-00000.parquet", f"explain report explained {NEW}"),
    ("explained/contrasts.jsonl", f"explain attribute explained {MODEL}"),
    ("explained/effects/part-00000.parquet", f"explain patch contrasts.jsonl --guide explained {MODEL}"),
    ("explained/effects/part-00000.parquet", "explain circuit explained --name two"),
    ("explained/circuit/one/circuit.json", f"explain report explained {NEW}"),
    ("moved/drift.json", f"explain report moved {NEW}"),
]
PAGES = [
    ("suite/examples.jsonl", "/suite/suite"),
    ("suite/README.md", "/suite/suite/about"),
    ("run/scores.jsonl", "/run/run"),
    ("ranking/measures.json", "/ranking/ranking"),
    ("report/index.html", "/report/report"),
    ("ann/cells/*.json", "/ann/ann"),
    ("memory/segments/00001.jsonl", "/graph/memory"),
    ("remembered/outcomes.jsonl", "/memory_run/remembered"),
    ("explained/subject.json", "/explain/explained"),
    ("explained/circuit/one/circuit.json", "/circuit/explained/circuit/one"),
    ("moved/drift.json", "/drift/moved"),
    ("tuned/curves.jsonl", "/tune/tuned"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small artifact of each kind; what a test spoils, it puts back."""
    folder = tmp_path_factory.mktemp("made")
    make_artifacts(folder)
    write_text(folder / "suite" / "README.md", "# Tiny\n")
    suite = write_suite(folder / "suite")
    for name, model in (("run", "bm25"), ("other", "tfidf")):
        evaluate_suite(suite, model, folder / name, Silent())
    evaluate_retrieval(suite, RankingPlan("bm25"), folder / "ranking", Silent())
    write_report(suite, [folder / "run"], folder / "report")
    embed_bundle(folder / "bundle", save_model(folder / "encoder"), Silent())
    make_neighbours(folder / "bundle", 5, Silent())
    make_bundle(folder / "plain")
    freeze(begun(folder))
    ingest_memory(folder / "ingested", [folder / "documents"], name="papers")
    write_text(folder / "bench.yaml", json.dumps(BENCH))
    write_text(folder / "tune.yaml", json.dumps(TUNE))
    write_text(folder / "policy.yaml", "rules: [{metric: accuracy, min: 0}]\n")
    write_text(folder / "shadow.jsonl", '{"case": "one", "query": "When is the rent due?"}\n')
    write_text(folder / "answers.csv", "id,answer\n")
    return folder


@contextmanager
def flipped(folder: Path, pattern: str) -> Iterator[Path]:
    """The first file of that name with the lowest bit of its last byte turned, which no reader of the format would notice."""
    file = sorted(folder.glob(pattern))[0]
    before = file.read_bytes()
    file.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
    try:
        yield file
    finally:
        file.write_bytes(before)


def written(folder: Path) -> dict[Path, int]:
    """All files but hidden ones, such as locks, and when each was last written."""
    return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file() and file.name[0] != "."}


def refused(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says that is run in a folder; it must exit with 2 and write nothing."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["csuite", *command.split()])
    before = written(folder)
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert (ended.value.code, written(folder), (folder / "new").exists()) == (2, before, False), told
    return told


@pytest.mark.parametrize(("file", "command"), READ)
def test_a_command_refuses_what_was_changed(
    made: Path, file: str, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with flipped(made, file) as spoilt:
        told = refused(command, made, monkeypatch, capsys)
    last = told.strip().splitlines()[-1]
    assert f"{spoilt.relative_to(made)}: changed since the " in last
    assert "ake it again with `csuite " in last


@pytest.mark.parametrize(("file", "page"), PAGES)
def test_a_page_refuses_what_was_changed(made: Path, file: str, page: str) -> None:
    with flipped(made, file) as spoilt:
        told = open_site(made).visit().get(page, 400).text
    assert f"{spoilt.name}: changed since the " in told


def test_a_notebook_refuses_what_was_changed(made: Path) -> None:
    for load, name in ((cs.load_suite, "suite/examples.jsonl"), (cs.load_run, "run/scores.jsonl")):
        with flipped(made, name) as spoilt, pytest.raises(UserError, match=f"{spoilt.name}: changed since the "):
            load(spoilt.parent)


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("bundle/truth/relevance/judged.parquet", "truth bundle"),
        (f"{NEIGHBOURS}/knn.parquet", "truth bundle --knn 5"),
        (f"{VECTORS}/docs.npy", "embed bundle --model dense:encoder"),
        ("report/index.html", "report run --out report"),
    ],
)
def test_what_a_command_made_itself_is_made_again(
    made: Path, file: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    monkeypatch.setattr(sys, "argv", ["csuite", *command.split()])
    (before,) = (spoilt.read_bytes() for spoilt in made.glob(file))
    with flipped(made, file) as spoilt:
        with pytest.raises(SystemExit) as ended:
            main()
        assert (ended.value.code, spoilt.read_bytes()) == (0, before)
    Artifact.open(made / "bundle" if file.startswith("bundle") else made / "report")


@pytest.mark.parametrize("damage", ["exchanged", "reordered"])
@pytest.mark.parametrize("command", ["truth bundle --knn 3", f"ann run bench.yaml {NEW}"])
def test_vectors_that_belong_to_other_texts_are_refused(
    made: Path, damage: str, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (docs,), (queries,) = made.glob(f"{VECTORS}/docs.npy"), made.glob(f"{VECTORS}/queries.npy")
    before = {file: file.read_bytes() for file in (docs, queries)}
    try:
        if damage == "exchanged":
            docs.write_bytes(before[queries])
            queries.write_bytes(before[docs])
        else:
            np.save(docs, np.load(docs)[::-1])
        told = refused(command, made, monkeypatch, capsys)
    finally:
        for file, content in before.items():
            file.write_bytes(content)
    assert "docs.npy: changed since the vectors were made" in told
