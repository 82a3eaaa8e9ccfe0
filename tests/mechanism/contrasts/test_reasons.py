from __future__ import annotations

import re
from pathlib import Path

import pytest

from constraintsuite import mechanism
from constraintsuite.mechanism.contrasts.selection import WORDS, in_words


def test_every_reason_has_words() -> None:
    files = Path(mechanism.__path__[0]).rglob("*.py")
    named = {name for file in files for name in re.findall(r"RejectedContrast\([^()]+, \"(\w+)\"\)", file.read_text())}
    assert {"same_tokens", "texts_far_apart"} <= named <= set(WORDS)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("too_long", "the model cuts off what is marked"),
        ("document: texts_far_apart", "document: its two texts are more than one edit apart"),
        ("tokens: of_a_later_version", "tokens: of_a_later_version"),
    ],
)
def test_a_reason_in_words(reason: str, words: str) -> None:
    assert in_words(reason) == words
