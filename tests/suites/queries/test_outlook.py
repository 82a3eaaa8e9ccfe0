"""What a proposal in other words can still give."""

from __future__ import annotations

from dataclasses import replace

import pytest

from constraintsuite.core.records.text import Document
from constraintsuite.suites.queries.outlook import ProposalOutlook, is_corpus_of, look_up, without_counterpart
from constraintsuite.suites.queries.records import Proposal, Snippet
from constraintsuite.text.mentions import surface_forms
from suites.build_factory import make_proposal

DOCUMENTS = {
    "a": Document("a", "A quiet campsite by the lake with hot showers."),
    "b": Document("b", "A campsite without showers."),
    "c": Document("c", "A lakeside campsite with showers and a shop.", "The lake"),
}
SHOWERS = replace(
    make_proposal("showers", satisfying=["b"], violating=["a", "c"]),
    examples_expected=2,
    evidence=(Snippet("a", "affirms", "A quiet campsite by the lake with hot showers."),),
)


def reword(proposal: Proposal, y: str, forms: tuple[str, ...]) -> Proposal:
    """The proposal with another Y."""
    return replace(proposal, constraint=replace(proposal.constraint, value=y, forms=forms))


@pytest.mark.parametrize(
    ("topic", "examples", "note"),
    [
        ("campsites", 2, ""),
        ("zzcampings", 0, "No document with the topic “zzcampings”: this would give no examples."),
        ("quiet shops", 2, "affirm Y 2 of 2 are on this topic, of those that deny it 0 of 1."),
        ("quiet lake", 2, "affirm Y 2 of 2"),
        ("quiet", 1, "affirm Y 1 of 2"),
    ],
)
def test_a_topic_is_looked_up_in_the_documents(topic: str, examples: int, note: str) -> None:
    found = look_up(SHOWERS, replace(SHOWERS, topic=topic), DOCUMENTS)
    assert found.examples == examples
    assert note in " ".join(found.notes)


@pytest.mark.parametrize(
    ("topic", "note"), [("lake", "A sentence quoted here holds"), ("zz", "No sentence quoted here")]
)
def test_without_the_documents_nothing_is_promised(topic: str, note: str) -> None:
    found = look_up(SHOWERS, replace(SHOWERS, topic=topic), None)
    assert found.examples is None
    assert note in found.notes[0]


@pytest.mark.parametrize(
    ("y", "documents", "examples", "note"),
    [
        ("hot shower", DOCUMENTS, 1, "affirm Y 1 of 2 say so, of those that deny it 0 of 1."),
        ("shops", DOCUMENTS, 1, "“shops” for “showers”"),
        ("saunas", DOCUMENTS, 0, "None of its documents says “saunas”: this would give no examples."),
        ("saunas", None, None, "No sentence quoted here says “saunas”. The documents are not in this folder"),
        ("hot showers", None, None, "A sentence quoted here says “hot showers”."),
    ],
)
def test_a_y_is_looked_up_too(y: str, documents: dict[str, Document] | None, examples: int | None, note: str) -> None:
    found = look_up(SHOWERS, reword(SHOWERS, y, surface_forms(y)), documents)
    assert found.examples == examples
    assert note in " ".join(found.notes)


def test_a_y_of_other_forms_beside_the_mined_ones_is_the_same() -> None:
    assert look_up(
        SHOWERS, reword(SHOWERS, "Showers", (*SHOWERS.constraint.forms, "Showers")), None
    ) == ProposalOutlook(2)


def test_a_document_must_hold_both_the_topic_and_y() -> None:
    found = look_up(SHOWERS, reword(replace(SHOWERS, topic="quiet"), "shop", ("shop",)), DOCUMENTS)
    assert found.examples == 0
    assert found.notes[-1] == "No document that affirms Y does: this would give no examples."


def born(y: str, topic: str = "actors") -> Proposal:
    return make_proposal(y, topic=topic, relation="born_in", violating=["a"])


def test_what_nothing_can_be_set_against_is_lone() -> None:
    vienna, graz, paris = born("Vienna"), born("Graz"), born("Paris", "painters")
    assert without_counterpart([vienna, graz, paris, SHOWERS]) == {paris.id}
    assert without_counterpart([vienna, SHOWERS]) == {vienna.id}


@pytest.mark.parametrize(
    ("documents", "found"),
    [
        (DOCUMENTS, True),
        ({name: DOCUMENTS[name] for name in "ab"}, False),
        ({**DOCUMENTS, "a": Document("a", "Another corpus.")}, False),
    ],
)
def test_only_the_documents_that_were_quoted_are_its_corpus(documents: dict[str, Document], found: bool) -> None:
    assert is_corpus_of(SHOWERS, documents) is found
