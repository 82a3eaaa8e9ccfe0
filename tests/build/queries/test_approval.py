"""A person's word on proposals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from build_factory import make_proposal

from constraintsuite.build.queries.approval import apply_approval
from constraintsuite.build.queries.records import Proposal, Status
from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import write_jsonl

SHOWERS = make_proposal("showers", affirming=["a"], denying=["b"])
DOGS = make_proposal("dogs", affirming=["c"])


def approved(path: Path, *edited: Proposal) -> list[Proposal]:
    write_jsonl(path / "proposals.jsonl", edited)
    return apply_approval(path / "proposals.jsonl", [SHOWERS, DOGS])


def test_the_words_are_those_the_person_left(tmp_path: Path) -> None:
    edited = replace(
        SHOWERS,
        status="accepted",
        topic="camping grounds",
        y="hot showers",
        base="camping grounds with hot showers",
        neg="camping grounds that lack hot showers",
        marker="lack",
        forms=("hot shower", "hot showers"),
        blocked=("bath",),
        reason="sounds better",
    )
    assert approved(tmp_path, edited) == [edited]


def test_what_was_mined_stays_as_it_was(tmp_path: Path) -> None:
    edited = replace(SHOWERS, status="accepted", split="test", score=99.0, relation="other")
    assert approved(tmp_path, edited) == [replace(SHOWERS, status="accepted")]


def test_a_person_may_strike_documents_out_but_not_add_any(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "proposals.jsonl", [replace(DOGS, status="accepted", affirming=("d", "z"))])
    (settled,) = apply_approval(tmp_path / "proposals.jsonl", [replace(DOGS, affirming=("c", "d"))])
    assert settled.affirming == ("d",)


@pytest.mark.parametrize("status", ["build", "doubtful", "rejected"])
def test_what_was_not_accepted_is_rejected(tmp_path: Path, status: Status) -> None:
    settled = approved(tmp_path, replace(SHOWERS, status="accepted"), replace(DOGS, status=status))
    assert [proposal.status for proposal in settled] == ["accepted", "rejected"]


def test_an_unknown_id_is_a_user_error_that_names_the_line(tmp_path: Path) -> None:
    stranger = replace(DOGS, id="p-cats", status="accepted")
    with pytest.raises(UserError, match=r"proposals\.jsonl:2: no proposal 'p-cats' in this corpus"):
        approved(tmp_path, replace(SHOWERS, status="accepted"), stranger)


def test_nothing_accepted_is_a_user_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r'no proposal has "status": "accepted"\. Set it'):
        approved(tmp_path, SHOWERS)


def test_a_status_that_does_not_exist_is_a_user_error_that_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "proposals.jsonl"
    write_jsonl(path, [SHOWERS])
    path.write_text(path.read_text().replace('"status":"build"', '"status":"yes"'))
    with pytest.raises(UserError, match=r"proposals\.jsonl:1: status: .*'yes'"):
        apply_approval(path, [SHOWERS])
