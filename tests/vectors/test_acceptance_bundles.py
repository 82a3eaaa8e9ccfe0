"""The acceptance checks of subsets and bundles that no other file holds: odd ids and texts from a source through every form.

The others: golden keys, `test_keys.py`; the properties of a sample, `test_sampling.py` and `test_twins.py`; the forecast
against 200 draws, `test_forecast.py`; killed while embedding, `test_embed.py`, while building, `test_resume.py`; the truth
against a naive comparison, `test_truth.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.vectors import LAYOUTS
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.msmarco_import import import_folder
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from constraintsuite.vectors.verify import verify_folder
from tiny_bundle import save_model, write_json_lines, write_source

PIECES = {
    "tab": "a\tb",
    "line feed": "a\nb",
    "carriage return": "a\rb",
    "both": "a\r\nb",
    "quotes": "\"a\" 'b'",
    "backslashes": "a\\tb\\\\n",
    "nul": "a\0b",
    "emoji": "a🙂b",
    "separators": "a\u2028b\x1fc\x85d",
    "long": "y" * 200_000,
}
"""Each is a text, and but for the longest one also an id."""


@pytest.fixture(params=PIECES)
def piece(request: pytest.FixtureRequest) -> str:
    return PIECES[request.param]


@pytest.fixture
def built(tmp_path: Path, piece: str, monkeypatch: pytest.MonkeyPatch) -> Bundle:
    """A bundle in which a document has the piece in its id and as its text, and a query has it as its text."""
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    source = write_source(tmp_path / "source", documents=20, queries=2)
    with Path(source.source).open("a") as file:
        file.write(json.dumps({"id": odd_id(piece), "title": "Soup", "text": piece}) + "\n")
    write_json_lines(tmp_path / "source" / "queries.jsonl", [{"id": "q0", "text": piece}, {"id": "q1", "text": "soup"}])
    build_subset(source, SubsetSettings(size=21, namespace="tiny"), tmp_path / "bundle", Silent())
    return Bundle.open(tmp_path / "bundle")


def odd_id(piece: str) -> str:
    return f"id {piece[:9]} end"


def texts(bundle: Bundle) -> dict[str, tuple[str, str | None]]:
    return {row.id: (row.title, row.text) for row in bundle.rows()}


def queries(bundle: Bundle) -> dict[str, str | None]:
    return {query.id: query.text for query in bundle.queries}


def test_round_trip_build(built: Bundle, piece: str) -> None:
    assert texts(built)[odd_id(piece)] == ("Soup", piece)
    assert queries(built)["q0"] == piece
    assert verify_folder(built.path) == []


def test_round_trip_jsonl(tmp_path: Path, built: Bundle) -> None:
    LAYOUTS.load("jsonl")(built, tmp_path / "beir", None)
    settings = SubsetSettings(size=21, namespace="tiny")
    again = Bundle(build_subset(SourceSettings(source=str(tmp_path / "beir")), settings, tmp_path / "again", Silent()))
    assert texts(again) == texts(built)
    assert queries(again) == queries(built)
    assert list(again.qrels()) == list(built.qrels())


def test_round_trip_tsv(tmp_path: Path, built: Bundle, piece: str) -> None:
    if "\0" in piece:
        with pytest.raises(UserError, match=r"holds '\\x00', which a table cannot hold"):
            LAYOUTS.load("tsv")(built, tmp_path / "tsv", None)
        return
    LAYOUTS.load("tsv")(built, tmp_path / "tsv", None)
    lines = (tmp_path / "tsv" / "corpus.tsv").read_bytes().decode().removesuffix("\n").split("\n")
    found = dict([unescaped(field) for field in line.split("\t")] for line in lines)
    assert found == {row.id: row.passage for row in built.rows()}


def unescaped(field: str) -> str:
    parts = field.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)


def test_round_trip_seven_files(tmp_path: Path, built: Bundle) -> None:
    embed_bundle(built.path, save_model(tmp_path / "model"), Silent())
    LAYOUTS.load("msmarco-subset")(built, tmp_path / "seven", None)
    source = tmp_path / "source"
    given = SourceSettings(
        source=str(source / "docs.jsonl"), queries=str(source / "queries.jsonl"), qrels=str(source / "qrels.txt")
    )
    imported = Bundle(import_folder(tmp_path / "seven", tmp_path / "imported", "cosine", texts=given).texts)
    assert list(imported.ids()) == list(built.ids())
    assert texts(imported) == texts(built)
    assert queries(imported) == queries(built)
    assert verify_folder(imported.path) == []


def test_an_id_that_ends_in_nul_is_refused_by_name_where_it_would_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    source = write_source(tmp_path / "source", documents=20, queries=2)
    with Path(source.source).open("a") as file:
        file.write(json.dumps({"id": "d\0", "text": "soup"}) + "\n")
    path = build_subset(source, SubsetSettings(size=21), tmp_path / "bundle", Silent()).path
    embed_bundle(path, save_model(tmp_path / "model"), Silent())
    with pytest.raises(UserError, match=r"The id 'd\\x00' ends in NUL"):
        LAYOUTS.load("msmarco-subset")(Bundle.open(path), tmp_path / "seven", None)
