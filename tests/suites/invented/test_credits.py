"""The order in which a text names the people of a work."""

from __future__ import annotations

import pytest

from constraintsuite.suites.invented.credits import reorder_credits


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (
            "Dusk is a film directed by Ada Lind and starring Ola Berg.",
            "Dusk is a film starring Ola Berg and directed by Ada Lind.",
        ),
        (
            "Dusk is a film directed by Ada Lind and starring Ola Berg and Eva Holm.",
            "Dusk is a film starring Ola Berg and Eva Holm, and directed by Ada Lind.",
        ),
        (
            "Dusk is a film written and directed by Ada Lind, starring Ola Berg. It is long.",
            "Dusk is a film starring Ola Berg and written and directed by Ada Lind. It is long.",
        ),
        (
            "Dusk is a film directed by Ada Lind. It stars Ola Berg.",
            "Dusk is a film starring Ola Berg. It was directed by Ada Lind.",
        ),
    ],
)
def test_the_first_two_credits_change_places(text: str, other: str) -> None:
    assert reorder_credits(text) == other


@pytest.mark.parametrize(
    "text",
    [
        "Dusk is a film directed by Ada Lind.",
        "Dusk is a film directed by Ada Lind (1920-1990) and starring Ola Berg.",
        "Dusk is a film directed by Ada Lind and set in Oslo.",
    ],
)
def test_a_text_without_two_credits_stays_as_it_is(text: str) -> None:
    assert reorder_credits(text) == text
