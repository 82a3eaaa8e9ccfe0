"""Numbers of documents: their order is that of the ids, whatever shard they lie in."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import encode
from constraintsuite.suites.corpus.corpus import Numbering, PackedIds

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@given(st.lists(TEXTS))
def test_ids_come_back_as_they_were(ids: list[str]) -> None:
    packed = PackedIds(ids)
    assert list(packed) == ids
    assert packed[1:3] == ids[1:3]


@pytest.mark.parametrize("index", [2, -1])
def test_there_is_no_id_beyond_the_last(index: int) -> None:
    with pytest.raises(IndexError):
        PackedIds(["a", "b"])[index]


@given(st.lists(TEXTS.filter(bool), unique=True), st.integers(1, 3), TEXTS)
def test_numbers_are_places_among_the_sorted_ids(ids: list[str], shards: int, other: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shard in range(shards):
            lines = [encode(Document(id, "text")) + b"\n" for id in ids[shard::shards]]
            (folder / f"part-{shard:05d}.jsonl").write_bytes(b"".join(lines))
        numbering = Numbering(folder)
    in_shards = [id for shard in range(shards) for id in ids[shard::shards]]
    assert list(numbering.ids) == sorted(ids)
    assert [numbering.ids[number] for number in numbering.numbers.tolist()] == in_shards
    assert all(numbering.of(id) == sorted(ids).index(id) for id in ids)
    assert (numbering.of(other) is None) == (other not in ids)
    assert numbering.names([0] if ids else []) == tuple(sorted(ids)[:1])
