"""Replay of a shadow set."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.memory.folder import write_memory
from constraintsuite.memory.ingest.collection import ingest
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.private.acceptance import ShadowCase
from constraintsuite.memory.private.drift import open_side, read_shadow, replay
from constraintsuite.memory.private.versions import freeze
from memory.private.small_pilot import begun, export_pilot, labelled, write_documents

QUESTIONS = (
    ShadowCase("late", "rent that is late", ("garage_lease:1.2",)),
    ShadowCase("candles", "broken candles"),
    ShadowCase("nothing", "xylophone"),
)


def test_the_same_memory_does_not_drift(tmp_path: Path) -> None:
    memory = Memory.of(ingest([write_documents(tmp_path / "documents")]))
    found = replay(QUESTIONS, memory, memory, ["lexical_baseline"], 5)
    assert found.moved == ()
    assert found.modes[0].rbo.value == 1
    assert found.modes[0].overlap.n == 2  # of nothing that was found, nothing can be compared


def test_what_moved_is_told_with_what_was_lost(tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents")
    before = Memory.of(ingest([documents]))
    lease = documents / "garage_lease.md"
    lease.write_text(lease.read_text().replace("If the rent is more than ten days late", "Beyond ten days"))
    found = replay(QUESTIONS, before, Memory.of(ingest([documents])), ["lexical_baseline", "structure_only"], 1)
    late = next(one for one in found.moved if (one.case, one.mode) == ("late", "lexical_baseline"))
    assert late.lost == late.evidence_lost == ("garage_lease:1.2",)
    assert late.same_first is False
    assert found.modes[0].evidence_lost == 1


def test_versions_and_memory_folders_can_be_compared(tmp_path: Path) -> None:
    version = freeze(begun(tmp_path))
    write_memory(tmp_path / "memory", ingest([tmp_path / "documents"]), name="same")
    found = replay(QUESTIONS, open_side(version.artifact.path), open_side(tmp_path / "memory"), ["lexical_baseline"], 5)
    assert found.moved == ()


@pytest.mark.parametrize(
    ("cases", "said"), [((), "no questions"), ((QUESTIONS[0], QUESTIONS[0]), "'late' is given twice")]
)
def test_a_shadow_set_that_cannot_be_replayed(tmp_path: Path, cases: tuple[ShadowCase, ...], said: str) -> None:
    write_jsonl(tmp_path / "shadow.jsonl", cases)
    with pytest.raises(UserError, match=said):
        read_shadow(tmp_path / "shadow.jsonl")


def test_questions_of_one_document_are_no_independent_ones(tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents")
    before = Memory.of(ingest([documents]))
    lease = documents / "garage_lease.md"
    lease.write_text(lease.read_text().replace("rent", "fee"))
    after = Memory.of(ingest([documents]))

    def width(*shadow: ShadowCase) -> float:
        figure = replay(shadow, before, after, ["lexical_baseline"], 5).modes[0].same_first
        assert figure.low is not None
        assert figure.high is not None
        return figure.high - figure.low

    apart = [ShadowCase(f"{word}-{n}", word) for word in ("rent", "candles") for n in range(8)]
    joined = [ShadowCase(c.case, c.query, documents=("lease" if c.query == "rent" else "supply",)) for c in apart]
    assert width(*joined) > width(*apart)


def test_an_export_says_of_which_documents_a_question_is(tmp_path: Path) -> None:
    export_pilot(labelled(tmp_path), tmp_path / "out")
    (case,) = read_shadow(tmp_path / "out" / "shadow.jsonl")
    assert (case.case, case.documents) == ("shadow-notice", ("garage_lease",))


def test_a_shadow_set_without_documents_is_read_still(tmp_path: Path) -> None:
    (tmp_path / "shadow.jsonl").write_text('{"case": "late", "query": "late rent", "evidence": []}\n')
    assert read_shadow(tmp_path / "shadow.jsonl") == [ShadowCase("late", "late rent")]
