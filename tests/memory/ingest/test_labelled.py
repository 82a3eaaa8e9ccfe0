"""Roles and edges do not get worse on the development half of the labelled examples; the test half is not scored here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constraintsuite.memory.ingest.collection import ingest
from memory.ingest.scoring import DATA, OVERRIDING, Scored, labelled_documents, score_edges, score_roles
from memory.ingest.scoring import EDGES as ALL_KINDS

# Precision and recall when the rules were finished; neither may fall.
ROLES = {
    "action": (1.0, 1.0),
    "condition": (1.0, 1.0),
    "escalation": (1.0, 1.0),
    "exception": (1.0, 13 / 14),
    "obligation": (1.0, 1.0),
    "prohibition": (1.0, 1.0),
    "remedy": (8 / 9, 1.0),
}
EDGES = {
    "contradicts": (1.0, 1.0),
    "depends_on": (18 / 19, 18 / 20),
    "exception_to": (15 / 16, 15 / 16),
    "refers_to": (1.0, 1.0),
}


@pytest.fixture(scope="module")
def roles() -> Scored:
    return score_roles("dev")


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return score_edges("dev", tmp_path_factory.mktemp("labelled"))


@pytest.mark.parametrize(("role", "floor"), ROLES.items())
def test_roles_are_as_right_as_they_were(roles: Scored, role: str, floor: tuple[float, float]) -> None:
    tally = roles.tallies[role]
    assert tally.right / tally.said >= floor[0], roles.wrong
    assert tally.right / tally.there >= floor[1], roles.wrong


@pytest.mark.parametrize(("kind", "floor"), EDGES.items())
def test_edges_are_as_right_as_they_were(edges: Scored, kind: str, floor: tuple[float, float]) -> None:
    tally = edges.tallies[kind]
    assert tally.right / tally.said >= floor[0], edges.wrong
    assert tally.right / tally.there >= floor[1], edges.wrong


def test_cited_rules_are_set_aside_where_the_labels_say_so_and_nowhere_else(tmp_path: Path) -> None:
    scored = score_edges("dev", tmp_path, OVERRIDING)
    assert scored.wrong == []
    assert {kind: tally.there for kind, tally in scored.tallies.items()} == {"exception_to": 25, "refers_to": 17}


def test_nothing_is_said_that_no_label_knows(roles: Scored, edges: Scored) -> None:
    assert set(roles.tallies) == set(ROLES)
    assert set(edges.tallies) == set(EDGES)


def test_there_are_enough_labels() -> None:
    rows = [json.loads(line) for line in (DATA / "roles.jsonl").read_text(encoding="utf-8").splitlines()]
    documents = [example for half in ("dev", "test") for example in labelled_documents(half)]
    assert len(rows) >= 120
    assert len({row["text"] for row in rows}) == len(rows)
    assert sum(len(example["edges"]) + len(example["none"]) for example in documents) >= 120


@pytest.mark.parametrize("half", ["dev", "test"])
@pytest.mark.parametrize("labels", [ALL_KINDS, OVERRIDING])
def test_every_label_names_units_that_are_there(half: str, labels: str, tmp_path: Path) -> None:
    for example in labelled_documents(half, labels):
        file = tmp_path / f"{example['name']}.md"
        file.write_text(example["text"], encoding="utf-8")
        (part,) = ingest([file])
        named = {end for label in example["edges"] for end in label.split()[::2]}
        named |= {str(end) for label in example["none"] for end in str(label).split()}
        assert {f"{part.id}:{end}" for end in named} <= {unit.id for unit in part.units}
