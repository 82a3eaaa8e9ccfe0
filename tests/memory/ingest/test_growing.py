"""A memory that grows: after any history it holds what ingesting its documents at once gives, also after a crash."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.errors import UserError
from constraintsuite.memory import confirming
from constraintsuite.memory.folder import open_memory, read_memory, update_memory, verify_memory, write_memory
from constraintsuite.memory.ingest import citing, collection, growing, linking
from constraintsuite.memory.ingest.collection import ingest
from constraintsuite.memory.ingest.files import DocumentFile, read_document, read_files
from constraintsuite.memory.ingest.growing import RULES, add_documents, ingest_memory, remove_documents
from constraintsuite.memory.ingest.kept import Kept
from constraintsuite.memory.ingest.linking import ReadDocument
from constraintsuite.memory.records import Part
from constraintsuite.memory.segments import living_parts
from constraintsuite.store.files import folder_lock, sha256_text
from constraintsuite.store.jsonl import adapter, encode
from memory.tiny_parts import part

DOCUMENTS = Path(__file__).parent / "data" / "documents"
MASTER = "# Master Agreement\n\n1. The Supplier shall deliver on Monday.\n\n2. The Buyer shall pay in 30 days.\n"
LETTER = "# Side Letter\n\n1. Notwithstanding clause 2 of the Master Agreement, Kilo Ltd pays in 60 days.\n"


def write(folder: Path, texts: Mapping[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def held(memory: Path) -> list[bytes]:
    return [
        encode(one) for one in sorted(read_memory(memory, lambda it: list(living_parts(it))), key=lambda one: one.id)
    ]


def fresh(folder: Path) -> list[bytes]:
    return [encode(one) for one in ingest([folder])] if any(folder.iterdir()) else []


def files(folder: Path) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.name != ".lock"}


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    """Telling which libraries are installed takes longer than all the rest of writing a small memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confirming, "environment", lambda seconds: {})
        yield


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    ingest_memory(
        tmp_path / "g", [write(tmp_path / "d", {"master_agreement": MASTER, "side_letter": LETTER})], name="g"
    )
    return tmp_path / "g"


TITLES = {"master": "Master Agreement", "letter": "Side Letter", "lease": "Harbour Lease", "lamp": "Side Letter"}
SENTENCES = (
    "The Supplier shall deliver to Kilo Wharf within {number} days.",
    "Notwithstanding clause {number} of the {title}, Kilo Ltd pays.",
    "Subject to clause {number}, see the {title}.",
    "Door B4 is {open}.",
    "The {title} applies to Ada Lind.",
)
sentences = st.builds(
    lambda text, number, title, is_open: text.format(
        number=number, title=title, open="open" if is_open else "not open"
    ),
    st.sampled_from(SENTENCES),
    st.integers(1, 3),
    st.sampled_from(sorted(set(TITLES.values()))),
    st.booleans(),
)
clauses = st.lists(sentences, max_size=3)
changes = st.dictionaries(st.sampled_from(sorted(TITLES)), st.none() | clauses, min_size=1, max_size=3)


def apply(folder: Path, memory: Path, change: Mapping[str, list[str] | None]) -> None:
    """Write and add the documents of a change; those that are None are removed."""
    there = {file.stem for file in folder.iterdir()}
    gone = [name for name, text in change.items() if text is None and name in there]
    come = {
        name: f"# {TITLES[name]}\n\n" + "\n\n".join(f"{number}. {text}" for number, text in enumerate(given, 1))
        for name, given in change.items()
        if given is not None
    }
    if gone:
        for name in gone:
            (folder / f"{name}.md").unlink()
        remove_documents(memory, gone)
    if come:
        write(folder, come)
        add_documents(memory, [folder / f"{name}.md" for name in come])


@settings(max_examples=15, deadline=None)
@given(history=st.lists(changes, min_size=1, max_size=4))
def test_any_history_gives_the_parts_of_a_fresh_ingest(
    tmp_path_factory: pytest.TempPathFactory, history: list[dict[str, list[str] | None]]
) -> None:
    root = tmp_path_factory.mktemp("grown")
    folder = write(root / "d", {"zero": "# Zero\n\n1. See the Side Letter.\n"})
    with pytest.MonkeyPatch.context() as patch:  # so that a few documents reach every bound
        patch.setattr(linking, "MOST_ARRIVING", 2)
        patch.setattr(collection, "MOST_MENTIONED", 3)
        patch.setattr(citing, "_MOST_TITLED", 2)
        ingest_memory(root / "g", [folder], name="g")
        for change in history:
            apply(folder, root / "g", change)
            assert held(root / "g") == fresh(folder)
        again = root / "again"
        ingest_memory(again, [folder], name="g")
    manifests = [read_memory(path, lambda artifact: artifact.manifest) for path in (root / "g", again)]
    assert manifests[0].fingerprint == manifests[1].fingerprint
    assert verify_memory(root / "g") == []


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
    assert open_memory(grown).graph.dangling == 0


def test_a_dry_run_says_the_same_and_writes_nothing(tmp_path: Path, grown: Path) -> None:
    write(tmp_path / "d", {"master_agreement": f"{MASTER}\n3. New.\n", "note": "# Note\n\nSee the Side Letter.\n"})
    before = files(grown)
    planned = add_documents(grown, [tmp_path / "d"], dry_run=True)
    assert files(grown) == before
    done = add_documents(grown, [tmp_path / "d"])
    assert (planned.new, planned.replaced, planned.relinked) == (done.new, done.replaced, done.relinked)
    assert (done.new, done.replaced) == (("note",), ("master_agreement",))


def arriving(parts: list[Part]) -> int:
    kinds = ("refers_to", "depends_on", "exception_to", "contradicts")
    return max(Counter((one.target, one.kind) for it in parts for one in it.edges if one.kind in kinds).values())


def naming(parts: list[Part]) -> int:
    return max(Counter(mention.entity for it in parts for mention in it.mentions).values())


def test_degrees_are_bounded_over_all_documents_however_they_came(tmp_path: Path) -> None:
    letters = {
        f"letter{number:03}": f"# Letter number {number}\n\n1. As set out in clause 2 of the Master Agreement, part {number} is paid.\n"
        for number in range(80)
    }
    old = dict(list(letters.items())[:70])
    ingest_memory(tmp_path / "g", [write(tmp_path / "old", {"master_agreement": MASTER} | old)], name="g")
    add_documents(tmp_path / "g", [write(tmp_path / "new", dict(list(letters.items())[70:]))])
    parts = read_memory(tmp_path / "g", lambda artifact: list(living_parts(artifact)))
    assert arriving(parts) == linking.MOST_ARRIVING


def test_entities_are_bounded_over_all_documents_however_they_came(tmp_path: Path) -> None:
    wharf = "\n\n".join(f"{number}. Kilo Wharf has Pump Z{number}." for number in range(1, 61))
    texts = {f"note{number}": f"# Note {number}\n\n{wharf}\n" for number in range(4)}
    first = write(tmp_path / "d", {name: text for name, text in texts.items() if name != "note3"})
    ingest_memory(tmp_path / "g", [first], name="g")
    parts = read_memory(tmp_path / "g", lambda artifact: list(living_parts(artifact)))
    assert naming(parts) == 180
    add_documents(tmp_path / "g", [write(tmp_path / "e", {"note3": texts["note3"]})])
    parts = read_memory(tmp_path / "g", lambda artifact: list(living_parts(artifact)))
    assert naming(parts) == 4
    remove_documents(tmp_path / "g", ["note3"])
    assert held(tmp_path / "g") == fresh(first)


def test_the_same_bytes_under_another_ending_are_read_again(tmp_path: Path) -> None:
    text = "Title\n=====\n\n1. Go.\n"
    ingest_memory(tmp_path / "g", [write(tmp_path / "d", {"a": text})], name="g")
    (tmp_path / "d" / "a.md").rename(tmp_path / "d" / "a.txt")
    assert add_documents(tmp_path / "g", [tmp_path / "d"]).replaced == ("a",)
    assert held(tmp_path / "g") == fresh(tmp_path / "d")


@pytest.mark.parametrize("rules", [{}, {"rules": RULES + 1}], ids=["written before there were readings", "other rules"])
@pytest.mark.parametrize(
    "change", [lambda path, folder: add_documents(path, [folder]), lambda path, folder: remove_documents(path, ["a"])]
)
def test_a_memory_of_other_rules_is_searched_and_not_changed(
    tmp_path: Path, rules: dict[str, int], change: Callable[[Path, Path], object]
) -> None:
    folder = write(tmp_path / "d", {"a": MASTER})
    write_memory(tmp_path / "g", ingest([folder]), name="g", settings={"by_path": False} | rules)
    with pytest.raises(UserError, match="ingest all its documents again into a new folder"):
        change(tmp_path / "g", folder)
    assert len(open_memory(tmp_path / "g").graph.units) == 2


def test_a_document_that_was_not_read_is_named_until_its_file_is_added(tmp_path: Path, grown: Path) -> None:
    update_memory(grown, add=[part("hand_made", ["By hand."])])
    with pytest.raises(UserError, match="'hand_made' was put there as it is"):
        remove_documents(grown, ["side_letter"])
    add_documents(grown, [write(tmp_path / "e", {"hand_made": "By hand.\n"})])
    write(tmp_path / "d", {"hand_made": "By hand.\n"})
    assert held(grown) == fresh(tmp_path / "d")


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
    with pytest.raises(UserError, match=r"readings/00001\.jsonl: cut short"):
        add_documents(grown, [tmp_path / "d"])
    assert verify_memory(grown)[0].startswith("readings/00001.jsonl: cut short")
    assert len(open_memory(grown).graph.units) == 3


def test_files_are_read_before_the_memory_is_locked(
    tmp_path: Path, grown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "d", {"note": "See the Side Letter.\n"})

    def beside_a_writer(given: Sequence[DocumentFile], *_: object) -> list[ReadDocument]:
        update_memory(grown, remove=["master_agreement"])
        return read_files(given)

    monkeypatch.setattr(growing, "read_files", beside_a_writer)
    growth = add_documents(grown, [tmp_path / "d" / "note.md"])
    (tmp_path / "d" / "master_agreement.md").unlink()
    assert growth.new == ("note",)
    assert held(grown) == fresh(tmp_path / "d")


def test_one_writer_at_a_time(tmp_path: Path, grown: Path) -> None:
    write(tmp_path / "d", {"note": "See the Side Letter.\n"})
    with folder_lock(grown), pytest.raises(UserError, match="another csuite command is writing here"):
        add_documents(grown, [tmp_path / "d"])


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(
        st.text(max_size=30)
        | sentences
        | st.sampled_from(["| a | b |", "- item:", "```", f"Pay {'9' * 400} days.", "“Term” means B."]),
        max_size=6,
    )
)
def test_what_is_kept_of_a_document_is_all_that_was_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    file = tmp_path_factory.mktemp("kept") / "a.md"
    file.write_bytes("\n".join(lines).replace("\0", "").encode("utf-8", "ignore"))
    try:
        read = read_document(DocumentFile(file, "a"))
    except UserError:
        return  # no text, or numbered twice
    line = encode(Kept.of(read))
    assert b"\n" not in line
    assert adapter(Kept).validate_json(line).read() == read


def kept_lines(folder: Path) -> Iterator[str]:
    for file in sorted(folder.iterdir()):
        yield encode(Kept.of(read_document(DocumentFile(file, file.stem)))).decode()


def test_readings_are_the_same_bytes_until_the_rules_have_another_number() -> None:
    """If this fails because files are read differently now, raise RULES and put the new hash here."""
    assert (RULES, sha256_text(*kept_lines(DOCUMENTS))[:16]) == (1, "4ee6142da0c1c735")


WRITER = """
import os, shutil, sys
from pathlib import Path
from constraintsuite.memory import confirming
from constraintsuite.memory.ingest.growing import add_documents, ingest_memory
from memory.killing import kill_between_all_steps

confirming._MOST_FILES = 1  # so that old files are taken away, too
confirming.environment = lambda seconds: {}  # it takes the longest, and is not looked at

def change(root, memory):
    shutil.copytree(root / "m", memory)
    said = os.open(memory.with_suffix(".said"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    add_documents(memory, [root / "1"])
    os.write(said, b"1")

root = Path(sys.argv[1])
ingest_memory(root / "m", [root / "0"], name="g")
change(root, root / "m0")  # loads what is loaded late
kill_between_all_steps(lambda steps: change(root, root / f"m{steps}"))
"""


def test_a_writer_killed_between_any_two_steps_leaves_one_state_whole(tmp_path: Path) -> None:
    states = [{"side_letter": LETTER, "master_agreement": MASTER}]
    states.append(states[0] | {"master_agreement": f"{MASTER}\n3. The Side Letter ranks first.\n", "note": "Old.\n"})
    wanted = [fresh(write(tmp_path / str(number), texts)) for number, texts in enumerate(states)]
    tests = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", WRITER, str(tmp_path)], check=True, cwd=tests)
    tried = sorted(path.with_suffix("") for path in tmp_path.glob("*.said"))
    assert len(tried) > 20
    later = write(tmp_path / "later", states[1] | {"note": "New.\n"})
    at_last = fresh(later)
    for path in tried:
        assert verify_memory(path) == []
        confirmed = int(path.with_suffix(".said").read_text() or "0")
        assert held(path) in wanted[confirmed:]
        add_documents(path, [later])
        assert held(path) == at_last
        assert not [file for file in path.rglob("*") if ".tmp-" in file.name]
