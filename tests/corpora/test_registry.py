from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.corpora import SOURCES
from constraintsuite.corpora.base import BadRows, Format, NoDocumentsError, SourceSettings
from constraintsuite.corpora.registry import find_format, open_source


def test_every_format_is_in_the_catalogue() -> None:
    assert set(get_args(Format)) == {"auto", *SOURCES.names()}


@pytest.mark.parametrize(
    ("source", "format"), [("sample", "sample"), ("irds:vaswani", "irds"), ("hf:owner/name:config", "hub")]
)
def test_names_and_prefixes_decide(source: str, format: str) -> None:
    assert find_format(SourceSettings(source=source)) == format


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.json", "jsonl"),
        ("a.JSONL.gz", "jsonl"),
        ("a.tsv", "tsv"),
        ("a.csv.gz", "csv"),
        ("a.parquet", "parquet"),
        ("a.trec", "trec"),
        ("a.sgml", "trec"),
        ("a.md", "folder"),
        ("a.txt", "folder"),
    ],
)
def test_the_ending_of_a_file_decides(tmp_path: Path, name: str, format: str) -> None:
    (tmp_path / name).touch()
    assert find_format(SourceSettings(source=str(tmp_path / name))) == format


@pytest.mark.parametrize(
    ("names", "format"),
    [
        (["corpus.jsonl", "queries.jsonl"], "beir"),
        (["corpus.jsonl.gz"], "beir"),
        (["1.parquet", "README.md"], "parquet"),
        (["1.jsonl", "2.jsonl"], "jsonl"),
        (["guide.md", "data.csv"], "folder"),
        (["deep/down/notes.txt"], "folder"),
    ],
)
def test_the_files_of_a_folder_decide(tmp_path: Path, names: list[str], format: str) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert find_format(SourceSettings(source=str(tmp_path))) == format


def test_a_given_format_wins(tmp_path: Path) -> None:
    file = tmp_path / "collection.txt"
    file.write_text("d1\tone\n")
    documents = open_source(SourceSettings(source=str(file), format="tsv")).documents(BadRows())
    assert list(documents) == [Document("d1", "one")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nope.jsonl",
            r"nope\.jsonl: there is no such file or folder, and it is not one of the names sample, irds:…, hf:…",
        ),
        (
            "a.xyz",
            r"a\.xyz: the format cannot be recognised from the name\. Known endings, also with \.gz: \.jsonl, .*--format",
        ),
        ("empty", r"empty: no known file in this folder\. Looked for corpus\.jsonl, .*--format"),
    ],
)
def test_what_was_tried_is_told(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "a.xyz").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=message):
        open_source(SourceSettings(source=str(tmp_path / name)))


@pytest.mark.parametrize(("extra", "package"), [("parquet", "pyarrow"), ("irds", "ir_datasets"), ("hub", "datasets")])
def test_a_missing_extra_tells_its_pip_command(monkeypatch: pytest.MonkeyPatch, extra: str, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"constraintsuite.corpora.{extra}", raising=False)
    with pytest.raises(MissingExtraError, match=rf"pip install 'constraintsuite\[{extra}\]'"):
        SOURCES.load(extra)


def test_opening_loads_no_optional_library() -> None:
    program = (
        "import sys; from constraintsuite.corpora.base import SourceSettings;"
        "from constraintsuite.corpora.registry import open_source; open_source(SourceSettings(source='sample'));"
        "print(sorted({'pyarrow', 'ir_datasets', 'datasets', 'pandas', 'torch'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize(("name", "text"), [("a.jsonl", ""), ("a.tsv", "id\ttext\n"), ("a.md", "# Only a heading\n")])
def test_a_source_without_documents_is_an_error(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(NoDocumentsError, match=rf"{name}: no documents\.$"):
        list(open_source(SourceSettings(source=str(tmp_path / name))).documents(BadRows()))


def test_a_source_of_bad_rows_only_tells_their_reasons(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("{\n}\n")
    with pytest.raises(NoDocumentsError, match=r"no documents\. All 2 rows were left out: invalid_json 2\."):
        list(open_source(SourceSettings(source=str(file))).documents(BadRows(skip=True)))


def test_a_limit_ends_the_reading_before_later_faults(tmp_path: Path) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("d1\tone\nd2\ttwo\nbroken\n")
    documents = open_source(SourceSettings(source=str(file), limit=2)).documents(BadRows())
    assert [document.id for document in documents] == ["d1", "d2"]


def test_queries_and_qrels_come_from_their_files(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("d1\tone\n")
    (tmp_path / "q.tsv").write_text("q1\twhich\n")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    paths = {"source": "a.tsv", "queries": "q.tsv", "qrels": "qrels"}
    source = open_source(SourceSettings.model_validate({key: str(tmp_path / name) for key, name in paths.items()}))
    assert (list(source.queries()), list(source.qrels())) == ([Query("q1", "which")], [Qrel("q1", "d1", 1)])


def test_a_missing_query_file_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"q\.tsv: there is no such file"):
        open_source(SourceSettings(source="sample", queries=str(tmp_path / "q.tsv")))


def test_the_fingerprint_follows_limit_and_query_file_but_not_skipping(tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("q1\twhich\n")
    plain = SourceSettings(source="sample")
    prints = {
        open_source(plain.model_copy(update=change)).fingerprint()
        for change in ({}, {"skip_bad_rows": True}, {"limit": 5}, {"queries": str(tmp_path / "q.tsv")})
    }
    assert len(prints) == 3


def test_every_setting_is_described() -> None:
    assert all(field.description for field in SourceSettings.model_fields.values())


def test_an_id_of_ir_datasets_needs_no_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ir_datasets")
    monkeypatch.chdir(tmp_path)
    assert find_format(SourceSettings(source="msmarco-passage/dev/small")) == "irds"
    (tmp_path / "vaswani").mkdir()
    (tmp_path / "vaswani" / "corpus.jsonl").write_text('{"_id": "1", "text": "a file of that name comes first"}\n')
    assert find_format(SourceSettings(source="vaswani")) == "beir"


@pytest.mark.parametrize(("limit", "size"), [(None, 8_841_823), (1_000, 1_000)])
def test_the_catalogue_knows_the_size_before_anything_is_fetched(limit: int | None, size: int) -> None:
    pytest.importorskip("ir_datasets")
    assert open_source(SourceSettings(source="irds:msmarco-passage/dev/small", limit=limit)).size() == size
