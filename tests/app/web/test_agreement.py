"""Agreement and export on pages: the figures of the machinery, whom not to rely on, nothing overwritten."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.web.site import ANNA, BEN, OpenSite, open_site
from constraintsuite.app.web.artifact_index import ArtifactIndex
from constraintsuite.app.web.new_folders import create_sibling
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, open_batch, write_batch
from constraintsuite.suites.annotation.records import AnswerValue, ItemSet
from constraintsuite.suites.dropped import Dropped, name_of_texts
from constraintsuite.suites.queries.records import Proposal
from experiments.tiny_suite import EXAMPLES, write_suite
from suites.annotation.small_batch import answer_all, dishes, make_batch, take_back
from suites.annotation.test_kinds import judged_proposals

BATCH = "/batch/batch"
GOLD = "/batch/suite.gold"


def differing(task: AnnotationTask) -> dict[str, AnswerValue]:
    return {"satisfies": "second" if task.item.id == "dish-3" else "first", "fit": "well"}


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    made = make_batch(tmp_path)
    answer_all(made, ANNA.name)
    answer_all(made, BEN.name, differing)
    return made


@pytest.fixture
def site(batch: AnnotationBatch) -> OpenSite:
    return open_site(batch.path.parent)


# Agreement


def test_the_figures_stand_with_their_intervals(site: OpenSite) -> None:
    page = site.visit().page(f"{BATCH}/agreement")
    row = page[page.index(">satisfies") : page.index("</tr>", page.index(">satisfies"))]
    assert "83.3" in row, "five of six"
    assert "<small>n=6</small>" in row
    assert "<small>40.5–100.0</small>" in row
    assert "anna" in page


def test_by_group_each_question_has_a_row_a_group(site: OpenSite) -> None:
    page = site.visit().page(f"{BATCH}/agreement?by=course")
    assert page.count(">cake</td>") == page.count(">soup</td>") == 2


def test_it_says_how_many_more_items_it_takes_for_the_bound_that_is_asked_for(site: OpenSite) -> None:
    page = site.visit().page(f"{BATCH}/agreement?claim=0.8")
    assert re.search(r"<strong>fit</strong>: about \d+ more items for a lower bound of 80.0 %", page)


@pytest.mark.parametrize(
    ("query", "told"), [("by=nothing", "no grouping"), ("claim=2", "not a share"), ("claim=x", "not")]
)
def test_what_cannot_be_asked_for_is_told(site: OpenSite, query: str, told: str) -> None:
    assert told in site.visit().get(f"{BATCH}/agreement?{query}", 400).text


def test_figures_come_again_only_when_somebody_has_said_something(batch: AnnotationBatch, site: OpenSite) -> None:
    owner = site.visit()
    again = re.findall('data-again="([^"]*)"', owner.page(f"{BATCH}/agreement"))[0].replace("&amp;", "&")
    figures = owner.page(again)
    assert "<html" not in figures
    seen = re.findall('data-seen="([^"]*)"', figures)[0]
    assert not owner.get(f"{again}&seen={seen}", 204).text
    take_back(batch, BEN.name)
    assert owner.page(f"{again}&seen={seen}") != figures


def test_before_two_people_answered_there_is_no_figure(tmp_path: Path) -> None:
    make_batch(tmp_path)
    assert "No item has been answered by two people yet" in open_site(tmp_path).visit().page(f"{BATCH}/agreement")


def with_eight_decoys(items: ItemSet) -> ItemSet:
    (decoy,) = (item for item in items.items if item.expected)
    return replace(items, items=[*items.items, *(replace(decoy, id=f"decoy-{number}") for number in range(7))])


def careless(task: AnnotationTask) -> dict[str, AnswerValue]:
    return (
        {"satisfies": task.as_meant("first"), "fit": "badly"}
        if not task.item.expected
        else {"satisfies": "neither", "fit": "badly"}
    )


@pytest.fixture
def trapped(tmp_path: Path) -> OpenSite:
    """ben fails the decoys."""
    batch = write_batch(tmp_path / "batch", with_eight_decoys(dishes(20)), repeats=0)
    answer_all(batch, ANNA.name)
    answer_all(batch, BEN.name, careless)
    return open_site(tmp_path)


def test_who_fails_decoys_or_chooses_by_place_is_named(trapped: OpenSite) -> None:
    page = trapped.visit().page(f"{BATCH}/agreement")
    assert (
        "<strong>ben</strong> failed the decoys: 0.0 % of the known answers were right, in 8 decoys (95 % interval 0.0–32.4 %)."
        in page
    )
    assert "<strong>ben</strong> seems to choose by position: the first text in 20 of 20 items (p &lt;0.001)." in page
    assert "<strong>anna</strong>" not in page
    assert "Tick their name above" in page


def test_figures_without_somebody(trapped: OpenSite) -> None:
    owner = trapped.visit()
    page = owner.page(f"{BATCH}/agreement?without=ben")
    assert "failed the decoys" not in page
    assert "No item has been answered by two people yet" in page
    assert 'name="without" value="ben" checked' in page
    assert "agreement/figures?by=&amp;claim=0.9&amp;without=ben" in page
    assert "nobody of this name has given an answer" in owner.get(f"{BATCH}/agreement?without=bem", 400).text


def test_of_few_decoys_it_is_said_that_they_tell_nothing(site: OpenSite) -> None:
    page = site.visit().page(f"{BATCH}/agreement")
    assert "Too few decoys to know who reads with care: anna 1, ben 1 answered, but each person needs 5." in page
    assert "failed the decoys" not in page


# Batches: made, watched, exported


@pytest.fixture
def suite_site(tmp_path: Path) -> OpenSite:
    write_suite(tmp_path / "suite")
    return open_site(tmp_path)


def make_gold(site: OpenSite) -> AnnotationBatch:
    assert site.visit().post("/sample/suite", {"size": "5", "seed": "0"}).headers["location"] == GOLD
    return open_batch(site.shelf.root / "suite.gold")


def judge_gold(
    batch: AnnotationBatch, change: Callable[[AnnotationTask], dict[str, AnswerValue]] = lambda task: {}
) -> None:
    def answer(task: AnnotationTask) -> dict[str, AnswerValue]:
        both = ("first", "second")
        right: dict[str, AnswerValue] = {
            "natural": "yes",
            "satisfies": task.item.hidden.get("satisfies", "first"),
            "on_topic": both,
            "grammatical": both,
        }
        return {**right, **change(task)}

    for name in (ANNA.name, BEN.name):
        answer_all(batch, name, answer)


def test_a_batch_is_made_beside_its_suite_as_the_command_makes_it(suite_site: OpenSite) -> None:
    batch = make_gold(suite_site)
    assert {item.id for item in batch.judged} == {example.id for example in EXAMPLES}
    page = suite_site.visit().page("/sample/suite")
    assert f'href="{GOLD}"' in page
    assert 'href="/suite/suite"' in suite_site.visit().page(GOLD)


def test_a_second_batch_takes_nothing_from_the_first(suite_site: OpenSite) -> None:
    batch = make_gold(suite_site)
    answer_all(batch, ANNA.name, lambda task: {"natural": "yes"})
    location = suite_site.visit().post("/sample/suite", {"size": "2", "seed": "1"}).headers["location"]
    assert location == "/batch/suite.gold-2"
    assert batch.store.events()


@pytest.mark.parametrize(
    ("size", "seed"), [("0", "0"), ("", "0"), ("5001", "0"), ("x", "0"), ("5", "-1"), ("5", "1e9")]
)
def test_a_size_that_cannot_be_meant_is_told_and_nothing_is_made(suite_site: OpenSite, size: str, seed: str) -> None:
    assert "is not an integer" in suite_site.visit().post("/sample/suite", {"size": size, "seed": seed}, 422).text
    assert [path.name for path in suite_site.shelf.root.iterdir()] == ["suite"]


def test_of_a_changed_suite_no_batch_is_made(suite_site: OpenSite) -> None:
    with (suite_site.shelf.root / "suite" / "examples.jsonl").open("a") as file:
        file.write("\n")
    told = suite_site.visit().post("/sample/suite", {"size": "5", "seed": "0"}, 422).text
    assert "changed since the suite was made" in told
    assert [path.name for path in suite_site.shelf.root.iterdir()] == ["suite"]


def test_nothing_is_made_outside_the_folder_that_is_served(tmp_path: Path) -> None:
    shelf = ArtifactIndex(write_suite(tmp_path / "suite"))
    with (
        pytest.raises(UserError, match="Serve the folder above"),
        create_sibling(shelf, shelf.of_kind("suite")[0], "gold"),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]


def test_an_annotator_makes_no_batch(suite_site: OpenSite) -> None:
    suite_site.visit(ANNA).post("/sample/suite", {"size": "5", "seed": "0"}, 403)
    suite_site.visit(ANNA).get("/sample/suite", 403)


def test_the_state_says_how_far_everyone_is_and_what_waits(site: OpenSite) -> None:
    page = site.visit().page(BATCH)
    assert re.search(r'>anna</th><td class="count" data-order="7">7</td><td class="count" data-order="7">7</td>', page)
    assert "1 waits for an adjudicator" in page


def test_an_export_writes_what_the_command_writes_and_lists_what_to_drop_and_repair(suite_site: OpenSite) -> None:
    batch = make_gold(suite_site)
    wrong, worded = batch.judged[0].id, batch.judged[1].id
    changes: dict[str, dict[str, AnswerValue]] = {wrong: {"satisfies": "neither"}, worded: {"natural": "awkward"}}
    judge_gold(batch, lambda task: changes.get(task.item.id, {}))
    owner = suite_site.visit()
    page = owner.page(owner.post(f"{GOLD}/export").headers["location"])
    assert "suite.gold.export" in page
    assert "3 keep, 1 repair, 1 drop, 0 open" in page
    for name in (wrong, worded):
        assert f'href="/suite/suite/example?id={name}"' in page
    folder = suite_site.shelf.root / "suite.gold.export"
    assert {file.name for file in folder.iterdir()} == {
        *("labels.jsonl", "events.jsonl", "gold.jsonl", "repair.jsonl", "drop.jsonl")
    }
    example = next(one for one in EXAMPLES if one.id == wrong)
    named = name_of_texts(example.query, example.satisfying.text, example.violating.text)
    assert [(one.id, one.texts) for one in read_jsonl(folder / "drop.jsonl", Dropped)] == [(wrong, named)]


def test_the_command_that_drops_can_be_pasted(suite_site: OpenSite) -> None:
    make_gold(suite_site)
    owner = suite_site.visit()
    page = owner.page(owner.post(f"{GOLD}/export").headers["location"])
    assert f"--drop {suite_site.shelf.root / 'suite.gold.export' / 'drop.jsonl'}" in page


def test_an_export_can_leave_somebody_out(suite_site: OpenSite) -> None:
    batch = make_gold(suite_site)
    judge_gold(batch)
    owner = suite_site.visit()
    assert "Too few decoys to know" in owner.page(f"{GOLD}/export")
    page = owner.page(f"{GOLD}/export?without=ben")
    assert "Now, without ben: 0 keep" in page
    assert '<input type="hidden" name="without" value="ben">' in page
    assert "next to the batch, without ben" in owner.page(
        owner.post(f"{GOLD}/export", {"without": "ben"}).headers["location"]
    )
    events = (suite_site.shelf.root / "suite.gold.export" / "events.jsonl").read_text()
    assert ANNA.name in events
    assert BEN.name not in events
    assert "nobody of this name" in owner.post(f"{GOLD}/export", {"without": "bem"}, 400).text
    assert not (suite_site.shelf.root / "suite.gold.export-2").exists()


def test_a_second_export_leaves_the_first_as_it_is(suite_site: OpenSite) -> None:
    batch = make_gold(suite_site)
    owner = suite_site.visit()
    owner.post(f"{GOLD}/export")
    first = {file.name: file.read_bytes() for file in (suite_site.shelf.root / "suite.gold.export").iterdir()}
    judge_gold(batch)
    page = owner.page(owner.post(f"{GOLD}/export").headers["location"])
    assert "suite.gold.export-2" in page
    assert first == {file.name: file.read_bytes() for file in (suite_site.shelf.root / "suite.gold.export").iterdir()}


def test_a_batch_of_another_kind_says_how_it_is_exported(batch: AnnotationBatch, site: OpenSite) -> None:
    assert "csuite memory private export" in site.visit().post(f"{BATCH}/export", status=400).text
    assert [path.name for path in batch.path.parent.iterdir()] == ["batch"]


def test_a_batch_of_proposals_is_exported_with_the_file_it_was_drawn_from(tmp_path: Path) -> None:
    batch = judged_proposals(tmp_path)
    owner, address = open_site(tmp_path).visit(), f"/batch/{batch.path.name}"
    assert f"{batch.path.name}.export" in owner.page(owner.post(f"{address}/export").headers["location"])
    approved = list(read_jsonl(tmp_path / f"{batch.path.name}.export" / "approved.jsonl", Proposal))
    assert {one.status for one in approved} >= {"accepted", "rejected"}
    assert "proposals, which one person decides" in owner.post(f"{address}/export", {"without": "ann"}, 400).text
    assert not (tmp_path / f"{batch.path.name}.export-2").exists()


def test_proposals_that_were_changed_since_cannot_be_exported(tmp_path: Path) -> None:
    batch = judged_proposals(tmp_path)
    (tmp_path / "proposals.jsonl").write_text("")
    assert (
        "is not in the served folder"
        in open_site(tmp_path).visit().post(f"/batch/{batch.path.name}/export", status=400).text
    )
    assert not (tmp_path / f"{batch.path.name}.export").exists()
