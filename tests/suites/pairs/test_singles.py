"""Pairs outside couples: each document that denies Y is compared with documents that affirm it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.suites.balancing import measure_leans
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.pairs.couples import find_couples, natural_drafts
from constraintsuite.suites.pairs.leans import BALANCED, NEUTRAL
from constraintsuite.suites.pairs.matching import Matching
from constraintsuite.suites.pairs.records import AcceptedPair, PairDraft
from constraintsuite.suites.pairs.singles import single_drafts
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import PairSettings
from constraintsuite.text.polarity import list_cues
from suites.build_factory import make_matching, make_proposal

SILENT = {
    "oak": "Quiet Oak is a campsite by the river with showers for the guests.",
    "barn": "Red Barn is a campsite on the hill with dogs at the gate.",
}
DOGS = make_proposal("dogs", satisfying=["oak"], violating=["barn"])


def drafts(texts: Mapping[str, str], denying: list[str], affirming: list[str], **settings: int) -> list[PairDraft]:
    """The pairs about showers."""
    proposal = make_proposal("showers", satisfying=denying, violating=affirming)
    return list(single_drafts([proposal], [], make_matching(texts, [proposal]), PairSettings(**settings)))


def test_a_denier_outside_couples_makes_a_single() -> None:
    texts = {"oak": SILENT["oak"], "barn": "Red Barn is a campsite on the hill that has no showers yet."}
    proposal = make_proposal("showers", satisfying=["barn"], violating=["oak"])
    matching = make_matching(texts, [proposal])
    (draft,) = single_drafts([proposal], [], matching, PairSettings())
    assert (draft.slice, draft.sources, draft.couple) == ("explicit", ("barn", "oak"), "")


def test_a_denial_is_compared_with_a_text_that_names_y_later() -> None:
    texts = {
        "barn": "Red Barn has no showers and stands on the hill above the river.",
        "early": "Early Oak has showers and stands in the wood above the river.",
        "late": "Late Oak stands in the wood above the river and has hot showers.",
    }
    proposal = make_proposal("showers", satisfying=["barn"], violating=["early", "late"])
    matching = make_matching(texts, [proposal])
    (draft,) = single_drafts([proposal], [], matching, PairSettings())
    assert draft.sources == ("barn", "late")


def test_a_silent_document_on_topic_makes_a_single_only_where_there_is_no_couple() -> None:
    proposal = make_proposal("showers", violating=["oak"], on_topic=["oak", "barn"])
    matching = make_matching(SILENT, [proposal, DOGS])
    settings = PairSettings(open_omission=True)
    (draft,) = single_drafts([proposal], [], matching, settings)
    assert (draft.slice, draft.satisfying.source) == ("open_omission", "barn")
    used = list(natural_drafts(find_couples([proposal, DOGS], matching, settings, Counter(), explicit=False), matching))
    assert list(single_drafts([proposal, DOGS], used, matching, settings)) == []


def test_silence_about_an_attribute_proves_nothing_unless_it_is_asked_for() -> None:
    proposal = make_proposal("showers", violating=["oak"], on_topic=["oak", "barn"])
    matching = make_matching(SILENT, [proposal])
    assert list(single_drafts([proposal], [], matching, PairSettings())) == []


def test_a_text_without_a_role_that_every_film_has_is_an_omission() -> None:
    texts = {
        "dusk": "Dusk is a film directed by Ada Lind and set in a village.",
        "tide": "Tide is a film directed by Ola Berg and set in a town.",
    }
    proposal = make_proposal(
        "Ada Lind", topic="films", relation="directed_by", violating=["dusk"], on_topic=["dusk", "tide"]
    )
    matching = make_matching(texts, [proposal])
    (draft,) = single_drafts([proposal], [], matching, PairSettings())
    assert (draft.slice, draft.satisfying.source) == ("omission", "tide")


# Writers deny late: in these texts the denial comes last, and so does what two of the three others say.
LATE = {
    "deny1": "First Barn is a campsite on the hill with a view and no showers.",
    "deny2": "Other Barn is a campsite on the moor with a view and no showers.",
    "early1": "First Oak has showers on a campsite by the river with a view.",
    "late1": "Third Oak is a campsite by the river with a view from the showers, which are hot.",
}


def test_a_text_that_names_y_earlier_is_not_always_compared_with_one_that_names_it_later() -> None:
    """Each denial alone would be compared with the text that is nearest in length; together they must cancel out."""
    found = drafts(LATE, ["deny1", "deny2"], ["early1", "late1"], max_uses_per_denial=1)
    assert {draft.sources[1] for draft in found} == {"early1", "late1"}


def test_a_denial_gives_a_second_pair_only_where_no_shortcut_gains() -> None:
    texts = {
        "deny": "Barn is a campsite with no showers and a view.",
        "same": "Mill is a campsite with hot showers and no view.",
        "like": "Ford is a campsite with hot showers and no dogs.",
    }
    one = drafts(texts, ["deny"], ["same", "like"], max_uses_per_denial=1)
    two = drafts(texts, ["deny"], ["same", "like"], max_uses_per_denial=2)
    assert sorted(draft.sources[1] for draft in two) == ["like", "same"]
    assert len(one) == 1
    late = drafts(LATE, ["deny1"], ["early1"], max_uses_per_denial=5)
    assert len(late) == 1


def test_documents_that_mention_y_more_often_are_not_compared() -> None:
    texts = {
        "barn": "Red Barn is a campsite on the hill that has no showers yet.",
        "oak": "Oak has showers, and the showers of the campsite are very hot.",
    }
    assert drafts(texts, ["barn"], ["oak"]) == []


@pytest.mark.parametrize(("cap", "count"), [(1, 1), (2, 2), (6, 3)])
def test_uses_of_a_y_are_capped(cap: int, count: int) -> None:
    texts = {f"deny{n}": f"Barn {n} is a campsite on the hill with no showers." for n in range(3)}
    texts["oak"] = "Quiet Oak is a campsite by the river with showers."
    found = drafts(texts, ["deny0", "deny1", "deny2"], ["oak"], max_uses_per_y=cap, max_uses_per_document=6)
    assert len(found) == count


def test_the_same_pairs_are_chosen_whatever_the_order_of_the_documents() -> None:
    names = ["early1", "late1"]
    forth = drafts(LATE, ["deny1", "deny2"], names)
    back = drafts(dict(reversed(LATE.items())), ["deny2", "deny1"], names[::-1])
    assert sorted(draft.sources for draft in forth) == sorted(draft.sources for draft in back)


@pytest.mark.parametrize("satisfying", ["deny1", "deny2"])
@pytest.mark.parametrize("violating", ["early1", "late1"])
def test_the_lean_of_a_possible_pair_is_what_the_audit_finds_in_it(satisfying: str, violating: str) -> None:
    proposal = make_proposal("showers", satisfying=[satisfying], violating=[violating])
    matching = make_matching(LATE, [proposal])
    (draft,) = single_drafts([proposal], [], matching, PairSettings())
    found = measure_leans([accept(draft, proposal, matching)], {proposal.id: proposal}, BALANCED)[draft]
    assert found == matching.lean(satisfying, violating, proposal)
    assert matching.lean(satisfying, violating, proposal) != NEUTRAL


def accept(draft: PairDraft, proposal: Proposal, matching: Matching) -> AcceptedPair:
    """The pair as the filters hand it on, with the cues and the evidence of its texts."""
    cues = {
        role: tuple(made.text[start:end] for start, end in list_cues(matching.readings[made.source].scopes))
        for role, made in zip(("satisfying", "violating"), draft.documents, strict=True)
    }
    verdicts = {"satisfying": "negated", "violating": "affirmed"}
    evidence = tuple(
        Evidence(role, start := made.text.index("showers"), start + len("showers"), verdicts[role], "test")
        for role, made in zip(("satisfying", "violating"), draft.documents, strict=True)
    )
    assert isinstance(proposal.constraint, Exclude)
    return AcceptedPair(draft, replace(proposal.constraint, evidence=evidence, cues=cues))
