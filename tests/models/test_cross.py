"""Which logit is the score is declared, not guessed."""

from __future__ import annotations

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.backends import choose_label

NLI = {0: "contradiction", 1: "entailment", 2: "neutral"}


@pytest.mark.parametrize(
    ("label", "names", "count", "chosen"),
    [
        (None, {}, 1, 0),
        ("0", {}, 1, 0),
        ("entailment", NLI, 3, 1),
        ("2", NLI, 3, 2),
        ("LABEL_1", {}, 2, 1),
    ],
)
def test_the_only_label_or_the_one_that_is_named(
    label: str | None, names: dict[int, str], count: int, chosen: int
) -> None:
    assert choose_label(label, names, count, "folder") == chosen


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (None, r"folder: the model has 3 labels: 0 \(contradiction\), 1 \(entailment\), 2 \(neutral\)\. Say which"),
        ("relevant", r"no label 'relevant'\. There are: 0 \(contradiction\)"),
        ("3", "no label '3'"),
    ],
)
def test_several_labels_are_listed(label: str | None, words: str) -> None:
    with pytest.raises(UserError, match=words):
        choose_label(label, NLI, 3, "folder")
