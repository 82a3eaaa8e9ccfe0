"""The stage that reads a corpus: what it rejects and clusters does not depend on holding the texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.corpus.files import read_table
from constraintsuite.suites.recipe import DocumentSettings, Recipe
from constraintsuite.suites.stages.documents import CLUSTERS, read_clusters, read_documents, read_some, work

SOUP = "The broth simmers for three hours with bay leaves and a good handful of white peppercorns until it turns gold"
BARN = "Dogs are welcome on the upper meadow all year round and the warden keeps a bowl of water by the gate"
TEXTS = {
    "soup": SOUP,
    "barn": BARN,
    "soup with salt": f"{SOUP} and salty",
    "brown barn": f"{BARN} of the barn",
    "soup with pepper": f"{SOUP} and hot",
    "mill": "The old mill by the river grinds rye and wheat for all the bakers of the valley since long ago",
}


def read_corpus(folder: Path, documents: Sequence[Document], shards: int) -> tuple[Path, WorkCounts]:
    write_jsonl(folder / "docs.jsonl", documents)
    source = SourceSettings(source=str(folder / "docs.jsonl"))
    out = folder / "documents"
    out.mkdir()
    recipe = Recipe(corpus=source, documents=DocumentSettings(shards=shards))
    return out, work(Job(recipe, out, {}, LocalEngine(), Silent()))


@pytest.mark.parametrize("shards", [1, 3])
def test_clusters_are_those_of_all_texts_together(tmp_path: Path, shards: int) -> None:
    out, outcome = read_corpus(tmp_path, [Document(name, text) for name, text in TEXTS.items()], shards)
    assert dict(read_table(out / CLUSTERS)) == {
        "soup with salt": "soup",
        "brown barn": "barn",
        "soup with pepper": "soup",
    }
    assert read_clusters(out, {"brown barn", "mill"}) == {"brown barn": "barn"}
    assert outcome.counts["near-duplicates"] == 3


@pytest.mark.parametrize("run", [1, 2, 100])
def test_near_duplicates_are_written_by_id_however_few_are_sorted_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: int
) -> None:
    monkeypatch.setattr("constraintsuite.suites.stages.documents.RUN", run)
    names = ["m", "z", "\U0001f375", "b", "ab", "a", "\uffee"]
    out, _ = read_corpus(tmp_path, [Document(name, f"{SOUP} {name}") for name in names], 3)
    expected = ["a", "ab", "b", "z", "\uffee", "\U0001f375"]
    assert list(read_table(out / CLUSTERS)) == [(name, "m") for name in expected]


def test_a_corpus_without_near_duplicates_has_an_empty_table(tmp_path: Path) -> None:
    out, outcome = read_corpus(tmp_path, [Document("soup", SOUP), Document("barn", BARN)], 2)
    assert (out / "clusters.json").read_text() == "{}\n"
    assert outcome.counts["near-duplicates"] == 0


def test_repeated_ids_and_texts_are_rejected_and_the_first_is_kept(tmp_path: Path) -> None:
    documents = [
        Document("a", SOUP),
        Document("a", BARN),
        Document("b", SOUP.upper()),
        Document("c", BARN),  # the text of one that was rejected for its id is not taken
    ]
    out, outcome = read_corpus(tmp_path, documents, 2)
    assert {document.id: document.text for document in read_documents(out)} == {"a": SOUP, "c": BARN}
    assert outcome.rejects == {"duplicate_id": 1, "duplicate_text": 1}
    assert [document.id for document in read_some(out, {"c", "unknown"})] == ["c"]


def test_nothing_hidden_is_left(tmp_path: Path) -> None:
    out, _ = read_corpus(tmp_path, [Document(name, text) for name, text in TEXTS.items()], 2)
    assert [file.name for file in out.iterdir() if file.name.startswith((".", "tmp"))] == []
