"""Texts that look edited are recognised by texts of other documents."""

from __future__ import annotations

import random

import numpy as np

from constraintsuite.core.records.examples import Example
from constraintsuite.suites.audit.edited import FEWEST_TEXTS, edited_advantage
from suites.audit.audit_factory import make_example, random_text


def _examples(count: int, mark: str, *, hub: bool = False) -> list[Example]:
    """The satisfying text is edited and holds the mark."""
    rng = random.Random(0)
    return [
        make_example(
            i,
            f"{random_text(rng)} {mark}",
            random_text(rng),
            edits=("flip", ""),
            clusters=("hub",) if hub else None,
        )
        for i in range(count)
    ]


def test_a_mark_that_edits_leave_is_found() -> None:
    assert (edited_advantage(_examples(40, "which is not so")) > 0).mean() > 0.95


def test_edits_that_leave_no_mark_are_not_found() -> None:
    assert 0.3 < (edited_advantage(_examples(200, "")) > 0).mean() < 0.7


def test_too_few_texts_of_one_kind_train_nothing() -> None:
    assert np.isnan(edited_advantage(_examples(FEWEST_TEXTS - 1, "mark"))).all()
    untouched = [make_example(i, f"a {i}", f"b {i}") for i in range(40)]
    assert np.isnan(edited_advantage(untouched)).all()


def test_a_text_is_not_judged_by_texts_of_its_own_document() -> None:
    examples = [
        make_example(i, f"own{i} own{i} is said", f"plain{i}", ids=(f"d{i % 20}", f"e{i % 20}"), edits=("flip", ""))
        for i in range(20)
    ]
    again = [
        make_example(100 + i, f"own{i} own{i} is told", f"plain{i}", ids=(f"d{i}", f"e{i}"), edits=("", "flip"))
        for i in range(20)
    ]
    # Each document gives an edited and an untouched text with the same rare words; only `said` and `told` tell them apart.
    advantage = edited_advantage([*examples, *again])
    assert (advantage[:20] > advantage[20:]).all()


def test_shared_clusters_that_join_all_texts_leave_the_documents_to_hold_out() -> None:
    assert (edited_advantage(_examples(40, "which is not so", hub=True)) > 0).mean() > 0.95
