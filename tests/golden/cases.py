"""Small results of every stage and of the kinds of artifacts that any machine computes alike; and which kinds those are not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.app.pages.run_report import write_report
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import ENVIRONMENT
from constraintsuite.core.store.files import sha256_text, write_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.experiments.ranking.run import RankingPlan, evaluate_retrieval
from constraintsuite.experiments.run import evaluate_suite
from constraintsuite.memory.index import INDEX
from constraintsuite.memory.ingest.growth import ingest_memory
from constraintsuite.memory.private.versions import freeze
from constraintsuite.suites.build import STAGES, build_suite
from constraintsuite.suites.recipe import (
    AnalysisSettings,
    DocumentSettings,
    PairSettings,
    QuerySettings,
    Recipe,
    SizeSettings,
)
from constraintsuite.tuning.data import prepare
from constraintsuite.tuning.lists import DataContext, read_exclusion
from constraintsuite.tuning.recipe import TaskSettings
from constraintsuite.vectors.relevance import make_relevance
from golden.bundles import make_encoder, make_imported_bundle, rank_texts, ranked_texts, stop_subset, written_graph
from golden.content import content, page_content
from golden.importing import SOURCES, import_all
from memory.private.small_pilot import begun
from memory.runs.made_outcomes import made_run, outcomes
from tiny_bundle import make_bundle

HERE = Path(__file__).parent
DOCUMENTS = HERE.parent / "memory" / "ingest" / "data" / "documents"
TABLE = "src/constraintsuite/core/store/revisions.py"
PIPELINE = "src/constraintsuite/suites/build.py"
TRIPLE = '{"query": "soup without nuts", "positive": "A soup of leeks.", "negative": "A soup of leeks and nuts."}\n'


@dataclass(frozen=True)
class Case:
    """One result: what is raised when it changes, which other cases it is made of, and how its content is found."""

    kind: str
    content: Callable[[Path], str]
    """From the folder in which all cases were made."""
    reads: tuple[str, ...] = ()

    @property
    def revision(self) -> int:
        """As it is declared."""
        declared = {f"stage {stage.name}": stage.revision for stage in STAGES}
        return declared[self.kind] if self.kind in declared else REVISIONS[self.kind].number

    @property
    def place(self) -> str:
        """Where it is declared."""
        return PIPELINE if self.kind.startswith("stage ") else TABLE


def _folder(name: str) -> Callable[[Path], str]:
    return lambda made: content(made / name)


def _terms(made: Path) -> str:
    """Behind the first line, which names the versions of libraries."""
    return sha256_text((made / "graph" / INDEX).read_bytes().partition(b"\n")[2].hex())


CASES = {
    **{stage.name: Case(f"stage {stage.name}", _folder(f"suite/stages/{stage.name}"), stage.needs) for stage in STAGES},
    "suite": Case("suite", _folder("suite"), tuple(stage.name for stage in STAGES)),
    "imported suite": Case("imported suite", _folder("from nevir")),  # the other formats are below
    "run of bm25": Case("run", _folder("bm25"), ("suite",)),
    "run of tfidf": Case("run", _folder("tfidf"), ("suite",)),
    "ranking": Case("ranking", _folder("ranking"), ("suite",)),
    "report": Case("report", lambda made: page_content(made / "report"), ("suite", "run of bm25", "run of tfidf")),
    "training data": Case("training data", _folder("lists")),
    "bundle": Case("bundle", _folder("bundle")),
    "truth": Case("truth", _folder("bundle/truth/relevance"), ("bundle",)),
    "memory readings": Case("memory readings", _folder("graph/readings")),
    "graph": Case("graph", _folder("graph/segments"), ("memory readings",)),
    "memory terms": Case("memory terms", _terms, ("graph",)),
    "memory run": Case("memory_run", _folder("remembered")),
    "snapshot": Case("snapshot", _folder("pilot/versions/1")),
    **{f"imported from {name}": Case("imported suite", _folder(f"from {name}")) for name in SOURCES if name != "nevir"},
    "imported bundle": Case("bundle", _folder("imported bundle")),
    "imported vectors": Case("vectors", _folder("imported bundle/vectors"), ("imported bundle",)),
    "neighbours": Case("truth", _folder("imported bundle/truth"), ("imported bundle", "imported vectors")),
    "cell of texts": Case("cell of texts", ranked_texts, ("imported bundle",)),
    "subset work": Case("subset work", _folder("stopped/stages")),
    "onnx graph": Case("onnx graph", written_graph),
}
_MODEL, _CLOCK = "a neural model decides it", "a clock decides it"
EXEMPT: Mapping[str, str] = {
    "ann": _CLOCK,
    "cell": _CLOCK,
    "arrays": _MODEL,
    "embedding shard": _MODEL,
    "tune": _MODEL,
    "explain": _MODEL,
    "circuit": _MODEL,
    "drift": _MODEL,
}
"""Kinds that have no case, and why: another machine would compute other bytes from the same code."""


def make_all(folder: Path) -> None:
    """Make every case in a folder."""
    shutil.copyfile(HERE / "corpus.jsonl", folder / "corpus.jsonl")
    recipe = Recipe(
        name="golden",
        corpus=SourceSettings(source=str(folder / "corpus.jsonl")),
        documents=DocumentSettings(shards=2),
        analysis=AnalysisSettings(analyser="rules"),
        queries=QuerySettings(min_topic_documents=2, min_affirming=1, min_denying=1),
        pairs=PairSettings(open_omission=True),
        sizes=SizeSettings(main=30, nonflip=10, adversarial=10, gold=5),
    )
    suite = build_suite(recipe, folder / "suite", reporter=Silent()).path
    bundle = make_bundle(folder)
    make_relevance(bundle)
    import_all(folder)
    for model in ("bm25", "tfidf"):
        evaluate_suite(suite, model, folder / model, Silent())
        write_text(folder / model / ENVIRONMENT, "{}\n")  # a report shows it: when, where, which versions
    evaluate_retrieval(suite, RankingPlan("bm25"), folder / "ranking", Silent())
    write_text(suite / ENVIRONMENT, "{}\n")
    write_report(suite, [folder / "bm25", folder / "tfidf"], folder / "report")
    write_text(folder / "triples.jsonl", TRIPLE)
    data = {"kind": "triples", "path": str(folder / "triples.jsonl")}
    task = TaskSettings.model_validate({"name": "rule", "data": data, "loss": "margin"})
    prepare(task, (), folder / "lists", DataContext(read_exclusion(()), Silent()))
    ingest_memory(folder / "graph", [DOCUMENTS], name="papers")
    made_run(folder / "remembered", [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "11" * 10)])
    freeze(begun(folder))
    make_imported_bundle(folder)
    rank_texts(folder)
    stop_subset(folder)
    make_encoder(folder)
