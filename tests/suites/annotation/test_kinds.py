"""Gold examples and proposals as items."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of, write_batch
from constraintsuite.suites.annotation.kinds.gold import (
    JudgedExample,
    gold_items,
    sample_suite,
    summarise,
    verdict_of,
    write_verdicts,
)
from constraintsuite.suites.annotation.kinds.proposals import (
    approve,
    proposal_items,
    read_proposal_file,
    write_approved,
)
from constraintsuite.suites.annotation.labels import Label, LabelledItem, label_all
from constraintsuite.suites.annotation.records import AnswerValue, EventDraft
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.queries.approval import check_approval
from constraintsuite.suites.queries.records import Proposal
from experiments.tiny_suite import CREAMLESS, EXAMPLES, write_suite
from suites.annotation.small_batch import START, said_of


def test_nothing_that_is_shown_tells_the_label(tmp_path: Path) -> None:
    batch = write_batch(tmp_path / "gold", gold_items(EXAMPLES, "tiny"))
    for task in tasks_of(batch, "ann"):
        assert set(task.shown()) == {"query", "first", "second"}
    sides = {item.hidden["satisfies"] for item in batch.judged}
    assert sides == {"first", "second"}


def test_the_hidden_side_is_the_satisfying_text() -> None:
    item = next(item for item in gold_items(EXAMPLES, "tiny").items if item.id == CREAMLESS.id)
    assert item.sides is not None
    assert item.sides[("first", "second").index(item.hidden["satisfies"])] == CREAMLESS.satisfying.text


def test_a_decoy_has_one_text_of_another_topic() -> None:
    (decoy,) = [item for item in gold_items(EXAMPLES, "tiny").items if item.expected]
    assert decoy.sides is not None
    own = decoy.expected["on_topic"][0]
    foreign = decoy.sides[1 - ("first", "second").index(own)]
    topic = decoy.fields["query"].split()[0].removesuffix("s")
    assert topic not in foreign.lower()


GOOD: dict[str, AnswerValue] = {"natural": "yes", "on_topic": ("first", "second"), "grammatical": ("first", "second")}


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({}, "keep", ""),
        ({"natural": "awkward"}, "repair", "natural: awkward"),
        ({"grammatical": ("first",)}, "repair", "a text is not grammatical"),
        ({"satisfies": "both"}, "drop", "the texts are not as labelled"),
        ({"on_topic": ()}, "drop", "a text is off topic"),
        ({"natural": None}, "open", "not settled: natural"),
    ],
)
def test_what_becomes_of_an_example(changes: dict[str, AnswerValue | None], verdict: str, reason: str) -> None:
    item = next(iter(gold_items(EXAMPLES, "tiny").items))
    said = {**GOOD, "satisfies": item.hidden["satisfies"], **changes}
    labels = {name: Label(value, "open" if value is None else "agreed", 2) for name, value in said.items()}
    assert verdict_of(item, LabelledItem(item.id, {}, labels)) == (verdict, reason)


def test_a_suite_is_sampled_and_its_labels_are_summed_up(tmp_path: Path) -> None:
    items = sample_suite(write_suite(tmp_path / "suite"), 5, seed=0)
    batch = write_batch(tmp_path / "gold", items)
    assert items.source.startswith("tiny ")
    for name in ("ann", "bob"):
        for item in batch.judged:
            satisfies = item.hidden["satisfies"] if item.id != "nutless" else "both"
            batch.store.append(
                [EventDraft(name, item.id, q, v) for q, v in {**GOOD, "satisfies": satisfies}.items()], START
            )
    judged = write_verdicts(batch, tmp_path / "out")
    found = summarise(batch, judged)
    assert (found.verdicts, found.right.value, found.right.n) == (
        {"keep": 4, "repair": 0, "drop": 1, "open": 0},
        0.8,
        5,
    )
    assert [one.id for one in read_jsonl(tmp_path / "out" / "drop.jsonl", JudgedExample)] == ["nutless"]
    assert [one.id for one in read_jsonl(tmp_path / "out" / "gold.jsonl", JudgedExample)] == [
        item.id for item in batch.judged
    ]


def test_a_changed_suite_is_refused(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    (suite / "examples.jsonl").write_bytes((suite / "examples.jsonl").read_bytes() + b"\n")
    with pytest.raises(UserError, match="changed since the suite was made"):
        sample_suite(suite, 5, seed=0)


SOUPS = Proposal(
    id="soups-cream",
    status="doubtful",
    topic="soups",
    constraint=Exclude(value="cream", cue="without", forms=("cream",)),
    query="soups without cream",
    opposite="soups with cream",
    relation="contains",
    domain="food",
    template="{topic} without {y}",
    template_family="without",
    split="test",
    score=0.93,
    topic_documents=40,
    satisfying=("d2",),
    violating=("d1",),
    examples_expected=3,
)


COTTAGES = replace(
    SOUPS,
    id="cottages-700",
    topic="cottages",
    constraint=Number(
        value="700 pounds a week",
        cue="under",
        forms=(),
        measure="price_GBP_week",
        position="below",
        limit=700,
        unit="GBP",
    ),
    query="cottages under 700 pounds a week",
    opposite="cottages over 700 pounds a week",
)


def about(topic: str, value: str) -> Proposal:
    return replace(
        SOUPS,
        id=f"{topic}-{value}",
        topic=topic,
        constraint=replace(SOUPS.constraint, value=value),
        query=f"{topic} without {value}",
        opposite=f"{topic} with {value}",
    )


TENTS = about("tents", "poles")
CAKES = about("cakes", "nuts")


def judged_proposals(folder: Path) -> AnnotationBatch:
    file = folder / "proposals.jsonl"
    write_jsonl(file, [SOUPS, TENTS, CAKES])
    batch = write_batch(folder / "batch", proposal_items(read_proposal_file(file), file))
    said = [
        EventDraft("ann", "soups-cream", "verdict", "accept"),
        EventDraft("ann", "soups-cream", "query_reworded", "soups that have no cream"),
        EventDraft("ann", "tents-poles", "verdict", "reject"),
    ]
    batch.store.append(said, START)
    return batch


def test_a_proposal_is_shown_without_its_score(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "proposals.jsonl", [SOUPS])
    (item,) = proposal_items([SOUPS], tmp_path / "proposals.jsonl").items
    assert set(item.fields) == {"topic", "value", "query", "opposite", "evidence"}
    assert "0.93" not in str(item)


def test_verdicts_and_words_go_back_into_the_proposals(tmp_path: Path) -> None:
    batch = judged_proposals(tmp_path)
    soups, tents, cakes = approve([SOUPS, TENTS, CAKES], label_all(batch, said_of(batch)), said_of(batch))
    assert (soups.status, soups.query, soups.opposite) == ("accepted", "soups that have no cream", "soups with cream")
    assert (tents.status, cakes.status) == ("rejected", "doubtful")


def test_what_is_written_is_what_a_build_takes(tmp_path: Path) -> None:
    batch = judged_proposals(tmp_path)
    counts = write_approved(batch, tmp_path / "proposals.jsonl", tmp_path / "approved.jsonl")
    assert counts == {"accepted": 1, "doubtful": 1, "rejected": 1}
    check_approval(tmp_path / "approved.jsonl")


def test_another_file_of_proposals_is_refused(tmp_path: Path) -> None:
    batch = judged_proposals(tmp_path)
    write_jsonl(tmp_path / "other.jsonl", [SOUPS])
    with pytest.raises(UserError, match="not the file that"):
        write_approved(batch, tmp_path / "other.jsonl", tmp_path / "approved.jsonl")
