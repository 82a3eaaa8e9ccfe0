from __future__ import annotations

import re
from pathlib import Path

import pytest

from constraintsuite import mechanism
from constraintsuite.mechanism.contrasts.selection import WORDS, in_words


def test_every_reason_has_words() -> None:
    folder = Path(mechanism.__path__[0])
    named = {
        name
        for file in folder.rglob("*.py")
        for name in re.findall(r"RejectedContrast\([^()]+, \"(\w+)\"\)", file.read_text())
    }
    makers = (folder / "contrasts" / "from_example.py").read_text()
    named |= set(re.findall(r"(?:return|yield example,) \"(\w+)\"\n", makers))
    assert {"same_tokens", "texts_far_apart", "other_wording"} <= named <= set(WORDS)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("too_long", "the model cuts off something that is marked"),
        ("document: texts_far_apart", "document: its two texts are more than one edit apart"),
        ("tokens: of_a_later_version", "tokens: of_a_later_version"),
    ],
)
def test_a_reason_in_words(reason: str, words: str) -> None:
    assert in_words(reason) == words
