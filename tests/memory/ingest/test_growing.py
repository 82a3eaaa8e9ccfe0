"""A memory that grows: what comes and goes with a document, what is said of it, and what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import folder_lock
from constraintsuite.memory import folder
from constraintsuite.memory.folder import open_memory, read_memory, verify_memory, write_memory
from constraintsuite.memory.ingest import collection
from constraintsuite.memory.ingest.collection import DocumentFile, ingest, read_files
from constraintsuite.memory.ingest.growth import RULES, add_documents, ingest_memory, remove_documents
from constraintsuite.memory.ingest.unit_reader import ReadDocument
from constraintsuite.memory.records import Edge, MemoryDocument
from constraintsuite.memory.segments import current_documents
from memory.folder_changes import update_memory
from memory.ingest.growing_folders import LETTER, MASTER, files, fresh, held, write
from memory.tiny_parts import part


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    """Telling which libraries are installed takes longer than all the rest of writing a small memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "environment", lambda seconds: {})
        yield


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    ingest_memory(
        tmp_path / "g", [write(tmp_path / "d", {"master_agreement": MASTER, "side_letter": LETTER})], name="g"
    )
    return tmp_path / "g"


def test_what_did_not_change_is_left_and_nothing_is_written(tmp_path: Path, grown: Path) -> None:
    before = files(grown)
    growth = add_documents(grown, [tmp_path / "d"])
    assert (growth.new, growth.replaced, growth.unchanged) == ((), (), ("master_agreement", "side_letter"))
    assert (growth.relinked, files(grown)) == ((), before)


def test_documents_that_come_later_are_linked_both_ways(tmp_path: Path) -> None:
    later = write(tmp_path / "later", {"master_agreement": f"{MASTER}\n3. The Side Letter ranks first.\n"})
    ingest_memory(tmp_path / "g", [write(tmp_path / "d", {"side_letter": LETTER})], name="g")
    growth = add_documents(tmp_path / "g", [later])
    assert (growth.new, growth.relinked, growth.gained, growth.lost) == (("master_agreement",), ("side_letter",), 1, 0)
    graph = open_memory(tmp_path / "g").graph
    edges = [graph.edge(number) for number in range(len(graph.edges.source))]
    across = {(one.source, one.kind, one.target) for one in edges if one.kind in ("exception_to", "refers_to")}
    assert across == {
        ("side_letter:1", "exception_to", "master_agreement:2"),
        ("master_agreement:3", "refers_to", "side_letter:1"),
    }


def test_with_a_document_go_the_links_to_it(grown: Path) -> None:
    growth = remove_documents(grown, ["master_agreement"])
    assert (growth.removed, growth.relinked, growth.gained, growth.lost) == (
        ("master_agreement",),
        ("side_letter",),
        0,
        1,
    )
    assert len(open_memory(grown).graph.open_edges.source) == 0


def test_a_dry_run_says_the_same_and_writes_nothing(tmp_path: Path, grown: Path) -> None:
    write(tmp_path / "d", {"master_agreement": f"{MASTER}\n3. New.\n", "note": "# Note\n\nSee the Side Letter.\n"})
    before = files(grown)
    planned = add_documents(grown, [tmp_path / "d"], dry_run=True)
    assert files(grown) == before
    done = add_documents(grown, [tmp_path / "d"])
    assert (planned.new, planned.replaced, planned.relinked) == (done.new, done.replaced, done.relinked)
    assert (done.new, done.replaced) == (("note",), ("master_agreement",))


def arriving(parts: list[MemoryDocument]) -> int:
    kinds = ("refers_to", "depends_on", "exception_to", "contradicts")
    return max(Counter((one.target, one.kind) for it in parts for one in it.edges if one.kind in kinds).values())


def naming(parts: list[MemoryDocument]) -> int:
    return max(Counter(mention.entity for it in parts for mention in it.mentions).values())


def test_degrees_are_bounded_over_all_documents_however_they_came(tmp_path: Path) -> None:
    letters = {
        f"letter{number:03}": f"# Letter number {number}\n\n1. As set out in clause 2 of the Master Agreement, part {number} is paid.\n"
        for number in range(80)
    }
    old = dict(list(letters.items())[:70])
    ingest_memory(tmp_path / "g", [write(tmp_path / "old", {"master_agreement": MASTER} | old)], name="g")
    add_documents(tmp_path / "g", [write(tmp_path / "new", dict(list(letters.items())[70:]))])
    parts = read_memory(tmp_path / "g", lambda artifact: list(current_documents(artifact)))
    assert arriving(parts) == collection.MOST_ARRIVING


def test_entities_are_bounded_over_all_documents_however_they_came(tmp_path: Path) -> None:
    wharf = "\n\n".join(f"{number}. Kilo Wharf has Pump Z{number}." for number in range(1, 61))
    texts = {f"note{number}": f"# Note {number}\n\n{wharf}\n" for number in range(4)}
    first = write(tmp_path / "d", {name: text for name, text in texts.items() if name != "note3"})
    ingest_memory(tmp_path / "g", [first], name="g")
    parts = read_memory(tmp_path / "g", lambda artifact: list(current_documents(artifact)))
    assert naming(parts) == 180
    add_documents(tmp_path / "g", [write(tmp_path / "e", {"note3": texts["note3"]})])
    parts = read_memory(tmp_path / "g", lambda artifact: list(current_documents(artifact)))
    assert naming(parts) == 4
    remove_documents(tmp_path / "g", ["note3"])
    assert held(tmp_path / "g") == fresh(first)


def test_the_same_bytes_under_another_ending_are_read_again(tmp_path: Path) -> None:
    text = "Title\n=====\n\n1. Go.\n"
    ingest_memory(tmp_path / "g", [write(tmp_path / "d", {"a": text})], name="g")
    (tmp_path / "d" / "a.md").rename(tmp_path / "d" / "a.txt")
    assert add_documents(tmp_path / "g", [tmp_path / "d"]).replaced == ("a",)
    assert held(tmp_path / "g") == fresh(tmp_path / "d")


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ({}, "read by an earlier version, or not from files"),
        ({"rules": RULES + 1}, "were read by the rules of another version"),
    ],
)
@pytest.mark.parametrize(
    "change", [lambda path, folder: add_documents(path, [folder]), lambda path, folder: remove_documents(path, ["a"])]
)
def test_a_memory_of_other_rules_is_searched_and_not_changed(
    tmp_path: Path, rules: dict[str, int], why: str, change: Callable[[Path, Path], object]
) -> None:
    folder = write(tmp_path / "d", {"a": MASTER})
    write_memory(tmp_path / "g", ingest([folder]), name="g", settings={"by_path": False} | rules)
    with pytest.raises(UserError, match=f"{why}.* ingest all its documents again into a new folder"):
        change(tmp_path / "g", folder)
    assert len(open_memory(tmp_path / "g").graph.units) == 2


def test_a_document_that_was_not_read_is_named_until_its_file_is_added(tmp_path: Path, grown: Path) -> None:
    update_memory(grown, add=[part("hand_made", ["By hand."])])
    with pytest.raises(UserError, match="'hand_made' was put there as it is"):
        remove_documents(grown, ["side_letter"])
    add_documents(grown, [write(tmp_path / "e", {"hand_made": "By hand.\n"})])
    write(tmp_path / "d", {"hand_made": "By hand.\n"})
    assert held(grown) == fresh(tmp_path / "d")


def put_by_hand(memory: Path, document: str) -> None:
    """Give a document another edge; its hash stays that of its file."""
    (old,) = read_memory(memory, lambda artifact: list(current_documents(artifact, [document])))
    edge = Edge(old.units[1].id, old.units[0].id, "depends_on", 1.0, 1.0, "by hand")
    update_memory(memory, add=[replace(old, edges=(*old.edges, edge))])


def test_a_part_that_was_put_in_place_of_one_that_was_read_is_not_linked_anew(tmp_path: Path, grown: Path) -> None:
    put_by_hand(grown, "master_agreement")
    before = held(grown)
    with pytest.raises(UserError, match="'master_agreement' was put there as it is"):
        add_documents(grown, [write(tmp_path / "e", {"note": "See the Side Letter.\n"})])
    assert held(grown) == before
    assert add_documents(grown, [tmp_path / "d"]).replaced == ("master_agreement",)
    assert held(grown) == fresh(tmp_path / "d")


def test_a_document_that_is_removed_and_put_back_as_it_was_counts_as_not_read(grown: Path) -> None:
    (old,) = read_memory(grown, lambda artifact: list(current_documents(artifact, ["master_agreement"])))
    update_memory(grown, remove=["master_agreement"])
    update_memory(grown, add=[old])
    with pytest.raises(UserError, match="'master_agreement' was put there as it is"):
        remove_documents(grown, ["side_letter"])


def test_a_part_that_is_given_as_it_is_there_is_still_read(grown: Path) -> None:
    update_memory(grown, add=read_memory(grown, lambda artifact: list(current_documents(artifact))))
    assert remove_documents(grown, ["master_agreement"]).relinked == ("side_letter",)


def test_a_part_without_a_hash_is_not_lost(grown: Path) -> None:
    update_memory(grown, add=[replace(part("hand_made", ["By hand."]), sha256="")])
    with pytest.raises(UserError, match="'hand_made' was put there as it is"):
        remove_documents(grown, ["side_letter"])


def test_bad_files_change_nothing(tmp_path: Path, grown: Path) -> None:
    before = files(grown)
    (tmp_path / "bad.md").write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"bad\.md:1: byte 0xff"):
        add_documents(grown, [tmp_path / "bad.md"])
    with pytest.raises(UserError, match="holds no document 'nobody'"):
        remove_documents(grown, ["nobody"])
    assert files(grown) == before


def test_a_damaged_reading_is_named_by_who_needs_it(tmp_path: Path, grown: Path) -> None:
    (grown / "readings" / "00001.jsonl").write_bytes(b"")
    with pytest.raises(UserError, match=r"readings/00001\.jsonl: changed since the graph was made"):
        add_documents(grown, [tmp_path / "d"])
    assert verify_memory(grown)[0].startswith("readings/00001.jsonl: changed since")
    assert len(open_memory(grown).graph.units) == 3


def test_files_are_read_before_the_memory_is_locked(
    tmp_path: Path, grown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "d", {"note": "See the Side Letter.\n"})

    def beside_a_writer(given: Sequence[DocumentFile], *_: object) -> list[ReadDocument]:
        update_memory(grown, remove=["master_agreement"])
        return read_files(given)

    monkeypatch.setattr("constraintsuite.memory.ingest.growth.read_files", beside_a_writer)
    growth = add_documents(grown, [tmp_path / "d" / "note.md"])
    (tmp_path / "d" / "master_agreement.md").unlink()
    assert growth.new == ("note",)
    assert held(grown) == fresh(tmp_path / "d")


@pytest.fixture
def by_path(tmp_path: Path) -> Path:
    """A memory of a/s, b/s and c/s, the last two alike."""
    (tmp_path / "p").mkdir()
    for name, text in {"a": "Ada rows.\n", "b": "Bo swims.\n", "c": "Bo swims.\n"}.items():
        write(tmp_path / "p" / name, {"s": text})
    ingest_memory(tmp_path / "g", [tmp_path / "p"], name="g", by_path=True)
    return tmp_path / "g"


def test_a_file_that_is_there_by_another_path_is_refused(tmp_path: Path, by_path: Path) -> None:
    before = files(by_path)
    with pytest.raises(UserError, match=r"the file of 's' is there already, as 'a/s'\."):
        add_documents(by_path, [tmp_path / "p" / "a"])
    assert files(by_path) == before


def test_a_file_that_may_be_there_by_another_path_is_noted(tmp_path: Path, by_path: Path) -> None:
    write(tmp_path / "p" / "a", {"s": "Ada rows no more.\n"})
    growth = add_documents(by_path, [tmp_path / "p" / "a"], dry_run=True)
    assert growth.new == ("s",)
    assert [note.partition(" stays")[0] for note in growth.notes] == [
        f"the document 's' is new, and '{other}/s'" for other in "abc"
    ]


def test_a_copy_in_the_folder_that_a_memory_was_made_of_is_a_document(tmp_path: Path, by_path: Path) -> None:
    write(tmp_path / "p" / "d", {"s": "Ada rows.\n"})
    growth = add_documents(by_path, [tmp_path / "p"])
    assert (growth.new, growth.unchanged, growth.notes) == (("d/s",), ("a/s", "b/s", "c/s"), ())


def test_one_writer_at_a_time(tmp_path: Path, grown: Path) -> None:
    write(tmp_path / "d", {"note": "See the Side Letter.\n"})
    with folder_lock(grown), pytest.raises(UserError, match="another csuite command is writing here"):
        add_documents(grown, [tmp_path / "d"])
