"""Candidates for queries that name no Y: a person decides."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.core.records.text import Document, Query
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.slots import propose_slots
from constraintsuite.suites.reading.records import ScopesRead
from suites.build_factory import read_all

PORRIDGE = {
    "honey": "Porridge with honey is sweet. The honey melts at once.",
    "raisins": "Porridge with raisins is rich. The raisins swell overnight.",
    "cinnamon": "Porridge with cinnamon smells good. Use cinnamon from a fresh stick.",
    "plain": "Porridge is hot.",
}


def slots(query: str, texts: Mapping[str, str]) -> list[Proposal]:
    documents = {name: Document(name, text) for name, text in texts.items()}
    scopes = {name: ScopesRead(name, reading.scopes) for name, reading in read_all(texts).items()}
    return list(propose_slots(Query("q", query), list(texts), documents, scopes, dict.fromkeys(texts, "train")))


def test_words_that_split_the_documents_are_proposed_and_never_built_unasked() -> None:
    found = {proposal.constraint.value: proposal for proposal in slots("porridge", PORRIDGE)}
    assert found.keys() == {"honey", "raisins", "cinnamon"}
    assert {proposal.status for proposal in found.values()} == {"doubtful"}
    assert all(proposal.is_attribute for proposal in found.values())


def test_a_proposal_adds_the_word_to_the_query_and_takes_it_away() -> None:
    (honey,) = (proposal for proposal in slots("porridge", PORRIDGE) if proposal.constraint.value == "honey")
    assert (honey.opposite, honey.query) == ("porridge with honey", "porridge without honey")


def test_a_proposal_shows_who_affirms_and_who_is_silent() -> None:
    (honey,) = (proposal for proposal in slots("porridge", PORRIDGE) if proposal.constraint.value == "honey")
    assert honey.violating == ("honey",)
    assert [(snippet.document, snippet.verdict) for snippet in honey.evidence] == [
        ("honey", "affirms"),
        ("raisins", "omits"),
        ("cinnamon", "omits"),
    ]


def test_words_of_the_query_are_not_proposed() -> None:
    assert "honey" not in {proposal.constraint.value for proposal in slots("porridge and honey", PORRIDGE)}


def test_a_word_that_most_documents_hold_is_not_proposed() -> None:
    texts = {name: f"{text} Serve it in a bowl. The bowl is warm." for name, text in PORRIDGE.items()}
    assert "bowl" not in {proposal.constraint.value for proposal in slots("porridge", texts)}


def test_a_word_that_the_passage_is_not_about_is_not_proposed() -> None:
    assert "stick" not in {proposal.constraint.value for proposal in slots("porridge", PORRIDGE)}


RAIN = {
    "june": "Rain in June is rare in Porto. June days are long.",
    "july": "Rain in July hardly falls in Porto. July evenings are cool.",
    "none": "Rain in Porto comes from the sea.",
    "coast": "Rain on the coast is soft. The coast is green.",
}


def test_months_come_first_and_are_asked_for_with_in() -> None:
    first, second, *_ = slots("rain", RAIN)
    month, other = first.constraint.value, second.constraint.value
    assert {month, other} == {"June", "July"}
    assert (first.opposite, first.query) == (f"rain in {month}", f"rain not in {month}")


def test_a_denied_word_does_not_affirm() -> None:
    texts = {
        "a": "Porridge without cinnamon is plain. No cinnamon is needed.",
        "b": "Porridge is plain.",
        "c": "Porridge is hot.",
        "d": "Porridge is thick.",
    }
    assert slots("what is porridge", texts) == []
