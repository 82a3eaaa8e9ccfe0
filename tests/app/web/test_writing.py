"""Writing queries on the site: what is refused, what is kept, what scores tell, and what comes out."""

from __future__ import annotations

import re
from contextlib import ExitStack
from html import unescape
from pathlib import Path

import pytest

from app.web.site import ANNA, BEN, JUDGE, OWNER, OpenSite, Visitor, open_site
from constraintsuite.app.web.access import Person
from constraintsuite.app.web.pages import queries
from constraintsuite.suites.annotation.batch import AnnotationBatch, open_batch, tasks_of, write_batch
from constraintsuite.suites.annotation.current_answers import current_answers
from constraintsuite.suites.annotation.kinds.gold import gold_items
from constraintsuite.suites.annotation.kinds.written_queries import PassageScores, passages_of
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.importers.folder import import_suite
from experiments.tiny_suite import EXAMPLES, NUTLESS, make_example, write_suite

PLACE = "/writing/suites/ours.writing"
BATHS = (
    "The clinic's baths are not heated, so visitors may not swim <b>there</b>.",
    "The clinic's baths are heated, and visitors may swim <b>there</b>.",
)
GOOD = {"query_1": "which baths may visitors swim in", "query_2": "what may visitors do in baths"}


@pytest.fixture
def site(tmp_path: Path) -> OpenSite:
    baths = make_example("baths", "minpairs", ("a", "b", "c"), BATHS, clusters=("p9",))
    write_suite(tmp_path / "suites" / "ours", (*EXAMPLES, baths))
    return open_site(tmp_path)


@pytest.fixture
def drawn(site: OpenSite) -> OpenSite:
    """With pairs to write for, where annotators may ask for bm25."""
    site.visit().post("/writing", {"suite": "suites/ours", "size": "10", "seed": "0", "model": ["bm25"]})
    return site


def batch_of(site: OpenSite) -> AnnotationBatch:
    return open_batch(site.shelf.root / "suites" / "ours.writing")


def row_of(site: OpenSite, person: Person, item: str = "baths") -> str:
    return next(task.row for task in tasks_of(batch_of(site), person.name) if task.item.id == item)


def keep(visitor: Visitor, row: str, status: int = 303, seen: str | None = None, **fields: str | list[str]) -> str:
    """Where one comes to, or what is said, with the form as the page gives it."""
    shown = re.search(r'name="seen" value="(\d+)"', visitor.page(f"{PLACE}?row={row}"))
    assert shown is not None
    sent = {"row": row, "seen": seen or shown[1], "then": "next", **GOOD, **fields}
    answer = visitor.post(PLACE, sent, status)
    return answer.headers["location"] if status == 303 else unescape(answer.text)


def test_an_owner_draws_pairs_from_a_suite(drawn: OpenSite) -> None:
    assert sorted(batch_of(drawn).items) == ["baths", "creamless"]
    assert "0 of 2 written by you" in drawn.visit(ANNA).page("/writing")
    drawn.visit().post("/writing", {"suite": "suites/ours", "size": "1", "seed": "7"})
    assert len(open_batch(drawn.shelf.root / "suites" / "ours.writing-2").items) == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"suite": "suites/none", "size": "10", "seed": "0"}, "There is no suite at 'suites/none'"),
        ({"suite": "../suites/ours", "size": "10", "seed": "0"}, "There is no suite at"),
        ({"suite": "suites/ours", "size": "0", "seed": "0"}, "Pairs: '0' is not an integer"),
        ({"suite": "suites/ours", "size": "10", "seed": "x"}, "Seed: 'x' is not an integer"),
        ({"suite": "suites/ours", "size": "1" * 5_000, "seed": "0"}, "is not an integer"),
        ({"suite": "plain", "size": "10", "seed": "0"}, "no minimal pairs"),
    ],
)
def test_what_cannot_be_drawn_is_told(site: OpenSite, fields: dict[str, str], message: str) -> None:
    write_suite(site.shelf.root / "plain", (NUTLESS,))
    assert message in unescape(site.visit().post("/writing", fields, 422).text)
    assert not site.shelf.of_kind("batch")


def test_a_page_tells_the_passages_and_the_rules_and_nothing_else(drawn: OpenSite) -> None:
    page = drawn.visit(ANNA).page(f"{PLACE}?row={row_of(drawn, ANNA)}")
    assert "Do not use a word, in any form, that appears in only one" in page
    assert "&lt;b&gt;there&lt;/b&gt;" in page
    assert not {word for word in ("baths:", "original", "satisfying", "tfidf", "p9", "minpairs") if word in page}
    assert "bm25" in page


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"query_1": "which baths are not heated"}, "“not” appears only in passage"),
        ({"query_2": "Are the baths heated?"}, "answered by yes or no"),
        ({"query_1": " "}, "Write a query."),
        ({"query_2": "Which baths may visitors swim in?"}, "Both queries say the same"),
        ({"query_1": "x" * 301}, "at most 300"),
    ],
)
def test_what_breaks_a_rule_is_refused_and_stays_in_the_form(
    drawn: OpenSite, fields: dict[str, str], message: str
) -> None:
    anna = drawn.visit(ANNA)
    page = keep(anna, row_of(drawn, ANNA), 422, **fields)
    assert message in page
    assert f'value="{({**GOOD, **fields})["query_2"]}"' in page
    assert batch_of(drawn).store.events() == []
    checked = anna.post(f"{PLACE}/check", {"row": row_of(drawn, ANNA), **GOOD, **fields}, 200).json()
    assert any(message in reason for reasons in checked.values() for reason in reasons)


def test_checking_while_one_types_keeps_nothing(drawn: OpenSite) -> None:
    anna = drawn.visit(ANNA)
    found = anna.post(f"{PLACE}/check", {"row": row_of(drawn, ANNA), **GOOD}, 200)
    assert found.json() == {"query_1": [], "query_2": []}
    assert batch_of(drawn).store.events() == []


def test_what_is_kept_is_an_event_and_the_next_pair_follows(drawn: OpenSite) -> None:
    anna = drawn.visit(ANNA)
    row = row_of(drawn, ANNA)
    assert keep(anna, row) == f"{PLACE}?after={row}"
    assert [(event.question, event.value) for event in batch_of(drawn).store.events()] == list(GOOD.items())
    following = anna.get(f"{PLACE}?after={row}", 303).headers["location"]
    assert following == f"{PLACE}?row={row_of(drawn, ANNA, 'creamless')}"
    keep(anna, row_of(drawn, ANNA, "creamless"), query_1="which soup", query_2="soups with what")
    assert "You have written queries for all 2 pairs" in anna.page(PLACE)


def test_the_same_twice_is_kept_once_and_another_window_is_told(drawn: OpenSite) -> None:
    anna, row = drawn.visit(ANNA), row_of(drawn, ANNA)
    keep(anna, row)
    keep(anna, row, seen="0")
    assert len(batch_of(drawn).store.events()) == 2
    page = keep(anna, row, 409, seen="0", query_1="who swims in baths")
    assert "perhaps in another window" in page
    assert "who swims in baths" in page
    assert len(batch_of(drawn).store.events()) == 2
    keep(anna, row, query_1="who swims in baths")
    said = current_answers(batch_of(drawn).store.events())
    assert said.of("baths", "query_1")["anna"].value == "who swims in baths"


def test_what_breaks_a_rule_does_not_make_a_window_know_more(drawn: OpenSite) -> None:
    anna, row = drawn.visit(ANNA), row_of(drawn, ANNA)
    keep(anna, row, query_1="who swims in baths")
    page = keep(anna, row, 422, seen="0", query_1=" ")
    shown = re.search(r'name="seen" value="([^"]*)"', page)
    assert shown is not None
    page = keep(anna, row, 409, seen=shown[1])
    assert '<dd dir="auto">who swims in baths</dd>' in page, "what stands is shown"
    assert current_answers(batch_of(drawn).store.events()).of("baths", "query_1")["anna"].value == "who swims in baths"


def undo(visitor: Visitor, row: str) -> str:
    """What the page then says."""
    shown = re.search(r'name="last" value="(\d+)"', visitor.page(f"{PLACE}?row={row}"))
    assert shown is not None
    return visitor.page(visitor.post(f"{PLACE}/undo", {"row": row, "last": shown[1]}).headers["location"])


def test_undo_says_what_counts_then(drawn: OpenSite) -> None:
    anna, row = drawn.visit(ANNA), row_of(drawn, ANNA)
    keep(anna, row)
    keep(anna, row, query_1="who swims in baths")
    keep(anna, row, query_1="who swims in baths", then="scores", model="bm25")
    assert "Your queries still count" in undo(anna, row)
    assert "Your earlier queries for this pair count again" in undo(anna, row)
    assert "no longer count" in undo(anna, row)


def test_a_form_does_not_tell_how_much_others_write(drawn: OpenSite) -> None:
    anna, ben, row = drawn.visit(ANNA), drawn.visit(BEN), row_of(drawn, ANNA)
    keep(ben, row_of(drawn, BEN))
    keep(anna, row)
    page = anna.page(f"{PLACE}?row={row}")
    assert re.findall(r'name="(?:seen|last)" value="(\d+)"', page) == ["2", "2"]
    keep(anna, row, query_1="who swims in baths")
    assert "Your earlier queries for this pair count again" in undo(anna, row)


def test_undo_takes_both_queries_and_their_scores_back(drawn: OpenSite) -> None:
    anna, row = drawn.visit(ANNA), row_of(drawn, ANNA)
    keep(anna, row, then="scores", model="bm25")
    last = batch_of(drawn).store.events()[-1].number
    assert anna.post(f"{PLACE}/undo", {"row": row, "last": "0"}).headers["location"] == f"{PLACE}?row={row}&told=stale"
    found = anna.post(f"{PLACE}/undo", {"row": row, "last": str(last)})
    assert found.headers["location"] == f"{PLACE}?row={row}&told=undone"
    assert current_answers(batch_of(drawn).store.events()).answers == {}


def test_scores_of_the_allowed_models_are_kept_and_shown(drawn: OpenSite) -> None:
    anna, row = drawn.visit(ANNA), row_of(drawn, ANNA)
    page = anna.page(keep(anna, row, then="scores", model=["bm25", "cross:tiny"]))
    assert page.count('<th scope="row" class="text">bm25</th>') == 2
    assert "cross:tiny" not in page  # the owner did not choose it
    kept = [event for event in batch_of(drawn).store.events() if event.question == "scores:bm25"]
    assert [len(event.value) for event in kept] == [4]
    keep(anna, row, query_1="who swims in baths")
    assert "Scores of your queries" not in anna.page(f"{PLACE}?row={row}")  # they are of other queries


def test_an_owner_may_ask_all_models_that_need_no_download(drawn: OpenSite) -> None:
    owner, row = drawn.visit(), row_of(drawn, OWNER)
    page = owner.page(keep(owner, row, then="scores", model=["bm25", "tfidf", "cross:tiny", "http:example.org"]))
    scored = re.findall(r'<th scope="row" class="text">([^<]+)</th>', page)
    assert scored == ["bm25", "bm25", "tfidf", "tfidf", "cross:tiny", "cross:tiny"]


@pytest.mark.parametrize(
    ("scores", "wants", "outcome"),
    [((2.0, 1.0), 0, "right"), ((2.0, 1.0), 1, "wrong"), ((1.0, 1.0), 1, "tie")],
)
def test_a_model_is_right_if_it_puts_the_passage_that_answers_first(
    scores: tuple[float, float], wants: int, outcome: str
) -> None:
    assert PassageScores(scores, wants).outcome == outcome


def test_what_was_written_is_exported_as_nevir(drawn: OpenSite) -> None:
    for person in (ANNA, BEN):
        keep(drawn.visit(person), row_of(drawn, person))
    owner = drawn.visit()
    owner.post(f"{PLACE}/export")
    owner.post(f"{PLACE}/export")
    page = owner.page(f"{PLACE}/export")
    exports = [drawn.shelf.root / "suites" / name for name in ("ours.writing.nevir", "ours.writing.nevir-2")]
    for export in exports:
        assert f"csuite import nevir {export}/test.jsonl" in page
    import_suite("nevir", str(exports[1]), drawn.shelf.root / "imported")
    first, second = read_examples(drawn.shelf.root / "imported")
    assert (first.satisfying.text, first.violating.text) == BATHS
    wants_cold = passages_of(batch_of(drawn).items["baths"]).index(BATHS[0])
    assert first.query == second.query == list(GOOD.values())[wants_cold]


def test_nothing_written_is_nothing_exported(drawn: OpenSite) -> None:
    assert "nobody has written" in drawn.visit().post(f"{PLACE}/export", status=400).text
    assert not list((drawn.shelf.root / "suites").glob("*nevir*"))


def test_an_owner_sees_how_far_all_writers_are(drawn: OpenSite) -> None:
    owner, ben = drawn.visit(), drawn.visit(BEN)
    assert "Nobody has written yet." in owner.page("/writing")
    keep(drawn.visit(ANNA), row_of(drawn, ANNA))
    keep(ben, row_of(drawn, BEN))
    keep(ben, row_of(drawn, BEN, "creamless"), query_1="which soup", query_2="soups with what")
    assert re.findall(r"<li>(\w+): (\d of \d)", owner.page("/writing")) == [("anna", "1 of 2"), ("ben", "2 of 2")]
    assert "anna: " not in ben.page("/writing"), "others are not for writers to see"


def test_passages_of_the_same_words_are_told(site: OpenSite) -> None:
    swapped = make_example("swap", "minpairs", ("a", "b", "c"), ("nuts, no eggs", "eggs, no nuts"))
    baths = make_example("baths", "minpairs", ("a", "b", "c"), BATHS)
    write_suite(site.shelf.root / "two", (swapped, baths))
    site.visit().post("/writing", {"suite": "two", "size": "10", "seed": "0"})
    batch = open_batch(site.shelf.root / "two.writing")
    rows = {task.item.id: task.row for task in tasks_of(batch, ANNA.name)}
    told = {
        item: "have the same words" in site.visit(ANNA).page(f"/writing/two.writing?row={row}")
        for item, row in rows.items()
    }
    assert told == {"swap": True, "baths": False}


def test_who_asks_for_scores_when_too_many_wait_is_told_and_what_was_written_is_kept(drawn: OpenSite) -> None:
    owner, row = drawn.visit(), row_of(drawn, OWNER)
    with ExitStack() as others:
        for _ in range(queries.WAITING):
            others.enter_context(queries.PLACES)
        page = owner.page(keep(owner, row, then="scores", model="bm25"))
    assert "Saved, but without scores" in page
    assert [(event.question, event.value) for event in batch_of(drawn).store.events()] == list(GOOD.items())
    assert "Scores of your queries" in owner.page(keep(owner, row, then="scores", model="bm25"))


def test_a_row_of_another_person_is_unknown(drawn: OpenSite) -> None:
    anna = drawn.visit(ANNA)
    anna.get(f"{PLACE}?row={row_of(drawn, BEN)}", 404)
    anna.post(PLACE, {"row": row_of(drawn, BEN), "seen": "0", **GOOD}, 404)
    assert batch_of(drawn).store.events() == []


def test_other_batches_are_not_written_for(drawn: OpenSite) -> None:
    write_batch(drawn.shelf.root / "gold", gold_items(EXAMPLES, "tiny"))
    anna = drawn.visit(ANNA)
    anna.get("/writing/gold", 404)
    assert "/writing/gold" not in anna.page("/writing")


def test_who_may_what(drawn: OpenSite) -> None:
    anna, judge = drawn.visit(ANNA), drawn.visit(JUDGE)
    judge.get("/writing", 403)
    judge.get(PLACE, 403)
    anna.get(f"{PLACE}/export", 403)
    anna.post(f"{PLACE}/export", status=403)
    anna.post("/writing", {"suite": "suites/ours", "size": "1", "seed": "0"}, 403)
    assert "A new batch" not in anna.page("/writing")


def test_a_read_only_site_has_no_buttons(drawn: OpenSite) -> None:
    owner = open_site(drawn.shelf.root, read_only=True).visit()
    pages = [owner.page("/writing"), owner.page(f"{PLACE}?row={row_of(drawn, OWNER)}"), owner.page(f"{PLACE}/export")]
    assert not [page for page in pages if 'method="post" action="/writing"' in page or "<button name=" in page]
