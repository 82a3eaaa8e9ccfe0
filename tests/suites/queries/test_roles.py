"""Queries for what an invented person did and did not do."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.examples import Split
from constraintsuite.core.records.text import Document
from constraintsuite.suites.invented.passage import RealPassage, read_passage
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.roles import RolePair, propose_roles
from constraintsuite.suites.reading.records import NamesRead
from suites.build_factory import knowledge, read_all

WEIR = "Red Weir is a 1961 Italian drama film written by Ann Example and directed by Bob Stone."
DUSK = "Blue Dusk is a 1964 Italian drama film written by Carl Berg and directed by Eva Holm."


def passages(texts: dict[str, str]) -> list[tuple[RealPassage, str]]:
    """All are films whose title is their first two words."""
    titles = {name: " ".join(text.split()[:2]) for name, text in texts.items()}
    found = []
    for name, read in read_all(texts, titles).items():
        names = NamesRead(name, read.classes, read.facts, read.hints, read.sentences, read.names)
        passage = read_passage(Document(name, texts[name], titles[name]), names)
        assert passage is not None, name
        found.append((passage, "film"))
    return found


def propose(splits: dict[str, Split] | None = None, **texts: str) -> list[tuple[RolePair, tuple[Proposal, Proposal]]]:
    return list(propose_roles(passages(texts), splits or dict.fromkeys(texts, "test"), knowledge()))


def test_two_people_of_one_passage_are_exchanged() -> None:
    ((pair, proposals),) = propose(weir=WEIR)
    assert pair.sources == ("weir", "weir")
    assert set(pair.people) == {"Ann Example", "Bob Stone"}
    assert pair.proposals == tuple(proposal.id for proposal in proposals)
    assert {proposal.relation for proposal in proposals} == {"written_by", "directed_by"}


def test_the_first_proposal_excludes_the_role_that_the_person_has_in_the_first_text() -> None:
    ((pair, (first, second)),) = propose(weir=WEIR)
    role = {"Ann Example": "written_by", "Bob Stone": "directed_by"}
    assert first.relation == role[pair.people[0]]
    assert second.relation == role[pair.people[1]]


def test_a_query_asks_for_films_of_an_invented_person_without_one_role() -> None:
    ((pair, proposals),) = propose(weir=WEIR)
    for proposal in proposals:
        assert pair.name in proposal.query
        assert "film" in proposal.query
        assert proposal.constraint.cue in proposal.query
        assert proposal.constraint.value == pair.name
        assert getattr(proposal.constraint, "role", "") == proposal.relation
        assert (proposal.entities, proposal.status, proposal.split) == ("invented", "build", "test")
    assert not {"Ann Example", "Bob Stone"} & set(pair.name.split())


def test_two_passages_get_one_name_in_different_roles() -> None:
    found = [(pair, proposals) for pair, proposals in propose(weir=WEIR, dusk=DUSK) if len(set(pair.sources)) == 2]
    ((pair, proposals),) = found
    assert set(pair.sources) == {"weir", "dusk"}
    assert proposals[0].relation != proposals[1].relation
    assert {proposal.constraint.value for proposal in proposals} == {pair.name}


def test_passages_of_different_splits_are_not_paired() -> None:
    found = propose(splits={"weir": "train", "dusk": "test"}, weir=WEIR, dusk=DUSK)
    assert {pair.sources for pair, _ in found} == {("weir", "weir"), ("dusk", "dusk")}


@pytest.mark.parametrize(
    "text",
    [
        WEIR.replace("Ann Example", "Bob Stone"),
        WEIR.replace("written by Ann Example and ", "set in a small town in winter and "),
        f"{WEIR} In it Stone shows a small town.",
        WEIR.replace("Bob Stone", "Bob Stone, who was young"),
    ],
    ids=["one person has both roles", "only one person", "a person is named again", "more is said of a person"],
)
def test_people_who_cannot_be_exchanged_are_left_alone(text: str) -> None:
    assert propose(weir=text) == []
