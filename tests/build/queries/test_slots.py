"""Candidates for queries that name no Y: a person decides."""

from __future__ import annotations

from collections.abc import Mapping

from build_factory import read_all

from constraintsuite.build.queries.records import Proposal
from constraintsuite.build.queries.slots import propose_slots
from constraintsuite.records.text import Document, Query

WEATHER = {
    "june": "Rain in Porto in June is rare. In June the days are long and the sea is cold.",
    "july": "Rain in Porto in July hardly falls. July evenings are cool near the sea.",
    "march": "Rain in Porto in March falls every third day. March mornings are grey.",
    "none": "Rain in Porto comes from the sea.",
}


def slots(query: str, texts: Mapping[str, str]) -> list[Proposal]:
    documents = {name: Document(name, text) for name, text in texts.items()}
    scopes = {name: reading.scopes for name, reading in read_all(texts).items()}
    return list(propose_slots(Query("q", query), list(texts), documents, scopes, dict.fromkeys(texts, "train")))


def test_words_that_split_the_documents_are_proposed_and_never_built_unasked() -> None:
    found = {proposal.y: proposal for proposal in slots("rain in porto", WEATHER)}
    assert {"June", "July", "March"} <= found.keys()
    assert {proposal.status for proposal in found.values()} == {"doubtful"}


def test_months_come_first_and_are_asked_for_with_in() -> None:
    first = slots("rain in porto", WEATHER)[0]
    assert first.y in {"June", "July", "March"}
    assert first.neg == f"rain in porto not in {first.y}"
    assert first.base == f"rain in porto in {first.y}"


def test_a_proposal_shows_who_affirms_and_who_is_silent() -> None:
    (june,) = (p for p in slots("rain in porto", WEATHER) if p.y == "June")
    assert june.affirming == ("june",)
    assert {(snippet.document, snippet.verdict) for snippet in june.evidence} == {
        ("june", "affirms"),
        ("july", "omits"),
        ("march", "omits"),
    }


def test_words_of_the_query_and_words_that_most_documents_hold_are_not_proposed() -> None:
    ys = {proposal.y for proposal in slots("rain in porto", WEATHER)}
    assert not ys & {"rain", "porto", "Porto"}


def test_a_word_that_the_passage_is_not_about_is_not_proposed() -> None:
    assert "evenings" not in {proposal.y for proposal in slots("rain in porto", WEATHER)}


def test_a_denied_word_does_not_affirm() -> None:
    texts = {
        "a": "Porridge without cinnamon is plain. No cinnamon is needed.",
        "b": "Porridge is plain.",
        "c": "Porridge is hot.",
        "d": "Porridge is thick.",
    }
    assert slots("what is porridge", texts) == []
