from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.records.examples import QUERY_PREFERENCE, Example
from constraintsuite.mechanism.contrasts.files import fault_of
from constraintsuite.mechanism.contrasts.from_suite import Contrasts, count_rejected, make_contrasts, read_suite
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.contrasts.selection import keep_independent
from constraintsuite.suites.constraints.exclude import Exclude
from mechanism.contrasts.contrast_factory import shown
from mechanism.contrasts.suite_factory import CAMP, CONTROLS, EXAMPLES, PIE, SOUP, make_example, make_suite


@pytest.fixture
def made(tmp_path: Path) -> Contrasts:
    return make_contrasts(make_suite(tmp_path))


def _get(made: Contrasts, name: str) -> MarkedContrast:
    return next(one for one in made.contrasts if one.id == name)


def test_each_kind_is_there_and_what_is_not_has_its_reason(made: Contrasts) -> None:
    assert [(one.id, one.side, one.control) for one in made.contrasts] == [
        ("soup/query", "query", ""),
        ("pie/query", "query", ""),
        ("pie/document", "document", ""),
        ("camp/query", "query", ""),
        ("kiosk/query", "query", ""),
        ("loud/nonflip", "query", "nonflip"),
        ("reworded/nonflip", "document", "nonflip"),
        ("idiom/idiom", "query", "idiom"),
        ("camp/entity", "query", "entity"),
        ("kiosk/entity", "query", "entity"),
    ]
    assert count_rejected(made.usable(redrawn=False)[1]) == {
        "document: texts_far_apart": 3,
        "nonflip: original_missing": 1,
    }
    assert made.analyser == "rules"
    assert [fault_of(one) for one in made.contrasts] == [""] * len(made.contrasts)


def test_a_query_swap_leaves_the_texts_and_turns_the_preference(made: Contrasts) -> None:
    contrast = _get(made, "soup/query")
    assert contrast.better.text == contrast.better_corrupt.text
    assert contrast.worse.text == contrast.worse_corrupt.text
    assert (contrast.better.query.text, contrast.better_corrupt.query.text) == (
        "soups without cream",
        "soups with cream",
    )
    assert contrast.change == "without > with"
    assert shown(contrast.better.text) == [("without", "d_cue"), ("cream", "d_y")]
    assert shown(contrast.worse.text) == [("cream", "d_y")]


def test_texts_one_edit_apart_are_exchanged_and_both_have_the_cue(made: Contrasts) -> None:
    contrast = _get(made, "pie/document")
    assert (contrast.better, contrast.worse) == (contrast.worse_corrupt, contrast.better_corrupt)
    assert shown(contrast.better.text) == [("no", "d_cue"), ("plums", "d_y")]
    assert shown(contrast.worse.text) == [("plums", "d_y"), ("no", "d_cue")]
    assert contrast.cue == "no"


def test_an_idiom_is_held_against_the_plain_query_and_the_same_text_is_better(made: Contrasts) -> None:
    contrast = _get(made, "idiom/idiom")
    assert shown(contrast.better.query) == [("without a doubt", "q_cue"), ("cream", "q_y")]
    assert contrast.better_corrupt.query.text == "soups with cream"
    assert contrast.better.text.text == SOUP.violating.text


def test_other_words_for_the_same_are_held_against_the_original(made: Contrasts) -> None:
    query, text = _get(made, "loud/nonflip"), _get(made, "reworded/nonflip")
    assert (query.better.query.text, query.better_corrupt.query.text) == ("soups without cream", "SOUPS WITHOUT CREAM")
    assert shown(query.better_corrupt.query) == [("WITHOUT", "q_cue"), ("CREAM", "q_y")]
    assert query.better.text == query.better_corrupt.text
    assert text.better.query == text.better_corrupt.query
    assert text.better.text.text == SOUP.satisfying.text != text.better_corrupt.text.text


def test_two_things_asked_for_in_the_same_words_prefer_different_texts(made: Contrasts) -> None:
    contrast = _get(made, "camp/entity")
    assert (contrast.better.query.text, contrast.better_corrupt.query.text) == (
        "campsites with showers",
        "campsites with kiosk",
    )
    assert contrast.better.text.text == CAMP.violating.text
    assert shown(contrast.better.text) == [("showers", "d_y")]
    assert shown(contrast.worse.text) == [("kiosk", "d_y")]


def test_what_stands_aside_is_about_something_else(tmp_path: Path) -> None:
    far = [
        make_example(
            f"far{i}",
            y="wheels",
            queries=("prams without wheels", "prams with wheels", "prams"),
            docs=(f"Model {i} is a pram that comes without wheels.", f"Model {i} is a pram that rolls on wheels."),
            clusters=(f"far{i}",),
        )
        for i in range(8)
    ]
    made = make_contrasts(make_suite(tmp_path, [*EXAMPLES, *far], ()))
    for contrast in made.contrasts:
        assert contrast.aside is not None
        assert contrast.aside_corrupt is not None
        if contrast.side == "query":
            assert contrast.aside.query == contrast.better.query
            assert contrast.aside.text == contrast.aside_corrupt.text
            assert contrast.y not in contrast.aside.text.text
        else:
            assert contrast.aside.text == contrast.better.text
            assert contrast.aside_corrupt.text == contrast.better_corrupt.text
            assert contrast.aside.query == contrast.aside_corrupt.query
            assert contrast.aside.query.text not in ("pies", "")


def test_the_text_aside_is_of_the_same_half(tmp_path: Path) -> None:
    made = make_contrasts(make_suite(tmp_path))
    texts = {
        half: {pair.text.text for one in made.contrasts if one.half == half for pair in (one.better, one.worse)}
        for half in ("find", "check")
    }
    assert texts["find"].isdisjoint(texts["check"])
    for one in made.contrasts:
        if one.aside is not None and one.side == "query":
            assert one.aside.text.text in texts[one.half]


def test_examples_that_give_no_contrast_are_counted(tmp_path: Path) -> None:
    silent = replace(SOUP, id="silent", preferences=(QUERY_PREFERENCE,))
    single = make_example("single", queries=("soups without cream", None, "soups"))
    unnamed = make_example("unnamed", y="butter", docs=("No butter here.", "Butter."), document_cue="No")
    same = replace(SOUP, id="same", query="cream soups? no, thanks", opposite="Cream soups? No, thanks")
    hidden = make_example("hidden", docs=("A soup and cream.", "A cream soup."), document_cue="banned")
    again = replace(SOUP, id="again")
    made = make_contrasts(make_suite(tmp_path, [SOUP, silent, single, unnamed, same, hidden, again], ()))
    reasons = {one.id: one.reason for one in made.rejected if one.id.endswith("/query")}
    assert reasons == {
        "silent/query": "opposite_states_no_preference",
        "single/query": "opposite_states_no_preference",
        "unnamed/query": "y_not_in_query",
        "same/query": "no_opposite_query",
        "hidden/query": "cue_not_found",
        "again/query": "repeated",
    }


def test_only_the_splits_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    make_suite(folder, [SOUP, replace(PIE, split="train")], CONTROLS)
    found = read_suite(folder, splits=["train"]).contrasts
    assert {(one.example, one.split) for one in found} == {("pie", "train")}


def test_the_same_suite_gives_the_same_contrasts(tmp_path: Path) -> None:
    suite = make_suite(tmp_path)
    assert make_contrasts(suite, seed=3) == make_contrasts(suite, seed=3)


def test_what_falls_to_both_halves_is_kept_beside_and_counted(tmp_path: Path) -> None:
    chain = [replace(_soup(i), clusters=(f"c{i}", f"c{i + 1}")) for i in range(12)]
    made = make_contrasts(make_suite(tmp_path, chain, ()))
    assert made.contrasts and made.in_both_halves
    assert len({one.id for one in (*made.contrasts, *made.in_both_halves)}) == 12
    assert count_rejected(made.usable(redrawn=False)[1])["query: clusters_in_both_halves"] == len(made.in_both_halves)


def _soup(number: int) -> Example:
    query, opposite = f"{number} soups without cream", f"{number} soups with cream"
    return replace(SOUP, id=f"soup{number}", query=query, opposite=opposite)


def test_an_independent_set_keeps_controls_of_couples_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    made = make_contrasts(make_suite(tmp_path))
    kept, left = keep_independent(made.contrasts, 0)
    assert Counter(one.control for one in kept) == {"": 4, "nonflip": 2, "idiom": 1, "entity": 1}
    assert sorted(one.id.partition("/")[2] for one in left) == ["entity", "query"]
    assert {one.reason for one in left} == {"shares_a_document"}


@pytest.mark.parametrize("seed", range(4))
def test_an_example_that_gives_nothing_does_not_push_out_one_that_does(tmp_path: Path, seed: int) -> None:
    barren = replace(
        SOUP,
        id="barren",
        query="soups without cheese",
        opposite=None,
        preferences=(QUERY_PREFERENCE,),
        constraint=Exclude(value="cheese", cue="lacking", forms=("cheese",)),
    )
    made = make_contrasts(make_suite(tmp_path, [SOUP, barren], ()), seed=seed)
    assert [one.id for one in keep_independent(made.contrasts, seed)[0]] == ["soup/query"]
