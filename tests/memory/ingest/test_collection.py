"""Whole folders: edges inside and between documents, bounds, bad files, the same parts on any number of workers."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.memory.graph_builder import build_graph
from constraintsuite.memory.ingest.collection import (
    MOST_ARRIVING,
    MOST_LEAVING,
    collection_version,
    ingest,
)
from constraintsuite.memory.ingest.names import MOST_MENTIONED
from constraintsuite.memory.records import EDGE_WEIGHTS, MemoryDocument

DOCUMENTS = Path(__file__).parent / "data" / "documents"


@pytest.fixture(scope="module")
def parts() -> dict[str, MemoryDocument]:
    return {part.id: part for part in ingest([DOCUMENTS])}


def ingest_text(folder: Path, *texts: str) -> list[MemoryDocument]:
    for number, text in enumerate(texts):
        (folder / f"d{number}.md").write_text(text, encoding="utf-8")
    return list(ingest([folder]))


def edges_of(part: MemoryDocument, *kinds: str) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.kind, edge.target) for edge in part.edges if edge.kind in kinds}


@pytest.mark.parametrize(
    ("document", "edges"),
    [
        (
            "harbour_lease",
            {
                ("harbour_lease:1.1", "refers_to", "harbour_lease:1"),
                ("harbour_lease:1.1", "refers_to", "harbour_lease:2"),
                ("harbour_lease:1.3", "depends_on", "harbour_lease:4.2"),
                ("harbour_lease:2.2", "exception_to", "harbour_lease:2.1.b"),
                ("harbour_lease:2.3", "exception_to", "harbour_lease:2.1"),
                ("harbour_lease:3.3", "exception_to", "harbour_lease:3.2"),
                ("harbour_lease:4.3", "depends_on", "harbour_lease:4.2"),
                ("harbour_lease:4.4", "contradicts", "harbour_lease:4.1"),
            },
        ),
        (
            "incident_policy",
            {
                ("incident_policy:3", "exception_to", "incident_policy:2/2"),
                ("incident_policy:3/1", "exception_to", "incident_policy:2/1"),
                ("incident_policy:5", "depends_on", "incident_policy:4"),
                ("incident_policy:p2", "contradicts", "incident_policy:6"),
            },
        ),
        (
            "site_visit",
            {
                ("site_visit:p3", "refers_to", "harbour_lease:p1"),
                ("site_visit:1/2", "refers_to", "harbour_lease:3.1"),
            },
        ),
    ],
)
def test_documents_hang_together(
    parts: dict[str, MemoryDocument], document: str, edges: set[tuple[str, str, str]]
) -> None:
    found = edges_of(parts[document], "refers_to", "depends_on", "exception_to", "contradicts")
    assert found == edges


def test_every_edge_says_why_and_how_sure_it_is(parts: dict[str, MemoryDocument]) -> None:
    edges = [edge for part in parts.values() for edge in part.edges]
    assert all(edge.because and 0 < edge.confidence <= 1 for edge in edges)


def test_edges_leave_the_document_they_are_kept_with(parts: dict[str, MemoryDocument]) -> None:
    for part in parts.values():
        assert {edge.source for edge in part.edges} <= {unit.id for unit in part.units}


def test_the_parts_make_a_graph(parts: dict[str, MemoryDocument]) -> None:
    graph = build_graph(parts.values())
    assert len(graph.units) == sum(len(part.units) for part in parts.values())


def test_neighbours_in_a_section_are_joined_and_sections_are_not(tmp_path: Path) -> None:
    (part,) = ingest_text(tmp_path, "# A\n1. Go.\n2. Stop.\n# B\n3. Rest.")
    assert edges_of(part, "next") == {("d0:1", "next", "d0:2")}


def test_validity_is_that_of_the_document(parts: dict[str, MemoryDocument]) -> None:
    assert {(unit.valid_from, unit.valid_to) for unit in parts["harbour_lease"].units} == {("2025-01-01", "2030-01-01")}


@pytest.mark.parametrize(
    ("first", "second", "contradicts"),
    [
        pytest.param(
            "The Kestrel logs are kept for 30 days.", "The Kestrel logs are kept for 90 days.", True, id="number"
        ),
        pytest.param("AccessTokens B4 is locked.", "AccessTokens B4 is not locked.", True, id="polarity"),
        pytest.param("Logs are kept for 30 days.", "Logs are kept for 90 days.", False, id="nothing is named"),
        pytest.param(
            "The Kestrel logs are kept for 30 days.", "The Osprey logs are kept for 90 days.", False, id="another name"
        ),
        pytest.param(
            "The Kestrel logs are kept for 1 day.", "The Kestrel logs are kept for 24 hours.", False, id="the same time"
        ),
    ],
)
def test_documents_contradict_where_they_name_the_same(
    tmp_path: Path, first: str, second: str, contradicts: bool
) -> None:
    parts = ingest_text(tmp_path, first, second)
    assert bool(edges_of(parts[1], "contradicts")) is contradicts


@pytest.mark.parametrize(
    ("until", "since", "contradicts"),
    [
        ("2025-01-01", "2025-01-01", False),
        ("2025-01-01", "2024-12-31", True),
        ("2025-01-01T00:00:00+02:00", "2024-12-31T23:00:00Z", False),
        ("2025-01-01T00:00:00-02:00", "2025-01-01T01:00:00Z", True),
    ],
)
def test_what_held_before_does_not_contradict_what_holds_now(
    tmp_path: Path, until: str, since: str, contradicts: bool
) -> None:
    old, new = f"---\nvalid_to: {until}\n---\n", f"---\nvalid_from: {since}\n---\n"
    parts = ingest_text(
        tmp_path, f"{old}The Kestrel logs are kept for 30 days.", f"{new}The Kestrel logs are kept for 90 days."
    )
    assert bool(edges_of(parts[1], "contradicts")) is contradicts


def test_unrelated_contracts_are_not_joined(tmp_path: Path) -> None:
    clause = "1. The supplier shall deliver within {} days.\n2. Except as provided in clause 1, the buyer shall pay."
    parts = ingest_text(tmp_path, *(clause.format(days) for days in (10, 20, 30)))
    documents = {unit.id: part.id for part in parts for unit in part.units}
    assert all(documents[edge.source] == documents[edge.target] for part in parts for edge in part.edges)


def test_degrees_are_bounded(tmp_path: Path) -> None:
    cited = "\n".join(
        f"{number}. Clause 1 does not apply to case {number}, see clauses 2 to 20." for number in range(2, 202)
    )
    (part,) = ingest_text(tmp_path, f"1. The rule binds.\n{cited}")
    kinds = ("refers_to", "depends_on", "exception_to", "contradicts")
    edges = [edge for edge in part.edges if edge.kind in kinds]
    assert max(Counter((edge.source, edge.kind) for edge in edges).values()) == MOST_LEAVING
    assert max(Counter((edge.target, edge.kind) for edge in edges).values()) == MOST_ARRIVING


def test_an_entity_that_everything_names_is_left_out(tmp_path: Path) -> None:
    lines = "\n".join(f"{number}. Ask Ada Lind about Tom Rask." for number in range(1, MOST_MENTIONED + 1))
    (part,) = ingest_text(tmp_path, f"{lines}\n{MOST_MENTIONED + 1}. Ask Ada Lind.")
    assert "tom rask" in {mention.entity for mention in part.mentions}
    assert "ada lind" not in {mention.entity for mention in part.mentions}


def test_two_files_of_one_stem_are_refused_by_name(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "terms.md").write_text("1. Pay.")
    with pytest.raises(UserError, match=r"a.terms\.md and .*b.terms\.md would both be the document 'terms'.*--by-path"):
        list(ingest([tmp_path]))
    assert [part.id for part in ingest([tmp_path], by_path=True)] == ["a/terms", "b/terms"]


def test_bad_files_are_named_together(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_bytes(b"\xff")
    (tmp_path / "two.md").write_bytes(b"ok\n\0")
    (tmp_path / "three.md").write_text("fine")
    with pytest.raises(UserError, match=r"(?s)one\.md:1: .*two\.md:2: "):
        list(ingest([tmp_path]))


def test_a_folder_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no file in this folder ends in \.md"):
        list(ingest([tmp_path]))


def test_an_empty_file_is_a_document_without_units(tmp_path: Path) -> None:
    (part,) = ingest_text(tmp_path, "")
    assert (part.id, part.units, part.edges) == ("d0", (), ())


def test_workers_and_order_change_nothing(parts: dict[str, MemoryDocument]) -> None:
    files = sorted(DOCUMENTS.iterdir(), reverse=True)
    assert list(ingest(files, engine=LocalEngine(2))) == list(parts.values())


def test_the_version_follows_the_units_not_the_order(parts: dict[str, MemoryDocument]) -> None:
    version = collection_version(parts.values())
    assert collection_version(reversed(list(parts.values()))) == version
    policy = parts["incident_policy"]
    others = [part for part in parts.values() if part is not policy]
    assert collection_version([*others, replace(policy, sha256="0", edges=())]) == version
    cut = replace(policy.units[0], text=f"{policy.units[0].text} ")
    for changed in (replace(policy, units=policy.units[1:]), replace(policy, units=(cut, *policy.units[1:]))):
        assert collection_version([*others, changed]) != version


@pytest.mark.data
@pytest.mark.skipif("CSUITE_TEST_DATA" not in os.environ, reason="CSUITE_TEST_DATA does not name the real data")
def test_paragraphs_of_an_encyclopedia_are_joined_by_their_titles(tmp_path: Path) -> None:
    rows = json.loads((Path(os.environ["CSUITE_TEST_DATA"]) / "wiki_2hop_corpus" / "corpus.json").read_text())
    for number, row in enumerate(rows[:300]):
        (tmp_path / f"w{number}.md").write_text(f"---\ntitle: {json.dumps(row['title'])}\n---\n{row['text']}\n")
    titled = [edge for part in ingest([tmp_path]) for edge in part.edges if edge.kind == "refers_to"]
    assert len(titled) > 30
    assert all(edge.because.startswith("names the document") for edge in titled)


def test_every_edge_weighs_what_its_kind_is_worth(parts: dict[str, MemoryDocument]) -> None:
    weights = {(edge.kind, edge.weight) for part in parts.values() for edge in part.edges}
    assert weights == {(kind, worth) for kind, worth in EDGE_WEIGHTS.items() if kind in {kind for kind, _ in weights}}
    assert len(weights) > 4
