"""From a source to a bundle: what is in it, what is refused, and that nothing depends on the order of rows."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.vectors import tables
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.draft import draft_subset
from constraintsuite.vectors.first_pass import stratum_of
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from constraintsuite.vectors.survey import text_hash
from tiny_bundle import make_bundle, write_json_lines, write_source

ODD = ["tab\there", "cr\rhere", "line\r\nend", 'quote "', "nul\0inside", "🙂", "back\\slash \\t", "x" * 200_000]


def build(
    source: SourceSettings, out: Path, *, accept: bool = False, force: bool = False, **settings: object
) -> Artifact:
    values = {"size": 30, "namespace": "tiny", **settings}
    chosen = SubsetSettings.model_validate(values)
    return build_subset(source, chosen, out, Silent(), accept_coverage=accept, force=force)


def test_all_positives_and_then_the_smallest_keys(tmp_path: Path) -> None:
    opened = Bundle.open(make_bundle(tmp_path))
    rows = list(opened.rows())
    assert {row.id for row in rows[:12]} == {f"d{i + shift}" for i in range(6) for shift in (0, 10)}
    assert [row.stratum for row in rows] == ["positive"] * 12 + ["background"] * 18
    assert {row.probability for row in rows} == {1.0, 18 / 48}
    assert [row.row for row in rows] == list(range(30))
    assert all(row.text_sha256 == text_hash(row.text or "") for row in rows)


def test_judgments_of_every_grade_are_kept_also_of_missing_documents(tmp_path: Path) -> None:
    opened = Bundle.open(make_bundle(tmp_path, mode="uniform", size=5))
    assert len(list(opened.qrels())) == 18
    assert {query.coverage for query in opened.queries} <= {"full", "partial", "none"}


def test_a_minimum_grade_decides_who_is_positive(tmp_path: Path) -> None:
    opened = Bundle.open(make_bundle(tmp_path, min_relevance=2, size=6))
    assert {row.id for row in opened.rows()} == {f"d{i}" for i in range(6)}


def test_the_order_of_the_source_does_not_matter(tmp_path: Path) -> None:
    source = write_source(tmp_path / "source")
    first = build(source, tmp_path / "a")
    lines = Path(source.source).read_text().splitlines()
    random.Random(1).shuffle(lines)
    Path(source.source).write_text("\n".join(lines) + "\n")
    assert build(source, tmp_path / "b").manifest.content == first.manifest.content


def test_parts_are_put_in_order_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(Bundle.open(make_bundle(tmp_path / "whole")).rows())
    monkeypatch.setattr(tables, "PART_ROWS", 7)
    opened = Bundle.open(make_bundle(tmp_path / "parts"))
    assert len(list((opened.path / "corpus").iterdir())) == 5
    assert list(opened.rows()) == whole
    assert [row.row for row in opened.rows(5, 16)] == list(range(5, 16))
    assert list(opened.ids()) == [row.id for row in whole]


def test_queries_are_chosen_by_key_and_their_positives_kept(tmp_path: Path) -> None:
    few = Bundle.open(make_bundle(tmp_path / "few", queries=2, size=10))
    more = Bundle.open(make_bundle(tmp_path / "more", queries=4, size=10))
    assert [query.id for query in few.queries] == [query.id for query in more.queries][:2]
    assert {qrel.query for qrel in few.qrels()} == {query.id for query in few.queries}
    split = Bundle.open(make_bundle(tmp_path / "split", queries=2, size=12, positives_of="split"))
    assert all(row.stratum == "positive" for row in split.rows())


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:12]))
def test_odd_characters_survive(tmp_path: Path, text: str) -> None:
    source = write_source(tmp_path / "source", documents=59)
    with Path(source.source).open("a") as file:
        file.write(json.dumps({"id": f"odd {text[:5]} id", "text": text}) + "\n")
    build(source, tmp_path / "out", size=60)
    assert {row.id: row.text for row in Bundle.open(tmp_path / "out").rows()}[f"odd {text[:5]} id"] == text


def test_a_finished_bundle_is_left_alone_and_another_refused(tmp_path: Path) -> None:
    out = make_bundle(tmp_path)
    before = (out / "manifest.json").stat().st_mtime_ns
    make_bundle(tmp_path)
    assert (out / "manifest.json").stat().st_mtime_ns == before
    with pytest.raises(UserError, match=r"this folder already holds the bundle .* or replace it with --force"):
        make_bundle(tmp_path, size=31)


def test_what_a_killed_build_left_behind_does_not_matter(tmp_path: Path) -> None:
    whole = Bundle.open(make_bundle(tmp_path / "whole"))
    left = tmp_path / "killed" / "bundle"
    (left / "corpus").mkdir(parents=True)
    (left / "stages").mkdir()
    for name in (
        "corpus/part-00000.parquet",
        "corpus/part-00001.parquet",
        "stages/part-00000.jsonl",
        ".qrels.parquet.tmp-1",
        ".working",
    ):
        (left / name).write_bytes(b"half")
    again = Bundle.open(make_bundle(tmp_path / "killed"))
    assert again.id == whole.id
    assert not (left / "stages").exists()


def test_force_replaces_texts_and_clears_what_was_made_from_them(tmp_path: Path) -> None:
    out = make_bundle(tmp_path)
    (out / "vectors" / "old").mkdir(parents=True)
    build(write_source(tmp_path / "source"), out, size=31, force=True)
    assert Bundle.open(out).documents == 31
    assert list((out / "vectors").iterdir()) == []


def test_a_folder_of_someone_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match=r"notes\.txt: this is not part of the bundle"):
        make_bundle(tmp_path)


def test_a_subset_that_loses_most_queries_is_refused_with_numbers(tmp_path: Path) -> None:
    source = write_source(tmp_path / "source", documents=600)
    with pytest.raises(UserError, match=r"of 6 judged queries \(.*%\) would keep a positive document"):
        build(source, tmp_path / "out", mode="uniform", size=3)
    assert not (tmp_path / "out" / "manifest.json").exists()
    build(source, tmp_path / "out", accept=True, mode="uniform", size=3)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("queries.jsonl", "", "has no queries"),
        ("qrels.txt", "q1 0 d1 0\n", "none of the 6 queries has a document judged 1 or better"),
        ("qrels.txt", "q1 0 d1 0\nq1 0 d1 1\n", "are judged both 0 and 1"),
        ("queries.jsonl", '{"id": "q1", "text": "a"}\n{"id": "q1", "text": "b"}\n', "'q1' occurs twice"),
        ("docs.jsonl", '{"id": "d1", "text": "a"}\n{"id": "d1", "text": "b"}\n', "'d1' occurs at documents 1 and 2"),
        ("docs.jsonl", '{"id": "d1", "text": " "}\n', "its text is missing or empty"),
    ],
)
def test_faults_of_the_source_are_told_before_anything_is_written(
    tmp_path: Path, file: str, content: str, message: str
) -> None:
    source = write_source(tmp_path)
    (tmp_path / file).write_text(content)
    with pytest.raises(UserError, match=message):
        build(source, tmp_path / "out", size=2)
    assert not list((tmp_path / "out").glob("[!.]*"))


def test_bad_rows_are_kept_as_rejects(tmp_path: Path) -> None:
    source = write_source(tmp_path)
    with Path(source.source).open("a") as file:
        file.write("not json\n")
    artifact = build(source.model_copy(update={"skip_bad_rows": True}), tmp_path / "out")
    assert artifact.manifest.rejects == {"invalid_json": 1}
    assert "not json" in (tmp_path / "out" / "rejects.jsonl").read_text()


def test_the_room_that_texts_need_is_counted_in_bytes(tmp_path: Path) -> None:
    source = write_source(tmp_path)
    write_json_lines(tmp_path / "docs.jsonl", [{"id": f"d{i}", "text": "汤" * 100, "title": "é"} for i in range(60)])
    settings = SubsetSettings(size=30, namespace="tiny")
    assert draft_subset(open_source(source), settings, False, Silent()).bytes == 30 * 302


def test_hard_negatives_come_from_a_run(tmp_path: Path) -> None:
    source = write_source(tmp_path)
    run = tmp_path / "run.txt"
    run.write_text("".join(f"q{q} Q0 d{50 + rank} {rank} {9 - rank} x\n" for q in range(6) for rank in range(4)))
    build(source, tmp_path / "out", mode="pooled", run=run, depth=2, size=20)
    strata = {row.id: row.stratum for row in Bundle.open(tmp_path / "out").rows()}
    assert {name for name, stratum in strata.items() if stratum == "hard_negative"} == {"d50", "d51"}


def test_strata_by_a_field_of_the_documents(tmp_path: Path) -> None:
    source = write_source(tmp_path)
    records = [{"id": f"d{i}", "text": "soup", "lang": "en" if i % 3 else "de"} for i in range(60)]
    write_json_lines(tmp_path / "docs.jsonl", records)
    build(source, tmp_path / "out", accept=True, mode="stratified", strata="lang", allocation="equal", size=20)
    found = [row.stratum for row in Bundle.open(tmp_path / "out").rows()]
    assert (found.count("de"), found.count("en")) == (10, 10)
    with pytest.raises(UserError, match="no document has a field of that name"):
        build(source, tmp_path / "other", mode="stratified", strata="language", size=20)


@pytest.mark.parametrize(
    ("words", "name"),
    [(0, "1-16 words"), (16, "1-16 words"), (17, "17-32 words"), (32, "17-32 words"), (33, "33-64 words")],
)
def test_lengths_double_from_bucket_to_bucket(words: int, name: str) -> None:
    assert stratum_of(Document("d", "w " * words), "length") == name
