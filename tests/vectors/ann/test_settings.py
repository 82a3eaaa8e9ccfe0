"""A benchmark file: grids, defaults, and everything that is refused before any work."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.revisions import REVISIONS, Revision
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.coded import CodedEngine
from constraintsuite.vectors.ann.engines.pgvector import PgvectorBuild, PgvectorEngine
from constraintsuite.vectors.ann.plan import estimate, plan
from constraintsuite.vectors.ann.settings import AnnBenchmark, grid

ROOT = Path(__file__).parents[3]
DATA = "data: [{format: synthetic, rows: 20, queries: 4, dimensions: 3}]\n"
EXACT = "engines: [{engine: exact}]\n"


def read(tmp_path: Path, text: str) -> AnnBenchmark:
    file = tmp_path / "bench.yaml"
    file.write_text(text)
    return AnnBenchmark.read(file)


def test_a_list_of_values_is_an_axis_of_a_grid() -> None:
    assert list(grid({"m": [8, 16], "seed": 1})) == [{"m": 8, "seed": 1}, {"m": 16, "seed": 1}]
    assert list(grid({})) == [{}]


def test_one_build_serves_all_its_searches(tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    bench = read(
        tmp_path,
        DATA + "k: [1, 10]\nprotocol: {modes: [serial, concurrent], clients: [1, 4]}\n"
        "engines: [{engine: faiss, build: {factory: [IVF2, IVF4]}, search: {nprobe: [1, 2, 3]}, rerank: [1, 2]}]",
    )
    builds = plan(bench, {"synthetic": "content"}, "here")
    assert [build.point.build for build in builds] == [{"factory": "IVF2"}, {"factory": "IVF4"}]
    assert [len(build.cells) for build in builds] == [3 * 2 * 2 * 3] * 2  # nprobe, rerank, k, modes with clients
    keys = [key for build in builds for key in build.cells]
    assert len(set(keys)) == len(keys)
    needed = estimate(bench, tmp_path)
    assert (needed.builds, needed.cells) == (2, len(keys))


def test_what_decides_a_cell_decides_its_key(tmp_path: Path) -> None:
    def key(text: str, content: str = "content", machine: str = "here") -> str:
        return next(iter(plan(read(tmp_path, text), {"synthetic": content}, machine)[0].cells))

    first = key(DATA + EXACT)
    assert key(DATA + EXACT + "targets: [0.5]") == first
    assert key(DATA + EXACT, "other") != first
    assert key(DATA + EXACT + "ties: annb") != first
    assert key(DATA + EXACT + "protocol: {repeats: 7}") != first
    assert key(DATA + EXACT + "protocol: {threads: 2}") != first
    assert key(DATA + EXACT, machine="another") != first


def test_our_own_code_decides_a_key_by_its_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def keys() -> dict[str, str]:
        bench = read(tmp_path, DATA + "engines: [{engine: exact}, {engine: coded}]")
        builds = plan(bench, {"synthetic": "content"}, "here")
        return {build.point.engine: next(iter(build.cells)) for build in builds}

    before = keys()
    monkeypatch.setattr(CodedEngine, "revision", CodedEngine.revision + 1)
    changed = keys()
    assert (changed["exact"] == before["exact"], changed["coded"] == before["coded"]) == (True, False)
    monkeypatch.setitem(REVISIONS, "cell", Revision(99))
    assert not keys().items() & changed.items()


def test_another_version_of_a_server_is_another_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    bench = read(tmp_path, DATA + 'engines: [{engine: pgvector, build: {url: "postgresql://127.0.0.1:1/none"}}]')
    found = {}
    for version in (None, "PostgreSQL 17.1, pgvector 0.8.0", "PostgreSQL 17.1, pgvector 0.8.1"):
        monkeypatch.setattr(PgvectorEngine, "server", lambda settings, version=version: version)
        (build,) = plan(bench, {"synthetic": "content"}, "here")
        found[next(iter(build.cells))] = build.library
    assert len(found) == 3
    nobody, old, new = found.values()
    assert (old, new) == (f"{nobody}, PostgreSQL 17.1, pgvector 0.8.0", f"{nobody}, PostgreSQL 17.1, pgvector 0.8.1")


def test_a_server_that_does_not_answer_has_no_version() -> None:
    pytest.importorskip("psycopg")
    assert PgvectorEngine.server(PgvectorBuild(url="postgresql://127.0.0.1:1/none")) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DATA + EXACT + "kk: 1", "kk: unknown key, perhaps misspelt"),
        (DATA + "engines: [{engine: exakt}]", "No engine named 'exakt'. Did you mean 'exact'"),
        (DATA + "engines: [{engine: lsh}]", "No engine named 'lsh'"),
        (DATA + "engines: [{engine: faiss, build: {factories: Flat}}]", "factories: unknown key"),
        (
            DATA + "engines: [{engine: faiss, search: {nprobe: [1, 0]}}]",
            "nprobe: Input should be greater than or equal to 1",
        ),
        (DATA + "engines: [{engine: exact, rerank: 0}]", "rerank.0: Input should be greater than 0"),
        (DATA + "engines: [{engine: exact}, {engine: exact}]", "two entries are called 'exact'"),
        ("data: [{format: sinthetic}]\n" + EXACT, "No data format named 'sinthetic'. Did you mean 'synthetic'"),
        ("data: [{format: synthetic, row: 3}]\n" + EXACT, "row: unknown key"),
        ("data: [{format: hdf5}]\n" + EXACT, "path: Field required"),
        (DATA + "engines: [{engine: faiss, search: {nprobe: [16, null]}}]", "search.nprobe is null"),
        (DATA + "engines: [{engine: pgvector, build: {url: env:X}, search: {ef: null}}]", "search.ef is null"),
        (DATA + "engines: [{engine: faiss, search: {nprobe: [2, 2]}}]", "nprobe names 2 twice"),
        (DATA + "engines: [{engine: faiss, search: {nprobe: []}}]", "nprobe is an empty list"),
        (DATA + "engines: [{engine: exact, rerank: [2, 2]}]", "rerank names 2 twice"),
        (DATA + "engines: []", "engines is an empty list"),
        (DATA + EXACT + "k: [5, 5]", "k names 5 twice"),
        (DATA + EXACT + "protocol: {modes: [serial, serial]}", "modes names 'serial' twice"),
        (DATA + EXACT + "protocol: {clients: []}", "clients is an empty list"),
        (DATA + EXACT + "k: [0]", "k.0: Input should be greater than 0"),
        (DATA + EXACT + "targets: [95]", "targets.0: Input should be less than or equal to 1"),
        (DATA + EXACT + "protocol: {modes: [parallel]}", "modes.0"),
        (DATA + EXACT + "protocol: {clients: [0]}", "clients.0: Input should be greater than 0"),
        (DATA, "engines: Field required"),
        ("[1", "not valid YAML"),
        ("", "the record"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as raised:
        read(tmp_path, text)
    assert str(tmp_path / "bench.yaml") in str(raised.value)


def test_one_mistake_is_told_as_one(tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        read(tmp_path, DATA + "engines: [{engine: faiss, build: {factories: Flat}}]")
    assert "more" not in str(raised.value)


def test_a_library_that_is_missing_is_named_as_pip_knows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    brought = {re.split(r"[\[>=<]", line)[0] for line in extras["ann"]} | {"numpy"}
    monkeypatch.setattr(metadata, "version", _no_version)
    for name in ENGINES.names():
        library, build = ENGINES.load(name).library, ", build: {url: env:X}" if name in ("pgvector", "qdrant") else ""
        bench = read(tmp_path, DATA + f"engines: [{{engine: {name}{build}}}]")
        with pytest.raises(UserError) as raised:
            estimate(bench, tmp_path)  # a dry run says it, too
        advice = "'constraintsuite[ann]'" if library in brought else library
        assert f"pip install {advice}" in str(raised.value)


def _no_version(name: str) -> str:
    raise metadata.PackageNotFoundError(name)
