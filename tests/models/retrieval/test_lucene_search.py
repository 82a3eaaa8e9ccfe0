"""Real Lucene indexes, made and searched here; skipped where Pyserini or its Java is missing (`make test-lucene`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.main import cli
from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.models.retrieval.base import Hit
from constraintsuite.models.retrieval.bm25 import Bm25Retriever
from constraintsuite.models.retrieval.lucene import LuceneRetriever, identify_index, require_lucene
from constraintsuite.suites.recipe import CandidateSettings
from constraintsuite.suites.stages.candidates import read_pools

try:
    require_lucene()
except UserError as error:
    pytest.skip(f"no Lucene here: {error}", allow_module_level=True)

# Pyserini imports half of the machine-learning world, whose warnings are not ours.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.slow]

TEXTS = {
    "a": "leek soup",
    "b": "cream of leek soup with cream",
    "c": "nut salad",
    "d": "leek salad, nut pasta and a long list of other dishes",
    "e": "leek soup",
}
TIED = {f"{number:03}": "leek soup" if number < 150 else "leek soup with salt" for number in range(300)}


def make_index(folder: Path, texts: Mapping[str, str]) -> Path:
    """An index as a user makes it, with Pyserini's own command."""
    documents, index = folder / "documents", folder / "index"
    documents.mkdir()
    lines = [json.dumps({"id": name, "contents": text}) for name, text in texts.items()]
    (documents / "documents.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = {"collection": "JsonCollection", "input": documents, "index": index, "threads": 1}
    arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "pyserini.index.lucene", "--generator", "DefaultLuceneDocumentGenerator"]
    subprocess.run([*command, *arguments], check=True, capture_output=True, timeout=120)
    return index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_index(tmp_path_factory.mktemp("small"), TEXTS))


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_index(tmp_path_factory.mktemp("tied"), dict(reversed(TIED.items()))))


def ranked(hits: list[Hit]) -> list[tuple[str, int]]:
    return [(hit.document, hit.rank) for hit in hits]


@pytest.mark.parametrize("query", ["leek", "cream leek", "nut salad", "salads", "leek leek nut"])
@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.6, 0.0)])
def test_lucene_ranks_and_scores_as_bm25_in_memory_does(index: str, query: str, k1: float, b: float) -> None:
    expected = Bm25Retriever(list(TEXTS), list(TEXTS.values()), k1=k1, b=b).search(query, 5)
    hits = LuceneRetriever(index, TEXTS, k1=k1, b=b).search(query, 5)
    assert ranked(hits) == ranked(expected)
    assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected], abs=1e-4)


@pytest.mark.parametrize("query", ["", "the", "zebra", "\x00", "😀"])
def test_a_query_without_a_known_term_finds_nothing(index: str, query: str) -> None:
    assert LuceneRetriever(index, TEXTS).search(query, 5) == []


@pytest.mark.parametrize("query", ["leek", "leek " * 200 + "salt"])
@pytest.mark.parametrize("k", [1, 149, 150, 200, 400])
def test_many_equal_scores_stand_in_the_order_of_ids_at_every_depth(tied: str, query: str, k: int) -> None:
    expected = Bm25Retriever(list(TIED), list(TIED.values())).search(query, k)
    hits = LuceneRetriever(tied, TIED).search(query, k)
    assert ranked(hits) == ranked(expected)
    assert len({hit.score for hit in hits}) == len({TIED[hit.document] for hit in hits})


def test_what_the_corpus_does_not_hold_is_passed_over(tied: str) -> None:
    retriever = LuceneRetriever(tied, ["007", "149", "299", "elsewhere"])
    assert retriever.shared == 3
    assert ranked(retriever.search("leek", 2)) == [("007", 1), ("149", 2)]


def test_an_index_of_other_documents_is_refused_with_counts(index: str) -> None:
    with pytest.raises(UserError, match=r"none of the 2 document ids of the corpus \(such as 'x'\) is among the 5 of"):
        LuceneRetriever(index, ["x", "y"])


def test_no_key_is_left_in_the_environment(index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    LuceneRetriever(index, TEXTS)
    assert "OPENAI_API_KEY" not in os.environ


def test_a_prebuilt_index_is_known_by_its_name_and_the_version() -> None:
    assert identify_index("msmarco-v1-passage").startswith("msmarco-v1-passage@pyserini-")


def test_a_misspelt_prebuilt_index_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no prebuilt BM25 index of this name\. Did you mean 'msmarco-v1-passage'\?"):
        identify_index("msmarco-v1-pasage")


def test_a_prebuilt_index_that_cannot_be_stored_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PYSERINI_CACHE", str(tmp_path / "file"))
    with pytest.raises(UserError, match=r"cacm: this prebuilt index is not in .*file and could not be downloaded"):
        LuceneRetriever("cacm", TEXTS)


def test_a_broken_index_is_told(tmp_path: Path) -> None:
    (tmp_path / "segments_1").write_text("nothing that Lucene wrote")
    with pytest.raises(UserError, match="Lucene cannot open this index: JVM exception occurred"):
        LuceneRetriever(str(tmp_path), TEXTS)


def build(recipe: Path, out: Path) -> Result:
    arguments = ["build", str(recipe), "--out", str(out), "--until", "candidates"]
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


@pytest.fixture(scope="module")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = open_source(SourceSettings(source="sample")).documents(BadRows())
    return make_index(tmp_path_factory.mktemp("sample"), {d.id: f"{d.title} {d.text}" for d in documents})


def test_a_build_takes_its_pools_from_the_index_and_records_which(sample_index: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        f"corpus: {{source: sample}}\nanalysis: {{analyser: rules}}\ncandidates: {{engine: 'lucene:{sample_index}'}}\n"
    )
    result = build(recipe, tmp_path / "suite")
    assert result.exit_code == 0, result.output
    stage = tmp_path / "suite" / "stages" / "candidates"
    manifest = json.loads((stage / "manifest.json").read_text())
    assert manifest["settings"]["candidates"]["index"] == identify_index(str(sample_index))
    pool = next(read_pools(stage))
    ids = [document.id for document in open_source(SourceSettings(source="sample")).documents(BadRows())]
    found = LuceneRetriever(str(sample_index), ids).search(pool.query, 200)
    assert pool.documents == tuple(hit.document for hit in found)


def test_another_index_in_the_same_place_is_another_setting(tmp_path: Path) -> None:
    place = make_index(tmp_path, TEXTS)
    before = CandidateSettings(engine=f"lucene:{place}").index
    place.rename(tmp_path / "old")
    (tmp_path / "documents").rename(tmp_path / "old-documents")
    make_index(tmp_path, TEXTS)
    assert CandidateSettings(engine=f"lucene:{place}").index != before
