"""Passes over two stages side by side, and single records by id."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.corpus.files import KEPT, StageRecords, walk, walk_both
from constraintsuite.suites.reading.records import ScopesRead

IDS = ["plain", 'a "quoted" one', "back\\slash", "ünïcode", "line\nbreak"]


def write_documents(folder: Path, *shards: list[str]) -> Path:
    for number, ids in enumerate(shards):
        documents = [Document(id, f"The text of {id}.", "a title") for id in ids]
        write_jsonl(folder / f"part-{number:05d}.jsonl", documents)
    return folder


def write_readings(folder: Path, *shards: list[str]) -> Path:
    for number, ids in enumerate(shards):
        write_jsonl(folder / f"part-{number:05d}.jsonl", [ScopesRead(id, ()) for id in ids])
    return folder


def test_every_line_is_found_with_its_id(tmp_path: Path) -> None:
    rows = list(walk(write_documents(tmp_path, IDS[:2], IDS[2:])))
    assert [row.id for row in rows] == IDS
    assert [row.parse(Document).text for row in rows] == [f"The text of {id}." for id in IDS]


def test_documents_that_broke_the_reading_are_passed_over(tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents", ["a", "b", "c"], ["d"], ["e", "f"])
    mentions = write_readings(tmp_path / "mentions", ["b", "c"], [], ["e"])
    found = [(place, document.id, reading.id) for place, document, reading in walk_both(documents, mentions)]
    assert found == [(1, "b", "b"), (2, "c", "c"), (4, "e", "e")]


def test_a_reading_of_another_corpus_is_refused(tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents", ["a", "b"])
    mentions = write_readings(tmp_path / "mentions", ["b", "a"])
    with pytest.raises(UserError, match="'a' is not in"):
        list(walk_both(documents, mentions))


@pytest.mark.parametrize("line", ["{}", "[1]", '{"id":7,"text":"x"}', '{"id":"a'])
def test_a_line_without_an_id_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "part-00000.jsonl").write_text(line + "\n")
    with pytest.raises(UserError, match=r"part-00000\.jsonl"):
        list(walk(tmp_path))


def test_a_line_that_is_no_such_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part-00000.jsonl").write_text('{"id":"a"}\n')
    (row,) = walk(tmp_path)
    with pytest.raises(UserError, match=r"part-00000\.jsonl: byte 0: text"):
        row.parse(Document)


def test_a_shelf_gives_every_record_by_its_id(tmp_path: Path) -> None:
    shelf = StageRecords.of(write_documents(tmp_path, IDS[:2], IDS[2:]), Document)
    assert {id: shelf[id].text for id in reversed(IDS)} == {id: f"The text of {id}." for id in IDS}
    assert sorted(shelf) == sorted(IDS)
    assert len(shelf) == len(IDS)


def test_a_shelf_gives_more_records_than_it_keeps(tmp_path: Path) -> None:
    ids = [f"d{number}" for number in range(KEPT + 10)]
    shelf = StageRecords.of(write_documents(tmp_path, ids), Document)
    assert [shelf[id].id for id in (*ids, *ids[:5])] == [*ids, *ids[:5]]


def test_a_shelf_has_only_what_was_put_on_it(tmp_path: Path) -> None:
    shelf = StageRecords(Document)
    for row in walk(write_documents(tmp_path, IDS)):
        if row.id != "plain":
            shelf.put(row)
    assert shelf["ünïcode"].id == "ünïcode"
    assert "plain" not in shelf


def test_records_with_one_hash_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraintsuite.suites.corpus.files.stable_hash", lambda id: 7)
    shelf = StageRecords.of(write_documents(tmp_path, IDS), Document)
    assert [shelf[id].id for id in IDS] == IDS
    assert "other" not in shelf
