"""Contrasts of several suites: none lost for its id, none asked twice, no document in both halves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.mechanism.drift.drift import ChosenContrasts, DriftSettings, choose_from_suites
from mechanism.contrasts.suite_factory import make_suite
from mechanism.drift.moving import soups

ALL = DriftSettings(limit=None)


def ask(root: Path, settings: DriftSettings = ALL, **suites: Sequence[Example]) -> ChosenContrasts:
    for name, examples in suites.items():
        make_suite(root / name, examples, ())
    return choose_from_suites([root / name for name in suites], settings)


def reworded(example: Example, cluster: str) -> Example:
    """Another question under the same id."""
    return replace(example, query=f"{example.query} bowl", opposite=f"{example.opposite} bowl", clusters=(cluster,))


def test_one_suite_keeps_its_ids(tmp_path: Path) -> None:
    found = ask(tmp_path, ours=soups(4))
    assert [one.id for one in found.contrasts] == [f"soup{n}/query" for n in range(4)]


def test_examples_of_two_suites_may_have_the_same_ids(tmp_path: Path) -> None:
    others = [reworded(example, f"other{n}") for n, example in enumerate(soups(5))]
    found = ask(tmp_path, ours=soups(8), other=others)
    assert len(found.contrasts) == len({one.id for one in found.contrasts}) == 13
    assert found.contrasts[8].id == "other/soup0/query"


def test_what_two_suites_ask_alike_is_asked_once_and_counted(tmp_path: Path) -> None:
    renamed = [replace(example, id=f"b-{example.id}") for example in soups(3)]
    found = ask(tmp_path, ours=soups(8), other=renamed)
    assert (len(found.contrasts), found.rejects) == (8, {"query: repeated": 3})


@pytest.mark.parametrize("independent", [False, True])
def test_no_document_is_in_both_halves_of_two_suites(tmp_path: Path, independent: bool) -> None:
    ours = soups(40)
    others = [reworded(example, example.clusters[0]) for example in ours[:29]]
    found = ask(tmp_path, replace(ALL, independent=independent), ours=ours, other=others)
    halves = defaultdict(set)
    for one in found.contrasts:
        for cluster in one.clusters:
            halves[cluster].add(one.half)
    assert len(halves) == 40
    assert [cluster for cluster, some in halves.items() if len(some) > 1] == []
    assert len(found.contrasts) == (40 if independent else 69)
    assert found.rejects.get("query: shares_a_document", 0) == (29 if independent else 0)


def test_two_suites_of_one_name_are_refused(tmp_path: Path) -> None:
    for place in ("a", "b"):
        make_suite(tmp_path / place / "ours", soups(2), ())
    with pytest.raises(UserError, match="also called 'ours'"):
        choose_from_suites([tmp_path / "a" / "ours", tmp_path / "b" / "ours"], ALL)
