"""Agreement, rulings and export on pages: the figures of the machinery, no names, nothing overwritten."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotate.small_batch import START, answer_all, make_batch
from annotate.test_kinds import judged_proposals
from constraintsuite.annotate.batch import Batch, open_batch
from constraintsuite.annotate.queue import Task
from constraintsuite.annotate.records import Draft, Value
from constraintsuite.annotate.standing import standing
from constraintsuite.build.dropping import Dropped, name_of_texts
from constraintsuite.build.queries.records import Proposal
from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import read_jsonl
from constraintsuite.web.beside import new_beside
from constraintsuite.web.people import Person
from constraintsuite.web.shelf import Shelf
from evaluate.tiny_suite import EXAMPLES, write_suite
from web.site import ANNA, BEN, JUDGE, OWNER, OpenSite, open_site

BATCH = "/batch/batch"
GOLD = "/batch/suite.gold"
REASON = "The text says so in its first sentence."


def differing(task: Task) -> dict[str, Value]:
    return {"obeys": "second" if task.item.id == "dish-3" else "first", "fit": "well"}


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    made = make_batch(tmp_path)
    answer_all(made, ANNA.name)
    answer_all(made, BEN.name, differing)
    return made


@pytest.fixture
def site(batch: Batch) -> OpenSite:
    return open_site(batch.path.parent)


def ruling_form(page: str, answer: str = "first", reason: str = REASON) -> dict[str, str]:
    fields = {name: re.findall(rf'name="{name}" value="([^"]*)"', page)[0] for name in ("item", "question", "seen")}
    return {**fields, f"answer.{fields['question']}": answer, "reason": reason}


# Agreement


def test_the_figures_stand_with_their_intervals(site: OpenSite) -> None:
    page = site.visit().page(f"{BATCH}/agreement")
    row = page[page.index(">obeys") : page.index("</tr>", page.index(">obeys"))]
    assert "83.3" in row, "five of six"
    assert "<small>n=6</small>" in row
    assert "<small>40.5–100.0</small>" in row
    assert "anna" in page


def test_by_group_each_question_has_a_row_a_group(site: OpenSite) -> None:
    page = site.visit().page(f"{BATCH}/agreement?by=course")
    assert page.count(">cake</td>") == page.count(">soup</td>") == 2


def test_it_says_how_many_more_items_it_takes_for_the_bound_that_is_asked_for(site: OpenSite) -> None:
    page = site.visit().page(f"{BATCH}/agreement?claim=0.8")
    assert re.search(r"<strong>fit</strong>: about \d+ more items for a lower bound of 80%", page)


@pytest.mark.parametrize(
    ("query", "told"), [("by=nothing", "no grouping"), ("claim=2", "not a share"), ("claim=x", "not")]
)
def test_what_cannot_be_asked_for_is_told(site: OpenSite, query: str, told: str) -> None:
    assert told in site.visit().get(f"{BATCH}/agreement?{query}", 400).text


def test_figures_come_again_only_when_somebody_has_said_something(batch: Batch, site: OpenSite) -> None:
    owner = site.visit()
    again = re.findall('data-again="([^"]*)"', owner.page(f"{BATCH}/agreement"))[0].replace("&amp;", "&")
    figures = owner.page(again)
    assert "<html" not in figures
    seen = re.findall('data-seen="([^"]*)"', figures)[0]
    assert not owner.get(f"{again}&seen={seen}", 204).text
    batch.store.undo(BEN.name, START)
    assert owner.page(f"{again}&seen={seen}") != figures


def test_before_two_people_answered_there_is_no_figure(tmp_path: Path) -> None:
    make_batch(tmp_path)
    assert "No item has been answered by two people yet" in open_site(tmp_path).visit().page(f"{BATCH}/agreement")


# Rulings


@pytest.mark.parametrize("person", [OWNER, JUDGE])
def test_what_people_differ_on_is_shown_without_their_names(site: OpenSite, person: Person) -> None:
    page = site.visit(person).page(f"{BATCH}/rulings")
    assert "1 waits for your ruling" in page
    assert "dish 3 without nuts" in page
    assert not re.search("anna|ben|dish 2", page)


def test_a_ruling_is_kept_with_its_reason(batch: Batch, site: OpenSite) -> None:
    judge = site.visit(JUDGE)
    location = judge.post(f"{BATCH}/rulings", ruling_form(judge.page(f"{BATCH}/rulings"))).headers["location"]
    assert "Nothing waits for your ruling" in judge.page(location)
    ruling = standing(batch.store.events()).rulings["dish-3", "obeys"]
    assert (ruling.value, ruling.note, ruling.annotator) == ("first", REASON, JUDGE.name)


@pytest.mark.parametrize(
    ("answer", "reason", "told"),
    [
        ("first", "short", "needs a reason"),
        ("third", REASON, "is not an answer here"),
        ("", REASON, "is not an answer"),
    ],
)
def test_what_is_no_ruling_is_told_and_not_lost(
    batch: Batch, site: OpenSite, answer: str, reason: str, told: str
) -> None:
    judge, before = site.visit(JUDGE), batch.store.events()
    page = judge.post(f"{BATCH}/rulings", ruling_form(judge.page(f"{BATCH}/rulings"), answer, reason), 422).text
    assert told in page
    assert f">\n{reason}</textarea>" in page
    assert batch.store.events() == before


def test_a_ruling_on_what_people_no_longer_say_is_told(batch: Batch, site: OpenSite) -> None:
    judge = site.visit(JUDGE)
    form = ruling_form(judge.page(f"{BATCH}/rulings"))
    batch.store.append([Draft(BEN.name, "dish-3", "obeys", "neither")], START)
    page = judge.post(f"{BATCH}/rulings", form, 409).text
    assert "Somebody has answered or ruled on this meanwhile" in page
    assert standing(batch.store.events()).rulings == {}


def test_of_many_rulings_at_once_the_first_is_kept_and_the_others_are_told(batch: Batch, site: OpenSite) -> None:
    form = ruling_form(site.visit(JUDGE).page(f"{BATCH}/rulings"))
    people = [JUDGE, OWNER] * 4

    def send(person: Person) -> int:
        visitor = site.visit(person)
        return visitor.client.post(f"{BATCH}/rulings", data={**form, "guard": visitor.guard}).status_code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(send, people)) == [303] + [409] * 7
    assert sum(event.kind == "ruling" for event in batch.store.events()) == 1


def test_who_has_judged_an_item_is_not_asked_to_rule_on_it(batch: Batch, site: OpenSite) -> None:
    form = ruling_form(site.visit(JUDGE).page(f"{BATCH}/rulings"))
    batch.store.append([Draft(OWNER.name, "dish-3", "fit", "well")], START)
    page = site.visit(OWNER).page(f"{BATCH}/rulings")
    assert "Nothing waits for your ruling" in page
    assert "1 you cannot rule on" in page
    assert "has judged this item" in site.visit(OWNER).post(f"{BATCH}/rulings", form, 422).text


# Batches: made, watched, exported


@pytest.fixture
def suite_site(tmp_path: Path) -> OpenSite:
    write_suite(tmp_path / "suite")
    return open_site(tmp_path)


def make_gold(site: OpenSite) -> Batch:
    assert site.visit().post("/sample/suite", {"size": "5", "seed": "0"}).headers["location"] == GOLD
    return open_batch(site.shelf.root / "suite.gold")


def judge_gold(batch: Batch, change: Callable[[Task], dict[str, Value]] = lambda task: {}) -> None:
    def answer(task: Task) -> dict[str, Value]:
        both = ("first", "second")
        right: dict[str, Value] = {
            "natural": "yes",
            "obeys": task.item.hidden.get("obeys", "first"),
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
    assert "is not a whole number" in suite_site.visit().post("/sample/suite", {"size": size, "seed": seed}, 422).text
    assert [path.name for path in suite_site.shelf.root.iterdir()] == ["suite"]


def test_of_a_changed_suite_no_batch_is_made(suite_site: OpenSite) -> None:
    with (suite_site.shelf.root / "suite" / "examples.jsonl").open("a") as file:
        file.write("\n")
    assert (
        "changed since the suite was built"
        in suite_site.visit().post("/sample/suite", {"size": "5", "seed": "0"}, 422).text
    )
    assert [path.name for path in suite_site.shelf.root.iterdir()] == ["suite"]


def test_nothing_is_made_outside_the_folder_that_is_served(tmp_path: Path) -> None:
    shelf = Shelf(write_suite(tmp_path / "suite"))
    with pytest.raises(UserError, match="Serve the folder above"), new_beside(shelf, shelf.of_kind("suite")[0], "gold"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]


def test_an_annotator_makes_no_batch(suite_site: OpenSite) -> None:
    suite_site.visit(ANNA).post("/sample/suite", {"size": "5", "seed": "0"}, 403)
    suite_site.visit(ANNA).get("/sample/suite", 403)


def test_the_state_says_how_far_everyone_is_and_what_waits(site: OpenSite) -> None:
    page = site.visit().page(BATCH)
    assert re.search(r">anna</th><td>7</td><td>7</td>", page)
    assert "1 wait for a third person" in page


def test_an_export_writes_what_the_command_writes_and_lists_what_to_drop_and_repair(suite_site: OpenSite) -> None:
    batch = make_gold(suite_site)
    wrong, worded = batch.judged[0].id, batch.judged[1].id
    changes: dict[str, dict[str, Value]] = {wrong: {"obeys": "neither"}, worded: {"natural": "awkward"}}
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
    named = name_of_texts(example.query.neg, example.docs.pos.text, example.docs.neg.text)
    assert [(one.id, one.texts) for one in read_jsonl(folder / "drop.jsonl", Dropped)] == [(wrong, named)]


def test_a_second_export_leaves_the_first_as_it_is(suite_site: OpenSite) -> None:
    batch = make_gold(suite_site)
    owner = suite_site.visit()
    owner.post(f"{GOLD}/export")
    first = {file.name: file.read_bytes() for file in (suite_site.shelf.root / "suite.gold.export").iterdir()}
    judge_gold(batch)
    page = owner.page(owner.post(f"{GOLD}/export").headers["location"])
    assert "suite.gold.export-2" in page
    assert first == {file.name: file.read_bytes() for file in (suite_site.shelf.root / "suite.gold.export").iterdir()}


def test_a_batch_of_another_kind_says_how_it_is_exported(batch: Batch, site: OpenSite) -> None:
    assert "has an export of its own" in site.visit().post(f"{BATCH}/export", status=400).text
    assert [path.name for path in batch.path.parent.iterdir()] == ["batch"]


def test_a_batch_of_proposals_is_exported_with_the_file_it_was_drawn_from(tmp_path: Path) -> None:
    batch = judged_proposals(tmp_path)
    owner, address = open_site(tmp_path).visit(), f"/batch/{batch.path.name}"
    assert f"{batch.path.name}.export" in owner.page(owner.post(f"{address}/export").headers["location"])
    approved = list(read_jsonl(tmp_path / f"{batch.path.name}.export" / "approved.jsonl", Proposal))
    assert {one.status for one in approved} >= {"accepted", "rejected"}


def test_proposals_that_were_changed_since_cannot_be_exported(tmp_path: Path) -> None:
    batch = judged_proposals(tmp_path)
    (tmp_path / "proposals.jsonl").write_text("")
    assert "does not lie here" in open_site(tmp_path).visit().post(f"/batch/{batch.path.name}/export", status=400).text
    assert not (tmp_path / f"{batch.path.name}.export").exists()
