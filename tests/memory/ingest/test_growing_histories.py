"""A memory that grows: after any history, and after a crash at any step, it holds what ingesting its documents at once gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import adapter, encode
from constraintsuite.memory import folder
from constraintsuite.memory.folder import read_memory, verify_memory
from constraintsuite.memory.ingest import citation_edges, collection, names
from constraintsuite.memory.ingest.collection import DocumentFile, read_document
from constraintsuite.memory.ingest.growth import add_documents, ingest_memory, remove_documents
from constraintsuite.memory.ingest.unit_reader import KeptReading
from memory.ingest.growing_folders import LETTER, MASTER, fresh, held, write


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    """Telling which libraries are installed takes longer than all the rest of writing a small memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "environment", lambda seconds: {})
        yield


TITLES = {"master": "Master Agreement", "letter": "Side Letter", "lease": "Harbour Lease", "lamp": "Side Letter"}
SENTENCES = (
    "The Supplier shall deliver to Kilo Wharf within {number} days.",
    "Notwithstanding clause {number} of the {title}, Kilo Ltd pays.",
    "Subject to clause {number}, see the {title}.",
    "AccessTokens B4 is {open}.",
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
        patch.setattr(collection, "MOST_ARRIVING", 2)
        patch.setattr(names, "MOST_MENTIONED", 3)
        patch.setattr(citation_edges, "_MOST_TITLED", 2)
        ingest_memory(root / "g", [folder], name="g")
        for change in history:
            apply(folder, root / "g", change)
            assert held(root / "g") == fresh(folder)
        again = root / "again"
        ingest_memory(again, [folder], name="g")
    manifests = [read_memory(path, lambda artifact: artifact.manifest) for path in (root / "g", again)]
    assert manifests[0].fingerprint == manifests[1].fingerprint
    assert verify_memory(root / "g") == []


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
    line = encode(KeptReading.of(read))
    assert b"\n" not in line
    assert adapter(KeptReading).validate_json(line).read() == read


WRITER = """
import os, shutil, sys
from pathlib import Path
from constraintsuite.memory import folder
from constraintsuite.memory.ingest.growth import add_documents, ingest_memory
from memory.killing import kill_between_all_steps

folder._MOST_FILES = 1  # so that old files are taken away, too
folder.environment = lambda seconds: {}  # it takes the longest, and is not looked at

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
