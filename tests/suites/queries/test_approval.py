"""A person's word on proposals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.jsonl import encode, write_jsonl
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.constraints.time import Time
from constraintsuite.suites.queries.approval import apply_approval, check_approval
from constraintsuite.suites.queries.records import Proposal, Status, Wording
from constraintsuite.suites.recipe import AnalysisSettings, Recipe
from suites.build_factory import make_proposal

SHOWERS = make_proposal("showers", satisfying=["b"], violating=["a"])
DOGS = make_proposal("dogs", violating=["c"])


def approved(path: Path, *edited: Proposal) -> list[Proposal]:
    write_jsonl(path / "proposals.jsonl", edited)
    return apply_approval(path / "proposals.jsonl", [SHOWERS, DOGS])


def test_the_words_are_those_the_person_left(tmp_path: Path) -> None:
    edited = replace(
        SHOWERS,
        status="accepted",
        topic="camping grounds",
        constraint=Exclude(value="hot showers", cue="lack", forms=("hot shower", "hot showers"), kinds=("bath",)),
        query="camping grounds that lack hot showers",
        opposite="camping grounds with hot showers",
        reason="sounds better",
    )
    assert approved(tmp_path, edited) == [edited, DOGS]


def test_a_file_may_not_move_a_limit_for_which_the_texts_were_read(tmp_path: Path) -> None:
    limit = Time(value="1960", cue="before", forms=(), measure="released", position="below", limit=1960)
    own = replace(SHOWERS, constraint=limit)
    write_jsonl(
        tmp_path / "proposals.jsonl", [replace(own, status="accepted", constraint=replace(limit, value="1970"))]
    )
    with pytest.raises(UserError, match="asks for '1970', but the texts were read for '1960'"):
        apply_approval(tmp_path / "proposals.jsonl", [own])


LACKING = Wording("campsites that lack showers", "campsites that have showers", "LACK_Y", "has.LACK_Y", "lack")


@pytest.mark.parametrize(
    ("query", "expected"),
    [(SHOWERS.query, (LACKING,)), ("campsites, but not with showers", ())],
    ids=["untouched", "reworded"],
)
def test_a_query_that_a_person_reworded_is_the_only_wording(
    tmp_path: Path, query: str, expected: tuple[Wording, ...]
) -> None:
    own = replace(SHOWERS, other_wordings=(LACKING,))
    write_jsonl(tmp_path / "proposals.jsonl", [replace(own, status="accepted", query=query)])
    (settled,) = apply_approval(tmp_path / "proposals.jsonl", [own])
    assert settled.other_wordings == expected


def test_what_was_mined_stays_as_it_was(tmp_path: Path) -> None:
    edited = replace(
        SHOWERS, status="accepted", split="test", score=99.0, relation="other", is_attribute=False, query_id="q9"
    )
    assert approved(tmp_path, edited) == [replace(SHOWERS, status="accepted"), DOGS]


def test_a_person_may_strike_documents_out_but_not_add_any(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "proposals.jsonl", [replace(DOGS, status="accepted", violating=("d", "z"))])
    (settled,) = apply_approval(tmp_path / "proposals.jsonl", [replace(DOGS, violating=("c", "d"))])
    assert settled.violating == ("d",)


@pytest.mark.parametrize(
    ("mined", "judged", "settled"),
    [
        ("build", "build", "build"),
        ("build", "rejected", "rejected"),
        ("doubtful", "doubtful", "doubtful"),
        ("doubtful", "accepted", "accepted"),
    ],
)
def test_approval_adds_to_what_is_built_unasked(tmp_path: Path, mined: Status, judged: Status, settled: Status) -> None:
    write_jsonl(tmp_path / "proposals.jsonl", [replace(SHOWERS, status="accepted"), replace(DOGS, status=judged)])
    found = apply_approval(tmp_path / "proposals.jsonl", [SHOWERS, replace(DOGS, status=mined)])
    assert [proposal.status for proposal in found] == ["accepted", settled]


def test_what_the_file_does_not_name_stays_as_it_is(tmp_path: Path) -> None:
    assert approved(tmp_path, replace(SHOWERS, status="rejected")) == [replace(SHOWERS, status="rejected"), DOGS]


def test_unknown_ids_are_a_user_error_that_names_their_lines(tmp_path: Path) -> None:
    cats, birds = (replace(DOGS, id=name, status="accepted") for name in ("p-cats", "p-birds"))
    with pytest.raises(UserError) as caught:
        approved(tmp_path, replace(SHOWERS, status="accepted"), cats, birds)
    first, second = str(caught.value).splitlines()
    assert "proposals.jsonl:2: no proposal 'p-cats' in this corpus" in first
    assert "proposals.jsonl:3: no proposal 'p-birds' in this corpus" in second


def test_an_unknown_id_that_was_not_accepted_is_no_matter(tmp_path: Path) -> None:
    settled = approved(tmp_path, replace(SHOWERS, status="accepted"), replace(DOGS, id="p-cats", status="rejected"))
    assert [proposal.id for proposal in settled] == ["p-showers", "p-dogs"]


def test_nothing_decided_is_a_user_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r'no proposal has "status": "accepted" or "rejected".*Set it'):
        approved(tmp_path, SHOWERS)


def test_all_faults_of_a_file_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "proposals.jsonl"
    accepted = replace(SHOWERS, status="accepted")
    wordless = replace(DOGS, status="accepted", constraint=replace(DOGS.constraint, value=" ", forms=()))
    lines = [encode(SHOWERS).replace(b'"build"', b'"yes"'), b"", b"{broken", encode(accepted), encode(accepted)]
    path.write_bytes(b"\n".join([*lines, encode(wordless)]) + b"\n")
    with pytest.raises(UserError) as caught:
        check_approval(path)
    told = [line.removeprefix(f"{path}:") for line in str(caught.value).splitlines()]
    assert told[0].startswith("1: status: Input should be")
    assert told[1].startswith("3: the record: Invalid JSON")
    assert told[2] == "5: the id 'p-showers' is already in line 4; keep one."
    assert told[3] == "6: proposal 'p-dogs': value, forms must hold a word."
    assert len(told) == 4


def asking(forms: tuple[str, ...] = ("showers",), kinds: tuple[str, ...] = ()) -> Exclude:
    """The exclusion of showers, with other words."""
    return Exclude(value="showers", cue="without", forms=forms, kinds=kinds)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"topic": ""}, "topic must hold a word"),
        ({"query": " "}, "query must hold a word"),
        ({"opposite": ""}, "opposite must hold a word"),
        ({"constraint": asking(forms=("showers", " "))}, "forms must hold a word"),
        ({"constraint": asking(forms=())}, "forms must hold a word"),
        ({"constraint": asking(kinds=("",))}, "kinds must hold a word"),
        (
            {"query": "campsites  with showers"},
            "query and opposite are the same words; the opposite must ask for what the query rejects",
        ),
    ],
)
def test_an_accepted_proposal_must_ask_for_something(tmp_path: Path, change: dict[str, Any], fault: str) -> None:
    path = tmp_path / "proposals.jsonl"
    write_jsonl(path, [replace(SHOWERS, status="accepted", **change)])
    with pytest.raises(UserError, match=f"proposals\\.jsonl:1: proposal 'p-showers': {fault}"):
        check_approval(path)


def test_of_many_faults_the_first_twenty_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "proposals.jsonl"
    path.write_text("{}\n" * 25)
    with pytest.raises(UserError) as caught:
        check_approval(path)
    assert len(str(caught.value).splitlines()) == 21
    assert str(caught.value).endswith("\nand 5 more")


def test_the_file_is_checked_before_any_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "proposals.jsonl"
    path.write_text("{}\n")
    recipe = Recipe(corpus=SourceSettings(source="sample"), analysis=AnalysisSettings(analyser="rules"), approved=path)
    with pytest.raises(UserError, match=r"proposals\.jsonl:1: id: Field required"):
        build_suite(recipe, tmp_path / "suite", reporter=Silent())
    assert not (tmp_path / "suite").exists()


def test_a_missing_file_is_a_user_error_that_says_where_it_comes_from(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no such file of approved proposals\. `csuite propose` writes one"):
        check_approval(tmp_path / "none.jsonl")


def test_a_status_that_does_not_exist_is_a_user_error_that_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "proposals.jsonl"
    write_jsonl(path, [SHOWERS])
    path.write_text(path.read_text().replace('"status":"build"', '"status":"yes"'))
    with pytest.raises(UserError, match=r"proposals\.jsonl:1: status: .*'yes'"):
        apply_approval(path, [SHOWERS])
