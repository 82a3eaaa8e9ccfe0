"""Texts with invented names in which one person has different roles."""

from __future__ import annotations

from constraintsuite.core.records.text import Document
from constraintsuite.suites.constraints.exclude import judge_y
from constraintsuite.suites.invented.passage import read_passage
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.pairs.roles import role_drafts
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.roles import propose_roles
from constraintsuite.suites.reading.records import NamesRead
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.polarity import judge_document
from suites.build_factory import knowledge, read_all

WEIR = "Red Weir is a 1961 Italian drama film written by Ann Example and directed by Bob Stone."
DUSK = "Blue Dusk is a 1964 Italian drama film written by Carl Berg and directed by Eva Holm."


def drafts(*texts: str, without: int = 0) -> tuple[list[PairDraft], dict[str, Proposal]]:
    """The drafts of passages whose title is their first two words; the first `without` proposals are not built."""
    documents = {text[:2]: Document(text[:2], text, " ".join(text.split()[:2])) for text in texts}
    readings = {
        name: NamesRead(name, read.classes, read.facts, read.hints, read.sentences, read.names)
        for name, read in read_all(
            {name: one.text for name, one in documents.items()}, {name: one.title for name, one in documents.items()}
        ).items()
    }
    passages = [(passage, "film") for name in documents if (passage := read_passage(documents[name], readings[name]))]
    found = list(propose_roles(passages, dict.fromkeys(documents, "test"), knowledge()))
    proposals = [proposal for _, pair in found for proposal in pair][without:]
    by_id = {proposal.id: proposal for proposal in proposals}
    return list(role_drafts((pair for pair, _ in found), by_id, documents, readings)), by_id


def test_two_people_who_change_places_are_a_minimal_pair() -> None:
    (first, second), _ = drafts(WEIR)
    assert first.slice == second.slice == "minpairs"
    assert first.couple == second.couple
    assert (first.satisfying, first.violating) == (second.violating, second.satisfying)
    one, other = first.documents
    assert sorted(one.text.replace(".", "").split()) == sorted(other.text.replace(".", "").split())
    assert one.text != other.text


def test_the_changed_places_are_the_two_names() -> None:
    (draft, _), proposals = drafts(WEIR)
    name = proposals[draft.proposal].constraint.value
    for document in draft.documents:
        assert name in {document.text[start:end] for start, end in document.changed}
        assert len(document.changed) == 2


def test_each_text_breaks_the_query_that_it_should_break_and_obeys_the_other() -> None:
    found, proposals = drafts(WEIR, DUSK)
    assert len(found) == 6
    for draft in found:
        proposal = proposals[draft.proposal]
        for document, expected in ((draft.satisfying, "negates"), (draft.violating, "affirms")):
            (analysis,) = get_analyser("rules").analyse([document.text])
            assert judge_document(judge_y(proposal.constraint, analysis, document.title or "", knowledge())) == expected


def test_one_name_in_two_passages_is_an_explicit_mention() -> None:
    found = [draft for draft in drafts(WEIR, DUSK)[0] if draft.slice == "explicit"]
    assert [set(draft.sources) for draft in found] == [{"Re", "Bl"}, {"Re", "Bl"}]
    assert {document.edit for draft in found for document in draft.documents} == {"invented_names"}


def test_no_real_name_is_left() -> None:
    real = {"Red", "Weir", "Blue", "Dusk", "Ann", "Example", "Bob", "Stone", "Carl", "Berg", "Eva", "Holm"}
    for draft in drafts(WEIR, DUSK)[0]:
        for document in draft.documents:
            assert not real & set(f"{document.title} {document.text}".replace(".", "").split())


def test_a_pair_of_which_one_query_is_not_built_is_left_out() -> None:
    assert drafts(WEIR, without=1)[0] == []
