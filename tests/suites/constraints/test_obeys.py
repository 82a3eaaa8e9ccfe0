"""Whether one text obeys a constraint or its opposite: what it does not say for sure is neither."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.suites.constraints.base import load_builder
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.constraints.one_of import OneOf
from constraintsuite.suites.constraints.place import Located
from constraintsuite.suites.constraints.time import Time
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.pairs.records import CheckedDocument
from constraintsuite.text.choice import get_analyser

CHEAP = Number(value="80 euros", cue="under", forms=(), measure="price_EUR", position="below", limit=80.0, unit="EUR")
OLD = Time(value="1900", cue="before", forms=(), measure="opened", position="below", limit=1900.0)
SCOTTISH = Located(
    value="Scotland",
    cue="in",
    forms=("Scotland",),
    relation="located",
    level="country",
    country="GB",
    location="inside",
)
NORDIC = OneOf(
    value="Danish or Swedish",
    cue="or",
    forms=("Danish", "Swedish"),
    relation="work_nationality",
    values=("Danish", "Swedish"),
    listing="listed",
)
NO_NUTS = Exclude(value="nuts", cue="without", forms=("nuts", "nut"), kinds=("walnuts",))


@pytest.mark.parametrize(
    ("constraint", "text", "expected"),
    [
        (CHEAP, "The room costs 60 euros.", True),
        (CHEAP, "The room costs 90 euros.", False),
        (CHEAP, "The room costs 60 to 90 euros.", None),
        (OLD, "The museum was opened in 1887.", True),
        (OLD, "The museum was opened in 1987.", False),
        (OLD, "The museum is large.", None),
        (SCOTTISH, "The inn is a hotel in Edinburgh, Scotland.", True),
        (SCOTTISH, "The inn is a hotel in Lyon, France.", False),
        (SCOTTISH, "The inn is a hotel by the sea.", None),
        (NORDIC, "Dusk is a 1954 Danish drama film.", True),
        (NORDIC, "Dusk is a 1954 French drama film.", False),
        (NORDIC, "Dusk is a 1954 drama film.", None),
        (NO_NUTS, "The cake has no nuts.", True),
        (NO_NUTS, "The cake has nuts.", False),
        (NO_NUTS, "The cake has no nuts but walnuts.", None),
        (NO_NUTS, "The cake is round.", None),
    ],
)
def test_a_text_obeys_the_constraint_or_its_opposite_or_neither(
    constraint: Constraint, text: str, expected: bool | None
) -> None:
    builder = load_builder(constraint.type)
    (analysis,) = get_analyser("rules").analyse([text])
    evidence = builder.read(constraint, "satisfying", analysis, "", load_knowledge())
    assert builder.obeys(constraint, CheckedDocument("", analysis, evidence)) is expected
