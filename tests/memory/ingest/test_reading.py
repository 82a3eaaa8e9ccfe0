"""What sentences say: conditions, stances, roles, citations, definitions, amounts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.memory.ingest.citations import TermFinder, find_citations, find_definitions
from constraintsuite.memory.ingest.claims import Amount, ClaimStance, find_dates
from constraintsuite.memory.ingest.unit_reader import UnitReading, read_units


def read(text: str, lead: str = "") -> UnitReading:
    (reading,) = read_units([(lead, text)])
    return reading


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("The specifications are printed on the casing.", ()),  # contains "if"
        ("The page lists every branch.", ()),
        ("The tenant shall pay.", ("obligation",)),
        ("The tenant shall not smoke.", ("prohibition",)),
        ("The server will restart.", ()),
        ("The supplier will deliver.", ("obligation",)),
        ("Restart the pod.", ("action",)),
        ("Do not restart the pod.", ("prohibition",)),
        ("If the pod hangs, restart it.", ("condition", "action")),
        ("Page the duty manager.", ("escalation", "action")),
        ("Dogs may enter unless they bark.", ("exception",)),
        ("The fee does not apply to children.", ("exception",)),
        ("The buyer may withhold payment.", ("remedy",)),
        ("The keeper must lock the gate and may not lend the key.", ("prohibition", "obligation")),
        ("Check if the queue is empty.", ("action",)),
        ("", ()),
    ],
)
def test_roles(text: str, roles: tuple[str, ...]) -> None:
    assert read(text).roles == roles


@pytest.mark.parametrize(
    ("lead", "text", "roles"),
    [
        ("The guest shall not:", "smoke in the room", ("prohibition",)),
        ("If the alarm rings:", "leave the hall", ("condition", "action")),
        ("The guest is happy.", "the room was warm", ()),
    ],
)
def test_an_unfinished_sentence_goes_on_in_its_list(lead: str, text: str, roles: tuple[str, ...]) -> None:
    assert read(text, lead).roles == roles


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("Guests must ring.", "required"),
        ("Guests must not ring.", "barred"),
        ("No guest may ring.", "barred"),
        ("Guests may ring.", "allowed"),
        ("Guests need not ring.", "optional"),
        ("Guests are not required to ring.", "optional"),
        ("Ringing is forbidden.", "barred"),
        ("Ringing is not allowed.", "barred"),
        ("The bell rings.", "true"),
        ("The bell does not ring.", "false"),
        ("Ring the bell.", "required"),
        ("Never ring the bell.", "barred"),
        ("The host is not liable.", "false"),
    ],
)
def test_stances(text: str, stance: ClaimStance) -> None:
    assert read(text).claims[0].stance == stance


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("See section 4.2.", [("4.2", "refers_to")]),
        ("Under clause 7(b) above, it ends.", [("7.b", "refers_to")]),
        ("Subject to clause 4, the fee is due.", [("4", "depends_on")]),
        ("After step 3, stop.", [("3", "depends_on")]),
        ("Notwithstanding clause 3, guests may stay.", [("3", "overrides")]),
        ("Except as provided in 4.2, rent is due.", [("4.2", "excepted_by")]),
        ("Clause 6 does not apply to dogs.", [("6", "overrides")]),
        ("Dogs are exempt from rule 2.", [("2", "overrides")]),
        ("Repeat steps 3 to 5.", [("3", "refers_to"), ("4", "refers_to"), ("5", "refers_to")]),
        ("Clauses 4, 5 and 7.1 survive.", [("4", "refers_to"), ("5", "refers_to"), ("7.1", "refers_to")]),
        ("Fees are in Annex B.", [("B", "refers_to")]),
        ("§ 5 says so.", [("5", "refers_to")]),
        ("The previous step is void.", [("-1", "refers_to")]),
        ("Pay 4.2 percent within 30 days.", []),
        ("Children under 12 are free.", []),
        ("Notice under 2.1 is given.", [("2.1", "refers_to")]),
        ("A part of it.", []),
    ],
)
def test_citations(text: str, cited: list[tuple[str, str]]) -> None:
    assert sorted((one.number, one.relation) for one in read(text).citations) == sorted(cited)


@given(st.text(max_size=60))
def test_citations_are_words_of_the_text(text: str) -> None:
    assert all(one.because in text for one in find_citations(text, []))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('A delay of ten days (the "Cure Period") is fine.', ("Cure Period",)),
        ("“Working Day” means a day on which banks open.", ("Working Day",)),
        ("Business Day means any weekday.", ("Business Day",)),
        ("This means trouble.", ()),
        ('He said "Stop" and left.', ()),
    ],
)
def test_definitions(text: str, terms: tuple[str, ...]) -> None:
    assert find_definitions(text) == terms


def test_a_term_is_used_in_its_capitals() -> None:
    finder = TermFinder(["Cure Period", "Fault"])
    assert finder.find("The Cure Periods follow any Fault.") == ["Cure Period", "Fault"]
    assert finder.find("a cure period; the Faulty lamp; no fault") == []


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("It lasts 24 hours.", [Amount("hour", 1440)]),
        ("It lasts one day.", [Amount("day", 1440)]),
        ("It lasts thirty (30) days.", [Amount("day", 43200)]),
        ("It costs 5 %.", [Amount("%", 5)]),
        ("It costs 1,200 euros.", [Amount("euro", 1200)]),
        ("It costs $ 12.", [Amount("usd", 12)]),
        ("It lasts ten working days.", [Amount("working day", 10)]),
        ("Room 12 is shut.", []),
    ],
)
def test_amounts(text: str, amounts: list[Amount]) -> None:
    assert list(read(text).claims[0].amounts) == amounts


def test_a_number_in_the_condition_is_not_said() -> None:
    (claim,) = read("If it lasts 3 days, the guest gets 50 euros.").claims
    assert claim.amounts == (Amount("euro", 50),)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("due 2026-03-01", ["2026-03-01"]),
        ("due 1 March 2026", ["2026-03-01"]),
        ("due March 1st, 2026", ["2026-03-01"]),
        ("due 1 March", ["-----03-01"]),
        ("at 9:30 or noon", ["09:30", "12:00"]),
        ("may be due", []),
    ],
)
def test_dates_have_one_form(text: str, dates: list[str]) -> None:
    assert find_dates(text) == dates


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("If clause 4 does not apply, the fee is ten euros.", "depends_on"),
        ("If it rains rule 2 is waived.", "overrides"),  # no comma parts the condition
        ("When the lift is out of order, rule 2 is suspended.", "overrides"),
        ("Unless clause 3 is waived, the fee is due.", "excepted_by"),
        ("Guests are not subject to rule 2.", "overrides"),
        ("Guests are subject to rule 2.", "depends_on"),
        ("The board shall not waive rule 2.", "refers_to"),
        ("No guest is exempt from rule 2.", "refers_to"),
        ("Send it despite the failure of step 2.", "refers_to"),
        ("Even if step 2 fails, send it.", "refers_to"),
        ("Even if rule 2 forbids it, send it.", "overrides"),
        ("Rule 2 holds except on Sundays.", "overrides"),
        ("The fee was waived. Rule 2 governs the rest.", "refers_to"),
    ],
)
def test_a_cited_rule_is_set_aside_only_by_what_is_said_of_it(text: str, relation: str) -> None:
    assert [one.relation for one in read(text).citations] == [relation]


def test_a_unit_that_overrides_what_it_cites_is_an_exception() -> None:
    assert "exception" in read("Irrespective of rule 2, guests may stay.").roles
    assert "exception" not in read("Irrespective of the weather, guests may stay.").roles


@given(st.text(max_size=80), st.sampled_from(["", "If it rains:", ":", "The guest shall not:"]))
def test_any_text_can_be_read(text: str, lead: str) -> None:
    reading = read(text, lead)
    assert len(set(reading.roles)) == len(reading.roles)


LEGAL = ["if", "when", "unless", "except", "the", "tenant", "shall", "not", "pay", "3", "days", ",", ";", ":", "clause"]


@given(st.lists(st.sampled_from(LEGAL), max_size=15))
def test_any_order_of_legal_words_can_be_read(words: list[str]) -> None:
    assert all(one.number for one in read(" ".join(words)).citations)
