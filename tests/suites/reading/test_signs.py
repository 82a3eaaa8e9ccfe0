"""The class of a document that never says what it is."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.text import Document
from constraintsuite.suites.queries.class_counts import ClassCounts
from constraintsuite.suites.reading.records import ClassReading
from constraintsuite.suites.reading.signs import BY_SIGNS, read_signs
from suites.build_factory import knowledge

LISTING = ClassReading("place to stay", "lodging", (), BY_SIGNS, 0, 0)
CAMPSITE = ClassReading("campsite", "stay", (), 3, 0, 8)


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (Document("1", "Three bedrooms, and breakfast for every guest."), "lodging"),
        (Document("1", "Simmer the onion in butter and stir."), "recipe"),
        (Document("1", "Open the settings of your account to export files."), "app_help"),
        (Document("1", "Three bedrooms under the roof."), ""),  # one sign is not enough
        (Document("hotel-1", "Breakfast until ten.", "Hill Lodge"), "lodging"),  # id and title count
        (Document("1", "Open the settings of the thermostat to export files."), ""),  # not about an online tool
        (Document("1", "The chef changes the menu daily; dinner by the fire."), "eatery"),
        (Document("1", "Breakfast until ten, a warm bed.", metadata={"category": "hotel"}), "lodging"),
    ],
)
def test_signs_show_the_class(document: Document, kind: str) -> None:
    assert [reading.kind for reading in read_signs(document, knowledge())] == ([kind] if kind else [])


@pytest.mark.parametrize(("defined", "counts"), [(1, True), (3, False)])
def test_signs_count_where_most_documents_do_not_say_what_they_are(defined: int, counts: bool) -> None:
    found = ClassCounts()
    for number in range(4):
        found.add((CAMPSITE, LISTING) if number < defined else (LISTING,))
    assert ("place to stay" in found.established(knowledge())) == counts
