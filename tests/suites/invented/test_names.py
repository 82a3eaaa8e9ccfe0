"""Invented names: settled by the real name, and never in two splits."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.suites.invented.names import NameGroup, group_for, invent_person, invent_title, name_parts
from constraintsuite.suites.reading.names import surname

ENGLISH = group_for(())

real_names = st.text(st.characters(categories=("Lu", "Ll")), min_size=1, max_size=12)
groups = st.sampled_from(name_parts().groups)
splits = st.sampled_from(SPLITS)


@given(real_names, groups, splits)
def test_the_same_name_has_the_same_invention(real: str, group: NameGroup, split: Split) -> None:
    assert invent_person(real, group, split) == invent_person(real, group, split)
    assert invent_title(real, split) == invent_title(real, split)


@given(st.lists(st.tuples(real_names, groups), min_size=1), st.permutations(SPLITS))
def test_no_surname_and_no_title_is_in_two_splits(
    people: Sequence[tuple[str, NameGroup]], order: Sequence[Split]
) -> None:
    one, other = order[:2]
    first = {surname(invent_person(real, group, one)) for real, group in people}
    second = {surname(invent_person(real, group, other)) for real, group in people}
    assert first.isdisjoint(second)
    assert {invent_title(real, one) for real, _ in people}.isdisjoint(invent_title(real, other) for real, _ in people)


@given(real_names, groups, splits)
def test_two_people_of_a_passage_have_different_surnames(real: str, group: NameGroup, split: Split) -> None:
    first = invent_person(real, group, split)
    second = invent_person(real, group, split, taken=[first])
    assert surname(first) != surname(second)


def test_a_womans_name_is_replaced_by_a_womans_name() -> None:
    woman, man = (invent_person(real, ENGLISH, "test").split()[0] for real in ("Ruth Stone", "Bob Stone"))
    assert woman in ENGLISH.female
    assert man in ENGLISH.male


@pytest.mark.parametrize(
    ("nationalities", "group"),
    [(("Italian",), "italian"), (("Paris", "French", "Italian"), "french"), (("Martian",), "english"), ((), "english")],
)
def test_names_fit_the_first_nationality_that_is_known(nationalities: tuple[str, ...], group: str) -> None:
    assert group_for(nationalities).name == group


@pytest.mark.parametrize("split", SPLITS)
def test_every_group_has_names_to_choose_from_in_every_split(split: Split) -> None:
    for group in name_parts().groups:
        assert len({surname(invent_person(f"Real {n}", group, split)) for n in range(200)}) > 30, group.name
