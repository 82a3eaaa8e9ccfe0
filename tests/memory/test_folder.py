"""A memory on disk: what was written is read, what is damaged is refused by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, Artifact
from constraintsuite.core.store.files import folder_lock
from constraintsuite.memory import folder
from constraintsuite.memory.folder import open_memory, verify_memory, write_memory
from constraintsuite.memory.index import load_terms
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.records import Edge, EntityMention, MemoryDocument, Unit
from constraintsuite.models.dense import DenseScorer
from memory.folder_changes import held_documents, update_memory
from memory.tiny_parts import LetterEncoder, part, table

LEASE = part("lease", ["The tenant pays.", "Unless."], [("lease:2", "lease:1", "exception_to")], [(1, "tenant")])
ANNEX = part("annex", ["The boiler."], [("annex:1", "lease:1", "refers_to")], [(1, "boiler")])
RICH = MemoryDocument(
    "Vertrag/ä:1",
    "Überschrift",
    "00",
    (
        Unit("Vertrag/ä:1:§4", "Vertrag/ä:1", "„Text“\nzwei\u2028drei", ("A", "B"), ("exception", "remedy"), (3, 9)),
        Unit("Vertrag/ä:1:b", "Vertrag/ä:1", "", (), (), None, "2024-01-01", "2025-01-01", {"speaker": "Ω"}),
    ),
    (Edge("Vertrag/ä:1:b", "Vertrag/ä:1:§4", "depends_on", 0.1 + 0.2, 1 / 3, "weil"),),
    (EntityMention("Vertrag/ä:1:b", "москва", "Москва́", 3),),
)


def documents(path: Path) -> list[str]:
    return [held.id for held in open_memory(path).graph.documents]


def segments(path: Path) -> list[str]:
    return sorted(file.name for file in (path / "segments").iterdir())


def test_what_was_written_is_read(tmp_path: Path) -> None:
    made = write_memory(tmp_path / "m", [LEASE, ANNEX, RICH], name="tiny", settings={"rules": 1})
    memory = open_memory(tmp_path / "m", DenseScorer("letters", LetterEncoder(), "dot"))
    assert memory.graph.units == (*RICH.units, *ANNEX.units, *LEASE.units)
    assert Edge("Vertrag/ä:1:b", "Vertrag/ä:1:§4", "depends_on", 0.1 + 0.2, 1 / 3, "weil") in table(memory.graph)
    assert memory.dense("b").tolist() == [0, 0, 1, 0, 0]
    assert made.manifest.kind == "graph"
    assert made.manifest.counts == {"documents": 3, "units": 5, "edges": 3, "mentions": 3, "lines": 3}
    assert made.manifest.settings == {"rules": 1}
    assert verify_memory(tmp_path / "m") == []


def test_the_order_of_the_documents_does_not_show(tmp_path: Path) -> None:
    one = write_memory(tmp_path / "one", [LEASE, ANNEX], name="tiny")
    two = write_memory(tmp_path / "two", [ANNEX, LEASE], name="tiny")
    assert one.manifest == two.manifest


def test_writing_the_same_again_changes_nothing(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE], name="tiny")
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if file.name != ".lock"}
    write_memory(tmp_path, [LEASE], name="tiny")
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if file.name != ".lock"} == before


@pytest.mark.parametrize(
    ("parts", "name", "settings", "said"),
    [
        ([ANNEX], "tiny", {"by_path": False}, "or add and remove documents there."),
        ([LEASE], "tiny", {"rules": 2}, 'or use its settings, {"by_path": false}.'),
        ([ANNEX], "tiny", {"rules": 2}, 'or use its settings, {"by_path": false}.'),
        ([LEASE], "big", {"by_path": False}, "or use its name."),
    ],
)
def test_another_memory_is_not_written_over_one(
    tmp_path: Path, parts: list[MemoryDocument], name: str, settings: dict[str, object], said: str
) -> None:
    write_memory(tmp_path, [LEASE], name="tiny", settings={"by_path": False})
    there = (
        "this folder already holds the graph 'tiny', made from other inputs, settings or versions. Choose another --out"
    )
    with pytest.raises(UserError, match=re.escape(f"{there}, {said}")):
        write_memory(tmp_path, parts, name=name, settings=settings)
    assert documents(tmp_path) == ["lease"]


def test_a_folder_among_the_segments_is_left_and_ends_no_change(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE], name="tiny")
    (tmp_path / "segments" / "mine").mkdir()
    made = update_memory(tmp_path, [ANNEX])
    assert (documents(tmp_path), segments(tmp_path)[-1]) == (["annex", "lease"], "mine")
    assert load_terms(made) is not None


def test_a_memory_is_not_written_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match=r"notes\.txt: this is not part of the graph"):
        write_memory(tmp_path, [LEASE], name="tiny")
    with pytest.raises(UserError, match="this is a file"):
        write_memory(tmp_path / "notes.txt", [LEASE], name="tiny")


def test_an_update_adds_a_segment_and_leaves_the_others(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE], name="tiny")
    first = (tmp_path / "segments" / "00001.jsonl").read_bytes()
    made = update_memory(tmp_path, add=[ANNEX])
    assert segments(tmp_path) == ["00001.jsonl", "00002.jsonl"]
    assert (tmp_path / "segments" / "00001.jsonl").read_bytes() == first
    assert list(made.manifest.files) == ["segments/00001.jsonl", "segments/00002.jsonl"]
    assert documents(tmp_path) == ["annex", "lease"]
    assert len(open_memory(tmp_path).graph.open_edges.source) == 0


def test_a_removal_is_a_line(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE, ANNEX], name="tiny")
    made = update_memory(tmp_path, remove=["lease"])
    assert json.loads((tmp_path / "segments" / "00002.jsonl").read_text()) == {
        "document": "lease",
        "digest": "",
        "part": None,
    }
    assert (documents(tmp_path), len(open_memory(tmp_path).graph.open_edges.source)) == (["annex"], 1)
    assert made.manifest.counts["units"] == 1


def test_an_unchanged_document_is_not_written_again(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE, ANNEX], name="tiny")
    newer = part("annex", ["The pump."])
    update_memory(tmp_path, add=[LEASE, newer])
    lines = (tmp_path / "segments" / "00002.jsonl").read_text().splitlines()
    assert [json.loads(line)["document"] for line in lines] == ["annex"]
    assert [unit.text for unit in open_memory(tmp_path).graph.units[:1]] == ["The pump."]
    update_memory(tmp_path, add=[LEASE, newer])
    assert segments(tmp_path) == ["00001.jsonl", "00002.jsonl"]


def test_the_hashes_of_the_sources_are_known_without_opening_the_memory(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE, ANNEX], name="tiny")
    update_memory(tmp_path, add=[part("annex", ["new"])], remove=["lease"])
    assert held_documents(tmp_path) == {"annex": part("annex", ["new"]).sha256}


def test_the_history_does_not_show_in_what_is_promised(tmp_path: Path) -> None:
    write_memory(tmp_path / "grown", [LEASE], name="tiny")
    update_memory(tmp_path / "grown", add=[ANNEX, RICH])
    grown = update_memory(tmp_path / "grown", remove=[RICH.id])
    fresh = write_memory(tmp_path / "fresh", [LEASE, ANNEX], name="tiny")
    assert grown.manifest.fingerprint == fresh.manifest.fingerprint
    assert table(open_memory(tmp_path / "grown").graph) == table(open_memory(tmp_path / "fresh").graph)


def test_what_is_out_of_date_is_not_kept_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "_FEW", 1)
    write_memory(tmp_path, [LEASE, ANNEX], name="tiny")
    update_memory(tmp_path, add=[part("annex", ["two"])])
    update_memory(tmp_path, add=[part("annex", ["three"])])
    assert segments(tmp_path) == ["00001.jsonl", "00002.jsonl", "00003.jsonl"]
    update_memory(tmp_path, add=[part("annex", ["four"])])
    assert segments(tmp_path) == ["00004.jsonl"]
    assert [unit.text for unit in open_memory(tmp_path).graph.units] == ["four", "The tenant pays.", "Unless."]
    assert verify_memory(tmp_path) == []


@pytest.mark.parametrize(
    ("add", "remove", "message"),
    [
        ([part("a", ["x"], [("a:1", "a:2", "next")])], [], "this document does not have"),
        ([ANNEX, ANNEX], [], "given twice"),
        ([ANNEX], ["nobody"], "holds no document 'nobody'"),
    ],
)
def test_a_wrong_change_changes_nothing(
    tmp_path: Path, add: list[MemoryDocument], remove: list[str], message: str
) -> None:
    write_memory(tmp_path, [LEASE], name="tiny")
    before = (tmp_path / MANIFEST).read_bytes()
    with pytest.raises(UserError, match=message):
        update_memory(tmp_path, add, remove)
    assert ((tmp_path / MANIFEST).read_bytes(), segments(tmp_path)) == (before, ["00001.jsonl"])


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE], name="tiny")
    with folder_lock(tmp_path), pytest.raises(UserError, match="another csuite command is writing here"):
        update_memory(tmp_path, [ANNEX])
    assert documents(tmp_path) == ["lease"]


@pytest.mark.parametrize(
    ("ask", "first"), [(open_memory, "current_documents"), (held_documents, "entries"), (verify_memory, "entries")]
)
def test_what_is_asked_while_a_writer_puts_files_together_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Path], object], first: str
) -> None:
    write_memory(tmp_path, [LEASE, ANNEX], name="tiny")
    monkeypatch.setattr(folder, "_FEW", 1)
    step = getattr(folder, first)
    asked = 0

    def beside_a_writer(*arguments: object) -> object:
        nonlocal asked
        asked += 1
        if asked == 1:
            monkeypatch.setattr(folder, first, step)  # the writer needs it, too
            for number in range(3):
                update_memory(tmp_path, [part("annex", [str(number)])])
            assert segments(tmp_path) == ["00004.jsonl"]
            monkeypatch.setattr(folder, first, beside_a_writer)
        return step(*arguments)

    monkeypatch.setattr(folder, first, beside_a_writer)
    found = ask(tmp_path)
    assert asked == 2
    assert found == [] or found == held_documents(tmp_path) or isinstance(found, Memory)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-3])


def edit(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"tenant pays", b"tenant fays"))


@pytest.mark.parametrize(
    ("damage", "said"),
    [(cut, "changed since"), (edit, "changed since"), (Path.unlink, "deleted since")],
)
def test_a_damaged_segment_is_refused_by_name(tmp_path: Path, damage: object, said: str) -> None:
    write_memory(tmp_path, [ANNEX], name="tiny")
    update_memory(tmp_path, [LEASE])
    assert callable(damage)
    damage(tmp_path / "segments" / "00002.jsonl")
    for ask in (open_memory, update_memory, held_documents):
        with pytest.raises(UserError, match=rf"segments/00002\.jsonl: {said}"):
            ask(tmp_path)
    assert [line.partition(":")[0] for line in verify_memory(tmp_path)] == ["segments/00002.jsonl"]


def test_a_manifest_that_was_edited_is_found(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE], name="tiny")
    update_memory(tmp_path, [ANNEX])
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    del manifest["files"]["segments/00002.jsonl"]
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    assert verify_memory(tmp_path) == ["manifest.json: changed since it was written"]


def test_a_manifest_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    write_memory(tmp_path / "m", [LEASE], name="tiny")
    manifest = json.loads((tmp_path / "m" / MANIFEST).read_text())
    manifest["files"] = {"segments/../../00001.jsonl": manifest["files"]["segments/00001.jsonl"]}
    (tmp_path / "m" / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="is not in this folder"):
        open_memory(tmp_path / "m")


@pytest.mark.parametrize("ask", [open_memory, update_memory, verify_memory, held_documents])
def test_a_folder_without_a_memory(tmp_path: Path, ask: object) -> None:
    assert callable(ask)
    with pytest.raises(UserError, match="not a finished graph"):
        ask(tmp_path)
    with pytest.raises(UserError, match="no such folder"):
        ask(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_the_files_are_those_of_an_artifact(tmp_path: Path) -> None:
    write_memory(tmp_path, [LEASE], name="tiny")
    update_memory(tmp_path, [ANNEX])
    assert Artifact.open(tmp_path, "graph").verify() == []
