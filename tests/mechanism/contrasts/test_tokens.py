from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.mechanism.contrasts.files import PlainContrast, mark_plain
from constraintsuite.mechanism.contrasts.records import ROLES, Marked, MarkedPair, RoleMark
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, tokenise
from mechanism.contrasts.contrast_factory import (
    FRAMES,
    WORDS,
    exchange,
    make_tokenization,
    make_tokenizer,
    swap,
    words,
)

TEXT = st.lists(st.sampled_from([*WORDS, "zoo", "can't"]), min_size=1, max_size=10).map(" ".join)


def test_each_token_has_its_role() -> None:
    row = _only(tokenise([swap()], make_tokenization())).better.clean
    assert list(zip(words(row), [ROLES[role] for role in row.roles], strict=True)) == [
        ("[CLS]", "cls"),
        ("soups", "q_topic"),
        ("without", "q_cue"),
        ("cream", "q_y"),
        ("[SEP]", "sep1"),
        ("soup", "d_other"),
        ("of", "d_other"),
        ("leeks", "d_other"),
        ("and", "d_other"),
        ("no", "d_cue"),
        ("cream", "d_y"),
        ("[SEP]", "sep2"),
    ]


def test_a_token_has_the_role_of_most_of_its_letters_and_a_mark_wins_a_tie() -> None:
    query = Marked("no cream", (RoleMark(1, 2, "q_cue"), RoleMark(3, 5, "q_y")))
    contrast = replace(swap(), better=MarkedPair(query, Marked("soup")))
    row = _only(tokenise([contrast], make_tokenization())).better.clean
    assert [ROLES[role] for role in row.roles[:4]] == ["cls", "q_cue", "q_topic", "sep1"]


def test_the_pieces_of_a_word_share_its_role() -> None:
    contrast = mark_plain(PlainContrast("zoo", "a zoo", "no zoo", "zoo", query_corrupt="the zoo", y=("zoo",)))
    row = _only(tokenise([contrast], make_tokenization())).better.clean
    assert [ROLES[role] for role in row.roles] == [
        "cls",
        "q_cue",
        *["q_y"] * 3,
        "sep1",
        "d_other",
        *["d_y"] * 3,
        "sep2",
    ]


@pytest.mark.parametrize(
    ("frame", "special"),
    [
        ("bert", {"cls": 1, "sep1": 1, "sep2": 1}),
        ("roberta", {"cls": 1, "sep1": 2, "sep2": 1}),
        ("t5", {"cls": 0, "sep1": 1, "sep2": 1}),
    ],
)
def test_special_tokens_are_told_by_their_place(frame: str, special: dict[str, int]) -> None:
    row = _only(tokenise([swap()], make_tokenization(FRAMES[frame]))).better.clean
    assert {role: int((row.roles == ROLES.index(role)).sum()) for role in special} == special


@settings(max_examples=60)
@given(frame=st.sampled_from(sorted(FRAMES)), texts=st.lists(TEXT, min_size=4, max_size=4), left=st.booleans())
def test_rows_are_those_of_the_model(frame: str, texts: list[str], left: bool) -> None:
    query, corrupt, better, worse = texts
    contrast = mark_plain(PlainContrast("any", f"soup {query}", better, worse, query_corrupt=f"bread {corrupt}"))
    tokenization = make_tokenization(FRAMES[frame], left=left)
    made = _only(tokenise([contrast], tokenization))
    pairs = [contrast.better, contrast.better_corrupt, contrast.worse, contrast.worse_corrupt]
    batch = tokenization.batch([(pair.query.text, pair.text.text) for pair in pairs])
    rows = [made.better.clean, made.better.corrupt, made.worse.clean, made.worse.corrupt]
    for row, ids, types, mask in zip(rows, batch.input_ids, batch.token_type_ids, batch.attention_mask, strict=True):
        assert row.ids.tolist() == ids[mask == 1].tolist()
        assert row.types.tolist() == types[mask == 1].tolist()


@settings(max_examples=60)
@given(texts=st.lists(TEXT, min_size=4, max_size=4), y=st.sampled_from(WORDS))
def test_partners_are_in_the_same_part_and_in_order(texts: list[str], y: str) -> None:
    query, corrupt, better, worse = texts
    contrast = mark_plain(PlainContrast("any", f"soup {query}", better, worse, f"bread {corrupt}", y=(y,)))
    for pair in _only(tokenise([contrast], make_tokenization())).pairs:
        for row, other, found in (
            (pair.clean, pair.corrupt, pair.to_corrupt),
            (pair.corrupt, pair.clean, pair.to_clean),
        ):
            aligned = np.flatnonzero(found >= 0)
            assert (np.diff(found[aligned]) >= 0).all()
            parts, other_parts = _parts(row.cuts), _parts(other.cuts)
            assert all(parts[place] == other_parts[found[place]] for place in aligned)


@settings(max_examples=40)
@given(TEXT, TEXT)
def test_the_same_row_is_aligned_place_by_place(query: str, text: str) -> None:
    contrast = mark_plain(PlainContrast("any", query, text, "soup", worse_corrupt="bread", y=("cream",)))
    assert _only(tokenise([contrast], make_tokenization())).better.one_to_one


def test_a_word_for_a_word_is_one_to_one() -> None:
    assert _only(tokenise([swap()], make_tokenization())).better.one_to_one


def test_words_that_change_places_stand_for_one_another() -> None:
    pair = _only(tokenise([exchange()], make_tokenization())).better
    assert pair.one_to_one


def test_of_words_with_more_tokens_than_others_y_takes_the_mean_and_the_rest_what_stands_there() -> None:
    pair = _only(tokenise([exchange("coconut milk", "cream")], make_tokenization())).better
    clean, corrupt = words(pair.clean), words(pair.corrupt)
    taken = [corrupt[partner] if partner >= 0 else None for partner in pair.to_corrupt.tolist()]
    text = slice(clean.index("a"), None)
    assert list(zip(clean[text], taken[text], strict=True)) == [
        ("a", "a"),
        ("soup", "soup"),
        ("with", "with"),
        ("coconut", "cream"),
        ("milk", "cream"),
        (",", ","),
        ("not", "not"),
        ("cream", None),
        (".", "."),
        ("[SEP]", "[SEP]"),
    ]


def test_a_query_that_gets_longer_leaves_the_text_in_place() -> None:
    contrast = mark_plain(
        PlainContrast("any", "soup that does not have cream", "a soup", "cream", "soup that has cream", y=("cream",))
    )
    pair = _only(tokenise([contrast], make_tokenization())).better
    taken = {words(pair.clean)[i]: p for i, p in enumerate(pair.to_corrupt.tolist())}
    assert [taken[word] for word in ("does", "not", "have")] == [-1, -1, -1]
    assert words(pair.corrupt)[taken["a"]] == "a"
    assert not pair.one_to_one


@pytest.mark.parametrize(
    ("length", "reasons"),
    [(12, []), (11, ["too_long"])],
)
def test_what_is_cut_off_is_counted(length: int, reasons: list[str]) -> None:
    made = tokenise([swap()], make_tokenization(length=length))
    assert [one.reason for one in made.rejected] == reasons


def test_a_text_may_lose_what_has_no_mark() -> None:
    contrast = replace(swap(), aside=None, aside_corrupt=None)
    long = Marked(contrast.better.text.text + " and bread" * 20, contrast.better.text.marks)
    contrast = replace(
        contrast,
        better=MarkedPair(contrast.better.query, long),
        better_corrupt=MarkedPair(contrast.better_corrupt.query, long),
    )
    assert len(_only(tokenise([contrast], make_tokenization(length=16))).better.clean) == 16


def test_what_the_model_cannot_tell_apart_is_counted() -> None:
    loud = mark_plain(PlainContrast("loud", "soup", "cream", "bread", query_corrupt="SOUP"))
    made = tokenise([loud, swap()], make_tokenization())
    assert [tuple(one) for one in made.rejected] == [("loud", "same_tokens")]
    assert [one.contrast.id for one in made.contrasts] == ["swap"]


def test_the_tokenizer_of_these_tests_splits_what_it_does_not_know() -> None:
    assert make_tokenizer().encode("zoo", add_special_tokens=False).tokens == ["z", "##o", "##o"]


def _only(made: tuple[tuple[TokenContrast, ...], object]) -> TokenContrast:
    (contrast,) = made[0]
    return contrast


def _parts(cuts: tuple[int, ...]) -> list[int]:
    return [sum(place >= cut for cut in cuts[1:]) for place in range(cuts[-1])]
