"""Sentences that errors share."""

from __future__ import annotations

import pytest

from constraintsuite.core.errors import hint_for


@pytest.mark.parametrize(
    ("name", "otherwise", "hint"),
    [
        ("rnak", None, "Did you mean 'rank'?"),
        ("rnak", "See the list.", "Did you mean 'rank'?"),
        ("zzz", None, "There are: rank, score."),
        ("zzz", "See the list.", "See the list."),
        ("zzz", "", ""),
    ],
)
def test_a_hint_names_the_nearest_name_or_says_where_names_are(name: str, otherwise: str | None, hint: str) -> None:
    assert hint_for(name, (one for one in ("rank", "score")), otherwise) == hint
