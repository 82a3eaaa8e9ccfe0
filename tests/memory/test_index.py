"""The kept terms of a memory: the same scores to the bit, no text read again, and never a wrong one where they are stale."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.store.artifact import Artifact
from constraintsuite.memory import folder
from constraintsuite.memory.folder import KIND, open_memory, verify_memory, write_memory
from constraintsuite.memory.index import INDEX, load_terms
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.models.bm25.index import Bm25Index
from constraintsuite.models.bm25.postings import Postings
from constraintsuite.models.retrieval.bm25 import Bm25Settings
from constraintsuite.text.terms import TermAnalyser
from memory.folder_changes import update_memory
from memory.tiny_parts import part

LEASE = part("lease", ["The tenant pays for the boiler.", "Unless the boiler is the landlord's."], headings=("Rent",))
ANNEX = part("annex", ["Boiler repairs, boiler parts and boiler oil."], headings=("Repairs",))
EMPTY = part("empty", ["", "the of"])
QUERIES = ["who pays for the boiler", "boiler boiler oil", "rent", "repairs of parts", "zebra", ""]
TEXTS = st.lists(st.sampled_from(["boiler oil", "The tenant pays.", "", "oil oil rent", "l’été, l'été"]), max_size=4)


def found(memory: Memory) -> list[list[float]]:
    return [memory.lexical(query).tolist() for query in QUERIES]


def terms(path: Path) -> Postings | None:
    return load_terms(Artifact.open(path, KIND))


def same(left: Postings | None, right: Postings | None) -> bool:
    assert left is not None
    assert right is not None
    arrays = (
        (left.starts, right.starts),
        (left.documents, right.documents),
        (left.counts, right.counts),
        (left.lengths, right.lengths),
    )
    return list(left.terms) == list(right.terms) and all(np.array_equal(mine, theirs) for mine, theirs in arrays)


def no_text_may_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: TermAnalyser, texts: Iterable[str]) -> Iterator[list[str]]:
        for text in texts:
            raise AssertionError(f"read again: {text}")
        yield from ()

    monkeypatch.setattr(TermAnalyser, "analyse", refuse)


def test_opening_a_memory_reads_no_text_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_memory(tmp_path, [LEASE, ANNEX, EMPTY], name="tiny")
    fresh = found(Memory.of([LEASE, ANNEX, EMPTY]))
    no_text_may_be_read(monkeypatch)
    assert found(open_memory(tmp_path)) == fresh


def test_an_update_reads_the_texts_that_came_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_memory(tmp_path, [LEASE, EMPTY], name="tiny")
    asked: list[str] = []
    analyse = TermAnalyser.analyse

    def noted(self: TermAnalyser, texts: Iterable[str]) -> Iterator[list[str]]:
        given = list(texts)
        asked.extend(given)
        return analyse(self, given)

    monkeypatch.setattr(TermAnalyser, "analyse", noted)
    update_memory(tmp_path, [ANNEX], ["empty"])
    assert asked == ["Repairs\nBoiler repairs, boiler parts and boiler oil."]
    assert found(open_memory(tmp_path)) == found(Memory.of([LEASE, ANNEX]))
    assert len(asked) == 1 + 3  # the memory that was made for comparison read all three


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | TEXTS), min_size=1, max_size=6), st.randoms())
def test_whatever_came_and_went_terms_and_scores_are_those_of_a_fresh_memory(
    changes: list[tuple[str, list[str] | None]], rng: random.Random
) -> None:
    held: dict[str, MemoryDocument] = {"d": LEASE}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "grown"
        write_memory(path, [LEASE], name="tiny")
        for name, texts in changes:
            if texts is not None:
                held[name] = part(name, texts)
                update_memory(path, [held[name]])
            elif held.pop(name, None):
                update_memory(path, remove=[name])
        parts = rng.sample(list(held.values()), len(held))
        write_memory(Path(place) / "fresh", parts, name="tiny")
        assert same(terms(path), terms(Path(place) / "fresh"))
        assert found(open_memory(path)) == found(Memory.of(parts))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-3])


def edit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


def spoil(file: Path) -> None:
    file.write_bytes(b"{}\n")


@pytest.mark.parametrize("damage", [Path.unlink, cut, edit, spoil])
def test_a_folder_without_sound_terms_is_opened_all_the_same_and_has_them_again_after_an_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None]
) -> None:
    write_memory(tmp_path, [LEASE, EMPTY], name="tiny")
    damage(tmp_path / INDEX)
    assert found(open_memory(tmp_path)) == found(Memory.of([LEASE, EMPTY]))
    assert terms(tmp_path) is None
    update_memory(tmp_path, [ANNEX])
    fresh = found(Memory.of([LEASE, EMPTY, ANNEX]))
    no_text_may_be_read(monkeypatch)
    assert found(open_memory(tmp_path)) == fresh


def test_a_writer_that_dies_before_the_terms_are_kept_has_confirmed_its_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_memory(tmp_path, [LEASE, EMPTY], name="tiny")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(folder, "save_terms", die)
        with pytest.raises(KeyboardInterrupt):
            update_memory(tmp_path, [ANNEX], ["empty"])
    assert terms(tmp_path) is None  # those of the state before are there, and not taken for these
    assert found(open_memory(tmp_path)) == found(Memory.of([LEASE, ANNEX]))
    update_memory(tmp_path, [EMPTY])
    assert same(terms(tmp_path), counts_of([ANNEX, EMPTY, LEASE]))


def counts_of(parts: Sequence[MemoryDocument]) -> Postings:
    memory, index = Memory(), Bm25Index(np.float64)
    return index.postings(index.add(memory.terms(unit for each in parts for unit in each.units)))


def test_terms_that_were_cut_by_other_rules_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_memory(tmp_path, [LEASE, ANNEX], name="tiny")
    monkeypatch.setattr("constraintsuite.memory.index.Bm25Settings", lambda: Bm25Settings(stem=False))
    assert terms(tmp_path) is None
    assert found(open_memory(tmp_path)) == found(Memory.of([LEASE, ANNEX]))


def test_the_kept_terms_are_no_part_of_the_artifact(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE], name="tiny")
    assert Artifact.open(tmp_path, KIND).verify() == []
    assert verify_memory(tmp_path) == []
    assert INDEX not in Artifact.open(tmp_path, KIND).manifest.files


@pytest.mark.parametrize("analyser", [TermAnalyser(), TermAnalyser("none", stem=False)])
@pytest.mark.parametrize("before", [[], ["zebra oil", "the boiler"]])
def test_counted_terms_give_the_scores_of_the_texts(analyser: TermAnalyser, before: list[str]) -> None:
    texts = ["The tenant pays for oil.", "", "Oil, oil and a boiler: the landlord pays.", "Nothing."]
    made = Bm25Index(np.float64)
    made.add(analyser.analyse(["gone for good", *texts]))
    made.remove(np.array([0], dtype=np.int32))
    counted = made.postings(np.array([4, 3, 1], dtype=np.int32))
    taken, added = Bm25Index(np.float64), Bm25Index(np.float64)
    for index in (taken, added):
        index.add(analyser.analyse(before))
    slots = taken.add_postings(counted)
    assert slots.tolist() == added.add(analyser.analyse([texts[3], texts[2], texts[0]])).tolist()
    for query in map(analyser.terms, QUERIES):
        assert taken.scores(query).tolist() == added.scores(query).tolist()
