"""Agreement of a batch, rulings by a third person, and the labels that follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.suites.annotation.adjudication import open_disagreements, read_rulings, rule, write_disagreements
from constraintsuite.suites.annotation.agreement import QuestionAgreement, measure_agreement, measure_attention
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, open_batch, write_batch
from constraintsuite.suites.annotation.current_answers import current_answers, leave_out
from constraintsuite.suites.annotation.labels import Label, LabelledItem, label_all, write_labels
from constraintsuite.suites.annotation.records import AnnotationEvent, AnswerValue, EventDraft, ItemSet
from suites.annotation.small_batch import (
    START,
    answer_all,
    by_the_book,
    make_batch,
    read_csv,
    said_of,
    take_back,
    write_csv,
)

WHY = "The text names hazelnuts in its second sentence."


def contrary(*items: str) -> object:
    """Differs from the book on some items."""

    def answer(task: AnnotationTask) -> dict[str, AnswerValue]:
        return {**by_the_book(task), **({"satisfies": "both"} if task.item.id in items else {})}

    return answer


def twice_judged(
    folder: Path, count: int = 6, *, repeats: float = 0.0, differing: tuple[str, ...] = ("dish-1",)
) -> AnnotationBatch:
    batch = make_batch(folder, count, repeats=repeats)
    answer_all(batch, "ann")
    answer_all(batch, "bob", contrary(*differing))  # type: ignore[arg-type]
    return batch


def row_of(rows: list[QuestionAgreement], question: str, group: str = "all") -> QuestionAgreement:
    return next(row for row in rows if (row.question, row.group) == (question, group))


def test_agreement_is_by_question_and_without_decoys(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path, 20, differing=("dish-1", "dish-2", "decoy"))
    found = row_of(measure_agreement(batch, said_of(batch)), "satisfies")
    assert (found.figures.raw.value, found.figures.raw.n, found.differing) == (0.9, 20, 2)
    assert found.scale == "nominal"
    assert row_of(measure_agreement(batch, said_of(batch)), "fit").scale == "ordinal"


def test_agreement_by_group(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path, 20, differing=("dish-1", "dish-3"))
    rows = measure_agreement(batch, said_of(batch), by="course")
    assert row_of(rows, "satisfies", "soup").figures.raw.value == 0.8
    assert row_of(rows, "satisfies", "cake").figures.raw.value == 1


def test_an_unknown_grouping_is_answered_with_those_there_are(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    with pytest.raises(UserError, match=r"no grouping 'colour'\. There are: course\."):
        measure_agreement(batch, said_of(batch), by="colour")


def test_the_claim_and_the_bound_that_is_shown_never_contradict(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path, 40, differing=())
    found = row_of(measure_agreement(batch, said_of(batch), claim=0.9), "satisfies")
    assert found.figures.raw.low is not None
    assert (found.figures.raw.low >= 0.9) is (found.needed.at_this_rate == 0)


def test_coefficients_have_bounds_on_their_scale_or_none(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 4)
    answer_all(batch, "ann", lambda task: {"satisfies": "first" if task.item.id < "dish-2" else "second"})
    answer_all(batch, "bob", lambda task: {"satisfies": "first" if task.item.id < "dish-3" else "second"})
    figures = row_of(measure_agreement(batch, said_of(batch)), "satisfies").figures
    assert figures.kappa.value == 0.5
    assert (figures.kappa.low, figures.kappa.high) == (None, None), "of four items it could be anything"
    assert figures.raw.low is not None
    assert figures.raw.low >= 0

    batch = make_batch(tmp_path / "more", 9)
    answer_all(batch, "ann", lambda task: {"satisfies": "first" if task.item.id < "dish-4" else "second"})
    answer_all(batch, "bob", lambda task: {"satisfies": "second" if task.item.id < "dish-3" else "first"})
    low = row_of(measure_agreement(batch, said_of(batch)), "satisfies").figures.kappa
    assert (low.low, low.high is not None and low.high < 1) == (-1, True)


def test_attention_is_what_can_be_checked_of_one_alone(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 60, repeats=0.3)
    answer_all(batch, "ann")
    answer_all(
        batch, "lazy", lambda task: {"satisfies": task.as_meant("first"), "fit": "well"}
    )  # always the first that is shown
    ann, lazy = measure_attention(batch, said_of(batch))
    assert (ann.decoys.value, ann.repeats.value) == (1, 1)
    assert lazy.shown_first.value == 1
    assert lazy.repeats.value == 0.5  # fit is the same again, satisfies never is
    assert ann.shown_first.value is not None
    assert 0.2 < ann.shown_first.value < 0.8


def test_what_people_differ_on_waits_for_a_ruling(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    (found,) = open_disagreements(batch, said_of(batch))
    assert (found.item, found.question, found.answers) == ("dish-1", "satisfies", {"ann": "first", "bob": "both"})


def test_a_ruling_settles_it_with_its_reason(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    batch.store.append([rule(batch, said_of(batch), "cy", ("dish-1", "satisfies", "second"), WHY)], START)
    assert open_disagreements(batch, said_of(batch)) == []
    labels = {one.item: one.labels for one in label_all(batch, said_of(batch))}
    assert labels["dish-1"]["satisfies"] == Label("second", "ruled", 2, WHY)


def ruled(folder: Path) -> AnnotationBatch:
    """cy has ruled that the second text of dish-1 satisfies; ann said the first, bob both."""
    batch = twice_judged(folder)
    batch.store.append([rule(batch, said_of(batch), "cy", ("dish-1", "satisfies", "second"), WHY)], START)
    return batch


@pytest.mark.parametrize(
    ("later", "label"),
    [
        (EventDraft("bob", "dish-1", "satisfies", "first"), Label("first", "agreed", 2)),
        (EventDraft("bob", "dish-1", "satisfies", "neither"), Label(None, "open", 2)),
        (EventDraft("di", "dish-1", "satisfies", "first"), Label(None, "open", 3)),
        (EventDraft("bob", "dish-1", "satisfies", "both", note="the same"), Label("second", "ruled", 2, WHY)),
        (EventDraft("bob", "dish-1", "satisfies", "first", copy=1), Label("second", "ruled", 2, WHY)),
        (EventDraft("bob", "dish-1", "fit", "badly"), Label("second", "ruled", 2, WHY)),
    ],
)
def test_a_ruling_is_of_what_was_said_when_it_was_made(tmp_path: Path, later: EventDraft, label: Label) -> None:
    batch = ruled(tmp_path)
    batch.store.append([later], START)
    found = {one.item: one for one in label_all(batch, said_of(batch))}["dish-1"]
    assert found.labels["satisfies"] == label
    lapsed = [note for note in found.notes if note.startswith("satisfies: a ruling (second) counts no longer")]
    assert len(lapsed) == (label.how != "ruled")
    waiting = [(one.item, one.question) for one in open_disagreements(batch, said_of(batch))]
    assert (("dish-1", "satisfies") in waiting) is (label.how == "open")


def test_a_ruling_ends_with_an_answer_that_is_taken_back_and_counts_again_with_it(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    batch.store.append(
        [EventDraft("ann", "dish-1", "satisfies", "first"), EventDraft("bob", "dish-1", "satisfies", "both")], START
    )
    batch.store.append([rule(batch, said_of(batch), "cy", ("dish-1", "satisfies", "second"), WHY)], START)
    take_back(batch, "bob")
    assert said_of(batch).rulings == {}
    batch.store.append([EventDraft("bob", "dish-1", "satisfies", "both")], START)
    assert said_of(batch).rulings.keys() == {("dish-1", "satisfies")}


def test_nobody_rules_on_a_decoy(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path, differing=("decoy",))
    with pytest.raises(UserError, match="no item 'decoy'"):
        rule(batch, said_of(batch), "cy", ("decoy", "satisfies", "first"), WHY)


@pytest.mark.parametrize(
    ("by", "draft", "reason", "said"),
    [
        ("ann", ("dish-1", "satisfies", "first"), WHY, "ann has judged this item"),
        ("cy", ("dish-1", "satisfies", "first"), "because", "a ruling needs a reason, in words"),
        ("cy", ("dish-1", "satisfies", "first"), "x" * 2_001, "10 to 2,000 characters; there are 2,001"),
        ("cy", ("dish-1", "satisfies", "third"), WHY, "'third' is not an answer here"),
        ("cy", ("dish-2", "satisfies", "first"), WHY, "there is no disagreement here"),
        ("cy", ("dish-99", "satisfies", "first"), WHY, "no item 'dish-99'"),
        ("cy", ("dish-1", "obays", "first"), WHY, "no question 'obays'"),
    ],
)
def test_a_ruling_is_a_third_persons_with_a_reason(
    tmp_path: Path, by: str, draft: tuple[str, str, str], reason: str, said: str
) -> None:
    batch = twice_judged(tmp_path)
    with pytest.raises(UserError) as error:
        rule(batch, said_of(batch), by, draft, reason)
    assert said in str(error.value)


def test_rulings_by_sheet(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path, differing=("dish-1", "dish-4"))
    assert write_disagreements(batch, "cy", tmp_path / "cy.csv") == 2
    rows = read_csv(tmp_path / "cy.csv")
    assert {row["answers"] for row in rows} <= {"first | both", "both | first"}
    assert "ann" not in (tmp_path / "cy.csv").read_text()
    rows[0] |= {"ruling": "both", "reason": WHY}
    (draft,) = read_rulings(batch, "cy", write_csv(tmp_path / "done.csv", rows))
    assert (draft.item, draft.value, draft.note, draft.kind) == (rows[0]["item"], "both", WHY, "ruling")


def test_faults_of_rulings_are_told_with_their_lines(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path, differing=("dish-1", "dish-4"))
    write_disagreements(batch, "cy", tmp_path / "cy.csv")
    rows = read_csv(tmp_path / "cy.csv")
    rows[0] |= {"ruling": "both", "reason": "no"}
    rows[1] |= {"ruling": "nobody", "reason": WHY}
    with pytest.raises(UserError) as error:
        read_rulings(batch, "cy", write_csv(tmp_path / "done.csv", rows))
    assert ":2: " in str(error.value)
    assert ":3: " in str(error.value)


def test_labels_say_how_they_came_about(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    batch.store.append([EventDraft("ann", "dish-0", "units", ("u2",), note="barely")], START)
    labels = {one.item: one for one in label_all(batch, said_of(batch))}
    assert labels.keys() == {f"dish-{n}" for n in range(6)}
    assert labels["dish-0"].labels["satisfies"] == Label("first", "agreed", 2)
    assert labels["dish-0"].labels["units"] == Label(("u2",), "single", 1)
    assert labels["dish-1"].labels["satisfies"] == Label(None, "open", 2)
    assert labels["dish-2"].labels["units"] == Label(None, "unanswered", 0)
    assert labels["dish-0"].settled("units") is None
    assert labels["dish-0"].notes == ("barely",)


def test_a_majority_settles_nothing(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    answer_all(batch, "di")
    assert {one.item: one for one in label_all(batch, said_of(batch))}["dish-1"].labels["satisfies"].how == "open"


def test_labels_without_somebody_are_as_if_they_had_said_nothing(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    answer_all(batch, "di")
    labels = {one.item: one.labels for one in write_labels(batch, tmp_path / "out", ["bob"])}
    assert labels["dish-1"]["satisfies"] == Label("first", "agreed", 2)
    assert {one.annotator for one in read_jsonl(tmp_path / "out" / "events.jsonl", AnnotationEvent)} == {"ann", "di"}
    with pytest.raises(UserError, match=r"bop: nobody of this name has given an answer\. There are: ann, bob, di\."):
        write_labels(batch, tmp_path / "other", ["bop"])
    assert not (tmp_path / "other").exists()


def test_what_somebody_took_back_stays_so_without_them(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    batch.store.append([rule(batch, said_of(batch), "cy", ("dish-1", "satisfies", "both"), WHY)], START)
    with batch.store.transaction(START) as transaction:
        transaction.take_back([said_of(batch).rulings["dish-1", "satisfies"]], "di")
    assert current_answers(leave_out(batch.store.events(), ["di"])).rulings == {}
    assert current_answers(leave_out(batch.store.events(), ["cy"])).rulings == {}


def test_a_ruling_counts_only_where_those_who_are_left_differ(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    batch.store.append([rule(batch, said_of(batch), "cy", ("dish-1", "satisfies", "both"), WHY)], START)
    labels = {one.item: one for one in write_labels(batch, tmp_path / "out", ["bob"])}
    assert labels["dish-1"].labels["satisfies"] == Label("first", "single", 1)
    assert labels["dish-1"].notes == ()


def test_labels_and_events_are_exported_as_json_lines(tmp_path: Path) -> None:
    batch = twice_judged(tmp_path)
    write_labels(batch, tmp_path / "out")
    assert len(list(read_jsonl(tmp_path / "out" / "labels.jsonl", LabelledItem))) == 6
    assert list(read_jsonl(tmp_path / "out" / "events.jsonl", AnnotationEvent)) == batch.store.events()


def test_a_batch_is_read_as_it_was_written(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    assert open_batch(batch.path) == batch


def test_changed_items_are_refused(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    file = batch.path / "items.jsonl"
    file.write_text(file.read_text().replace("no nuts", "some nuts"))
    with pytest.raises(UserError, match="changed or deleted"):
        open_batch(batch.path)


def test_a_batch_never_takes_the_place_of_another(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    with pytest.raises(UserError, match="this already exists"):
        make_batch(tmp_path, 3)
    assert open_batch(batch.path) == batch


def test_nothing_to_judge_is_no_batch(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is nothing to judge"):
        write_batch(tmp_path / "batch", ItemSet("nothing", "an empty suite", (), ()))
    assert not (tmp_path / "batch").exists()
