from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source

ir_datasets = pytest.importorskip("ir_datasets", reason="needs the [irds] extra")


@pytest.fixture
def registered(tmp_path: Path) -> Iterator[str]:
    """The name of a real dataset made of local files."""
    (tmp_path / "docs.tsv").write_text("d1\tone\nd2\ttwo\n")
    (tmp_path / "queries.tsv").write_text("q1\twhich one\n")
    (tmp_path / "qrels").write_text("q1 0 d1 2\nq1 0 d2 0\n")
    dataset = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels"),
    )
    yield from register("csuite-test/small", dataset)


def register(name: str, dataset: object) -> Iterator[str]:
    ir_datasets.registry.register(name, dataset)
    yield name
    del ir_datasets.registry._registered[name]


def test_documents_queries_and_qrels_are_read(registered: str) -> None:
    source = open_source(SourceSettings(source=f"irds:{registered}"))
    assert source.name == registered
    assert list(source.documents(BadRows())) == [Document("d1", "one"), Document("d2", "two")]
    assert list(source.queries()) == [Query("q1", "which one")]
    assert list(source.qrels()) == [Qrel("q1", "d1", 2), Qrel("q1", "d2", 0)]


def test_the_fingerprint_follows_the_files_of_a_registered_dataset(registered: str, tmp_path: Path) -> None:
    source = open_source(SourceSettings(source=f"irds:{registered}"))
    before = source.fingerprint()
    assert before == source.fingerprint()
    (tmp_path / "docs.tsv").write_text("d1\tother\n")
    assert source.fingerprint() != before


def test_the_fingerprint_of_a_catalogued_dataset_needs_no_download() -> None:
    vaswani, train = (open_source(SourceSettings(source=f"irds:{name}")) for name in ("vaswani", "antique/train"))
    assert vaswani.fingerprint() != train.fingerprint()


class TitledDocument(NamedTuple):
    doc_id: str
    title: str
    abstract: str
    page: bytes

    def default_text(self) -> str:
        return f"{self.title} {self.abstract}"


class TitledDocuments:
    def docs_handler(self) -> TitledDocuments:
        return self

    def docs_iter(self) -> Iterator[TitledDocument]:
        return iter([TitledDocument("d1", "T", "one", b"\xff")])

    def docs_cls(self) -> type[TitledDocument]:
        return TitledDocument


@pytest.fixture
def titled() -> Iterator[str]:
    yield from register("csuite-test/titled", ir_datasets.Dataset(TitledDocuments()))


def test_documents_without_a_text_field_give_their_default_text(titled: str) -> None:
    documents = open_source(SourceSettings(source=f"irds:{titled}")).documents(BadRows())
    assert list(documents) == [Document("d1", "T one")]


def test_a_field_can_be_chosen(titled: str) -> None:
    documents = open_source(SourceSettings(source=f"irds:{titled}", text_field="abstract")).documents(BadRows())
    assert list(documents) == [Document("d1", "one", "T")]


def test_a_dataset_without_queries_has_none(titled: str) -> None:
    source = open_source(SourceSettings(source=f"irds:{titled}"))
    assert (list(source.queries()), list(source.qrels())) == ([], [])


def test_an_unknown_id_tells_its_neighbour() -> None:
    with pytest.raises(UserError, match=r"irds:vaswan: ir_datasets \S+ has no such dataset\. Did you mean vaswani"):
        open_source(SourceSettings(source="irds:vaswan"))


def test_a_file_that_is_gone_is_told(registered: str, tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").unlink()
    with pytest.raises(UserError, match=f"irds:{registered}: ir_datasets could not read it"):
        list(open_source(SourceSettings(source=f"irds:{registered}")).documents(BadRows()))
