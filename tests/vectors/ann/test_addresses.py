"""No secret in a file or a message: addresses with one are refused, and what libraries say of a variable is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.ann import ann
from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.settings import AnnBenchmark

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
DATA = {"format": "synthetic", "rows": 50, "queries": 4, "dimensions": 3}


def bench(folder: Path, engine: str, **build: object) -> Path:
    protocol = {"repeats": 1, "min_seconds": 0}
    text = {"data": [DATA], "k": [2], "protocol": protocol, "engines": [{"engine": engine, "build": build}]}
    (folder / "bench.yaml").write_text(json.dumps(text))
    return folder / "bench.yaml"


@pytest.mark.parametrize(
    ("engine", "build"),
    [
        ("pgvector", {"url": "postgresql://me:s3cret@host/db"}),
        ("pgvector", {"url": "postgresql://me:s3cret/x@host/db"}),
        ("pgvector", {"url": "postgresql://me@host/db?password=s3cret"}),
        ("pgvector", {"url": "postgresql://me@host/db?pass%77ord=s3cret"}),
        ("pgvector", {"url": "host=127.0.0.1 password = s3cret"}),
        ("pgvector", {"url": "host=127.0.0.1 PASSWORD=s3cret"}),
        ("pgvector", {"url": "host=127.0.0.1 sslpassword=s3cret"}),
        ("pgvector", {"url": "me:s3cret@host/db"}),
        ("pgvector", {"url": "env:postgresql://me:s3cret@host/db"}),
        ("qdrant", {"url": "http://s3cret@host:6333"}),
        ("qdrant", {"url": "http://host:6333?api-key=s3cret"}),
        ("qdrant", {"url": "me:s3cret@host"}),
        ("qdrant", {"url": "http://host:6333", "api_key": "s3cret"}),
        ("qdrant", {"url": "http://host:6333", "api_key": ["s3cret"]}),
    ],
)
def test_an_address_with_a_secret_is_refused_and_not_repeated(
    tmp_path: Path, engine: str, build: dict[str, object]
) -> None:
    with pytest.raises(UserError, match="env:NAME") as raised:
        AnnBenchmark.read(bench(tmp_path, engine, **build))
    assert "s3cret" not in str(raised.value)


def test_a_key_that_is_a_number_is_not_repeated_either(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="env:NAME") as raised:
        AnnBenchmark.read(bench(tmp_path, "qdrant", url="http://host:6333", api_key=13071307))
    assert "13071307" not in str(raised.value)


@pytest.mark.parametrize(
    ("engine", "url"),
    [
        ("pgvector", "env:DATABASE_URL"),
        ("pgvector", "postgresql://me@host:5432/db?sslmode=require"),
        ("pgvector", "postgresql://me:@/db?host=/run/postgres"),
        ("pgvector", "host=db.example user=me@example dbname=x"),
        ("qdrant", ":memory:"),
        ("qdrant", "https://host:6333/prefix"),
        ("qdrant", "env:QDRANT"),
    ],
)
def test_an_address_without_a_secret_is_taken(engine: str, url: str) -> None:
    ENGINES.load(engine).build_settings.model_validate({"url": url})


@pytest.mark.parametrize(
    ("engine", "library", "held", "key"),
    [
        ("pgvector", "psycopg", "postgresql://me:s3%cret@127.0.0.1:1/db", None),
        ("pgvector", "psycopg", "me:s3cret@127.0.0.1", None),
        ("pgvector", "psycopg", "postgresql://me:s3cret/x@127.0.0.1:1/db", None),
        ("pgvector", "psycopg", "postgresql://me:x@s3cret@127.0.0.1:1/db", None),
        ("qdrant", "qdrant_client", "http://me:s3cret/x@127.0.0.1:1", None),
        ("qdrant", "qdrant_client", "https://127.0.0.1:1", "s3cret\n"),
        ("qdrant", "qdrant_client", "https://127.0.0.1:1", "s3cret€"),
    ],
)
def test_what_a_variable_holds_is_neither_printed_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, library: str, held: str, key: str | None
) -> None:
    pytest.importorskip(library)
    monkeypatch.setenv("CSUITE_TEST_ADDRESS", held)
    monkeypatch.setenv("CSUITE_TEST_KEY", key or "")
    build: dict[str, object] = {"url": "env:CSUITE_TEST_ADDRESS"}
    file = bench(tmp_path, engine, **build, **({} if key is None else {"api_key": "env:CSUITE_TEST_KEY"}))
    result = CliRunner().invoke(ann, ["run", str(file), "--out", str(tmp_path / "run")])
    assert result.exit_code == 3, result.exception
    assert "CSUITE_TEST_ADDRESS" in result.output
    written = [each.read_text(errors="replace") for each in (tmp_path / "run").rglob("*") if each.is_file()]
    assert written
    for text in (result.output, *written):
        assert not any(part in text for part in ("s3cret", "s3%cret"))
