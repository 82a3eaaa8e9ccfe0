"""What a proposal says of itself."""

from __future__ import annotations

import pytest
from build_factory import knowledge, make_proposal

from constraintsuite.suites.queries.records import SLOT, attribute_relation


@pytest.mark.parametrize("relation", [attribute_relation("travel", "has"), attribute_relation("other", "about"), SLOT])
def test_what_a_thing_may_have_or_lack_is_an_attribute(relation: str) -> None:
    assert make_proposal("showers", relation=relation).is_attribute


@pytest.mark.parametrize("relation", sorted(knowledge().relations))
def test_the_filler_of_a_stated_relation_is_no_attribute(relation: str) -> None:
    assert not make_proposal("Ann Example", relation=relation).is_attribute
