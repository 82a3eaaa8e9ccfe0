"""Every command that reads an artifact refuses one whose files are not as its manifest has them, before it does anything.

The tables hold rows of a file to spoil and a command to run; a command without a row stands in EXEMPT with the reason.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import constraintsuite as cs
from app.web.artifacts import make_artifacts
from app.web.site import open_site
from constraintsuite.app.cli.main import cli, main
from constraintsuite.app.pages.run_report import write_report
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import MANIFEST, Artifact, finish
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.manifest import MADE_BY
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.experiments.ranking.run import RankingPlan, evaluate_retrieval, ranking_folder
from constraintsuite.experiments.run import evaluate_suite, run_folder
from constraintsuite.memory.ingest.growth import ingest_memory
from constraintsuite.memory.private.versions import freeze
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.importers.folder import import_suite
from constraintsuite.suites.recipe import AnalysisSettings, Recipe, SizeSettings
from constraintsuite.tuning.data import prepare
from constraintsuite.tuning.epochs import TrainingFolders
from constraintsuite.tuning.lists import DataContext, read_exclusion
from constraintsuite.tuning.recipe import TuneRecipe
from constraintsuite.tuning.tune import tune_origin
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.msmarco_import import import_folder
from constraintsuite.vectors.neighbours import make_neighbours
from experiments.tiny_suite import write_suite
from golden.bundles import make_seven
from golden.cases import TRIPLE
from golden.importing import SOURCES
from memory.private.small_pilot import begun
from tiny_bundle import make_bundle, save_model

pytest.importorskip("torch", reason="torch is not installed")

BENCH = {
    "name": "tiny",
    "k": [5],
    "data": [{"name": "bundle", "format": "bundle", "path": "bundle"}],
    "engines": [{"engine": "exact"}],
}
TUNE: dict[str, Any] = {
    "name": "trial",
    "start": {"model": "models/first"},
    "tasks": [{"name": "rule", "data": {"kind": "suite", "suite": "suite"}, "epochs": 1, "loss": "margin"}],
}
TRIPLES = {**TUNE, "tasks": [{**TUNE["tasks"][0], "data": {"kind": "triples", "path": "triples.jsonl"}}]}
MODEL = "--model cross:models/first,threads=1 --out new"
NEW = "--out new"
VECTORS, NEIGHBOURS = "bundle/vectors/*", "bundle/truth/neighbours-*"
BUILD = "build --corpus corpus.jsonl --analyser rules --size 10"
SOURCE = "--source source/docs.jsonl --queries source/queries.jsonl --qrels source/qrels.txt"
DOCUMENT = "pilot/versions/1/documents/*.md"
READ = [
    ("stopped/stages/queries/proposals.jsonl", f"{BUILD} --out stopped"),
    ("built/stages/tagged/examples.jsonl", f"{BUILD} --out built"),
    ("bundle/queries.parquet", f"subset {SOURCE} --size 30 --namespace tiny --accept-coverage --out bundle"),
    ("foreign/queries.parquet", "bundle import seven --out foreign"),
    ("ingested/segments/00001.jsonl", "memory ingest documents --name papers --out ingested"),
    ("begun/stages/data/rule/texts.jsonl", "tune triples.yaml --out begun"),
    ("ended/checkpoints/start/model.safetensors", "tune triples.yaml --out ended"),
    (DOCUMENT, "memory private freeze pilot"),
    (DOCUMENT, "gold import pilot answers.csv --annotator anna"),
    (DOCUMENT, "gold status pilot"),
    (DOCUMENT, "gold agree pilot"),
    (DOCUMENT, "gold adjudicate pilot"),
    ("suite/examples.jsonl", f"eval suite --model bm25 {NEW}"),
    ("suite/controls.jsonl", f"eval suite --model bm25 {NEW}"),
    ("suite/examples.jsonl", f"retrieve-eval suite --retriever bm25 {NEW}"),
    ("suite/README.md", "show suite"),
    ("suite/examples.jsonl", "suite stats suite"),
    ("suite/examples.jsonl", "suite sample suite"),
    ("suite/examples.jsonl", "suite audit suite"),
    ("suite/examples.jsonl", "suite criteria suite"),
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
    ("run/scores.jsonl", "baseline save main run --store kept"),
    ("run/examples.jsonl", f"report run {NEW}"),
    ("run/summary.json", "report run --format csv"),
    ("bundle/corpus/part-00000.parquet", "bundle truth bundle"),
    ("bundle/qrels.parquet", "bundle truth bundle"),
    ("bundle/queries.parquet", "show bundle"),
    ("bundle/corpus/part-00000.parquet", "bundle diff bundle bundle"),
    ("bundle/corpus/part-00000.parquet", f"bundle export bundle --layout jsonl {NEW}"),
    ("bundle/corpus/part-00000.parquet", "embed bundle --model dense:encoder"),
    ("bundle/qrels.parquet", f"ann run bench.yaml {NEW}"),
    (f"{VECTORS}/docs.npy", "bundle truth bundle --knn 3"),
    (f"{VECTORS}/queries.npy", "show bundle"),
    (f"{VECTORS}/encoder.json", "bundle diff bundle bundle"),
    (f"{VECTORS}/docs.npy", f"bundle export bundle --layout msmarco-subset {NEW}"),
    (f"{VECTORS}/docs.npy", f"ann run bench.yaml {NEW}"),
    (f"{VECTORS}/queries.npy", f"bundle export bundle --layout bigann {NEW}"),
    (f"{VECTORS}/docs.npy", "embed plain/bundle --model dense:encoder --reuse bundle"),
    (f"{NEIGHBOURS}/knn.parquet", "show bundle"),
    ("bundle/truth/relevance/judged.parquet", "bundle diff bundle bundle"),
    ("ann/cells/*.json", f"report ann {NEW}"),
    ("ann/per_query/*.parquet", "compare ann"),
    ("memory/segments/00001.jsonl", "show memory"),
    ("memory/segments/00001.jsonl", "memory search memory rent"),
    ("memory/segments/00001.jsonl", "memory feedback memory lease:1 --at now"),
    ("ingested/readings/00001.jsonl", "memory add ingested documents"),
    ("memory/segments/00001.jsonl", "memory remove memory lease"),
    ("memory/segments/00001.jsonl", "memory private drift shadow.jsonl memory memory"),
    (DOCUMENT, "memory private drift shadow.jsonl pilot/versions/1 memory"),
    ("remembered/outcomes.jsonl", "compare remembered"),
    ("remembered/outcomes.jsonl", f"report remembered {NEW}"),
    ("remembered/summary.json", "gate remembered --baseline remembered"),
    (DOCUMENT, f"gold sheet pilot --annotator anna {NEW}"),
    ("pilot/versions/1/units.jsonl", f"gold export pilot {NEW}"),
    ("explained/effects/part-00000.parquet", f"report explained {NEW}"),
    ("explained/contrasts.jsonl", f"explain attribute explained {MODEL}"),
    ("explained/effects/part-00000.parquet", f"explain patch contrasts.jsonl --guide explained {MODEL}"),
    ("explained/effects/part-00000.parquet", "explain circuit explained --name two"),
    ("explained/effects/part-00000.parquet", "compare explained"),
    ("explained/circuit/one/circuit.json", f"report explained {NEW}"),
    ("moved/drift.json", f"report moved {NEW}"),
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
VERIFIED = [
    ("suite/examples.jsonl", "verify suite"),
    ("bundle/queries.parquet", "verify bundle"),
    (f"{VECTORS}/docs.npy", "verify bundle"),
    ("memory/segments/00001.jsonl", "verify memory"),
    ("explained/effects/part-00000.parquet", "verify explained"),
    ("explained/circuit/one/circuit.json", "verify explained"),
]
"""What reports faults instead of refusing them."""
WRITTEN = [
    ("bundle/truth/relevance/judged.parquet", "bundle truth bundle"),
    (f"{NEIGHBOURS}/knn.parquet", "bundle truth bundle --knn 5"),
    (f"{VECTORS}/docs.npy", "embed bundle --model dense:encoder"),
    ("foreign/vectors/*/docs.npy", "bundle import seven --out foreign"),
    ("report/index.html", "report run --out report"),
    ("imported/examples.jsonl", "import nevir test.jsonl --out imported"),
    ("runs/**/scores.jsonl", "eval suite --model bm25 --out runs"),
    ("runs/**/measures.json", "retrieve-eval suite --retriever bm25 --out runs"),
]
"""What a command made itself, and makes again."""
_NONE = "reads no artifact"
_STATE = "reads the state of a memory, which is a file of its own beside the graph"
_BENCHMARK = "reads files of a benchmark; the run it leaves is written as that of `eval` is"
_OWN_RUN = "reads only the run that it has just made, as `compare` does"
EXEMPT = {
    **dict.fromkeys(("doctor", "fetch", "models"), _NONE),
    **dict.fromkeys(("corpus", "propose", "plan", "text audit", "text explain"), _NONE),
    **dict.fromkeys(("ann engines", "ann example", "memory modes", "memory private init"), _NONE),
    **dict.fromkeys(("baseline list", "baseline remove"), "reads names only; `gate` verifies the run that it opens"),
    "quickstart": "calls what `build`, `eval` and `report` call",
    "serve": "reads through its pages, which have a table of their own",
    **dict.fromkeys(("memory state", "memory snapshot", "memory restore"), _STATE),
    **dict.fromkeys(("memory bench", "memory eval"), _BENCHMARK),
    **dict.fromkeys(("memory ablate", "memory hypotheses"), _OWN_RUN),
}
"""Commands without a row, and why."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small artifact of each kind; what a test spoils, it puts back."""
    folder = tmp_path_factory.mktemp("made")
    make_artifacts(folder)
    write_text(folder / "suite" / "README.md", "# Tiny\n")
    suite = write_suite(folder / "suite")
    for name, model in (("run", "bm25"), ("other", "tfidf")):
        evaluate_suite(suite, model, folder / name, Silent())
    evaluate_suite(suite, "bm25", run_folder(folder / "runs", "suite", "bm25"), Silent())
    plan = RankingPlan("bm25")
    for place in (folder / "ranking", ranking_folder(folder / "runs", suite, plan)):
        evaluate_retrieval(suite, plan, place, Silent())
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
    _make_suites(folder)
    _make_trainings(folder)
    make_seven(folder)
    import_folder(folder / "seven", folder / "foreign", "cosine")
    return folder


def _make_suites(folder: Path) -> None:
    """`stopped` and `built`: builds that were stopped, after the queries and before the suite was put together; `imported`."""
    shutil.copyfile(Path(__file__).parent / "golden" / "corpus.jsonl", folder / "corpus.jsonl")
    source = SourceSettings(source="corpus.jsonl")
    recipe = Recipe(corpus=source, analysis=AnalysisSettings(analyser="rules"), sizes=SizeSettings(main=10))
    with contextlib.chdir(folder):
        build_suite(recipe, Path("stopped"), reporter=Silent(), until="queries")
        build_suite(recipe, Path("built"), reporter=Silent())
    (folder / "built" / MANIFEST).unlink()
    write_text(folder / "test.jsonl", SOURCES["nevir"]["test.jsonl"])
    import_suite("nevir", str(folder / "test.jsonl"), folder / "imported")


def _make_trainings(folder: Path) -> None:
    """`begun`: a training that was stopped when its data were prepared; `ended`: one that is finished, with a checkpoint."""
    with contextlib.chdir(folder):
        write_text(Path("triples.jsonl"), TRIPLE)
        write_text(Path("triples.yaml"), json.dumps(TRIPLES))
        recipe = TuneRecipe.read(Path("triples.yaml"))
        origin = tune_origin(recipe)
        write_text(Path("begun/.working"), origin.fingerprint)
        data = TrainingFolders(Path("begun")).data("rule")
        prepare(recipe.tasks[0], (), data, DataContext(read_exclusion(()), Silent()))
        write_text(Path("ended/checkpoints/start/model.safetensors"), "{}\n")
        finish(Path("ended"), origin, {}, {}, 1.0)


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
    before = written(folder)
    code = run(command, folder, monkeypatch)
    told = capsys.readouterr().err
    assert (code, written(folder), (folder / "new").exists()) == (2, before, False), told
    return told


def run(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """The exit code of a command that is run in a folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["csuite", *command.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def artifact_of(file: Path) -> Path:
    """The folder of the artifact in which a file lies."""
    return next(folder for folder in file.parents if (folder / MANIFEST).is_file())


def leaf_commands(name: str = "", command: click.Command = cli) -> Iterator[str]:
    """The full names of all commands that do something themselves, without the groups."""
    if not isinstance(command, click.Group):
        yield name
        return
    context = click.Context(command)
    for below in command.list_commands(context):
        found = command.get_command(context, below)
        assert found is not None
        yield from leaf_commands(f"{name} {below}".strip(), found)


def test_every_command_has_a_row_or_a_reason_why_not() -> None:
    leaves = set(leaf_commands())
    rows = [command for _, command in (*READ, *VERIFIED, *WRITTEN)]
    covered = {leaf for leaf in leaves if any(f"{row} ".startswith(f"{leaf} ") for row in rows)}
    forgotten = leaves - covered - EXEMPT.keys()
    assert not forgotten, f"Write a row for {sorted(forgotten)}, or say in EXEMPT why it needs none."
    assert not EXEMPT.keys() & covered, "EXEMPT names what has a row: take it out."
    assert EXEMPT.keys() <= leaves, "EXEMPT names what is no longer there: take it out."


def test_every_kind_of_artifact_has_a_row(made: Path) -> None:
    spoilt = {sorted(made.glob(file))[0] for file, _ in (*READ, *PAGES, *VERIFIED, *WRITTEN)}
    kinds = {Artifact.open_unverified(artifact_of(file)).manifest.kind for file in spoilt}
    assert kinds == MADE_BY.keys()


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


@pytest.mark.parametrize(("file", "command"), VERIFIED)
def test_a_check_tells_what_was_changed(
    made: Path, file: str, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with flipped(made, file) as spoilt:
        code = run(command, made, monkeypatch)
    assert code == 1
    assert f"{spoilt.name}: changed since it was written" in capsys.readouterr().out


@pytest.mark.parametrize(("file", "command"), WRITTEN)
def test_what_a_command_made_itself_is_made_again(
    made: Path, file: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (before,) = (spoilt.read_bytes() for spoilt in made.glob(file))
    with flipped(made, file) as spoilt:
        assert (run(command, made, monkeypatch), spoilt.read_bytes()) == (0, before)
    Artifact.open(artifact_of(spoilt))


@pytest.mark.parametrize("damage", ["exchanged", "reordered"])
@pytest.mark.parametrize("command", ["bundle truth bundle --knn 3", f"ann run bench.yaml {NEW}"])
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
