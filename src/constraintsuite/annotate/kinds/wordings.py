"""Whose words a proposal is built in: all of one person's, or what was ruled; never a mixture that nobody has seen."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.annotate.kinds.rewording import WORDS, question_of
from constraintsuite.annotate.standing import Standing

ProposalWords = Mapping[str, str]
"""What was put into other words, by WORDS; what is empty stays as it was proposed."""


def words_by_person(said: Standing, proposal: str) -> dict[str, ProposalWords]:
    """The words of all who accept a proposal and have said any; who said none takes those that the others found."""
    answers = {name: said.of(proposal, question_of(name)) for name in WORDS}
    accepting = [who for who, event in sorted(said.of(proposal, "verdict").items()) if event.value == "accept"]
    return {
        who: {name: str(there[who].value) if who in there else "" for name, there in answers.items()}
        for who in accepting
        if any(who in there for there in answers.values())
    }


def settle_words(said: Standing, proposal: str) -> ProposalWords | None:
    """The words that hold, none being empty words; None where people differ and nobody has ruled which to take."""
    given = list(words_by_person(said, proposal).values())
    ruled = {
        name: str(ruling.value)
        for name in WORDS
        if (ruling := said.rulings.get((proposal, question_of(name)))) is not None
    }
    meant = [one for one in given if all(one[name] == text for name, text in ruled.items())]
    found = meant or [{**one, **ruled} for one in given or [dict.fromkeys(WORDS, "")]]
    return found[0] if all(one == found[0] for one in found) else None


def words_in_words(words: ProposalWords) -> str:
    """For those who are to see whose words there are."""
    said = ", ".join(f"{name} “{text}”" for name, text in words.items() if text)
    return said or "as it was proposed"
