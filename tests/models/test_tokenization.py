from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from constraintsuite.core.errors import UserError
from constraintsuite.models.tokenization import Padding, Tokenization, cuts_left
from models.conftest import WORDS

TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5), limit=st.integers(5, 20))
def test_pairs_are_what_the_tokenizer_itself_makes_of_them(
    word_tokenizer: Tokenizer, items: list[tuple[str, str]], limit: int
) -> None:
    ours = Tokenization(word_tokenizer, limit)
    own = Tokenizer.from_str(word_tokenizer.to_str())
    own.enable_truncation(limit, strategy="longest_first")
    own.enable_padding(pad_id=0)
    expected = own.encode_batch(items)
    batch = ours.batch(items)
    assert batch.input_ids.tolist() == [encoding.ids for encoding in expected]
    assert batch.attention_mask.tolist() == [encoding.attention_mask for encoding in expected]
    assert batch.token_type_ids.tolist() == [encoding.type_ids for encoding in expected]
    assert ours.lengths(items) == [sum(encoding.attention_mask) for encoding in expected]


def test_a_single_text_has_its_own_frame(word_tokenizer: Tokenizer) -> None:
    batch = Tokenization(word_tokenizer, 16).batch([("soup with cream",), ("pie",)])
    assert batch.input_ids.tolist() == [[2, 4, 6, 8, 3], [2, 15, 3, 0, 0]]
    assert batch.attention_mask.tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]


def test_padding_on_the_left_where_a_decoder_wants_it(word_tokenizer: Tokenizer) -> None:
    batch = Tokenization(word_tokenizer, 16, Padding(token=9, left=True)).batch([("soup with cream",), ("pie",)])
    assert batch.input_ids.tolist()[1] == [9, 9, 2, 15, 3]
    assert batch.attention_mask.tolist()[1] == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("limit", "seen"),
    [
        (20, "soup with cream and leeks"),
        (10, "soup with cream and leeks"),  # 2 + 5 + 3 special tokens fit exactly
        (9, "soup with cream and"),
        (6, "soup with"),
    ],
)
def test_visible_is_what_is_left_of_the_text(word_tokenizer: Tokenizer, limit: int, seen: str) -> None:
    item = ("soup cream", "soup with cream and leeks")
    assert Tokenization(word_tokenizer, limit).visible([item]).tolist() == [len(seen)]


@pytest.mark.parametrize(
    ("config", "own", "left"),
    [
        (None, None, False),
        ({}, {"truncation": None}, False),
        ({"truncation_side": "left"}, {"truncation": None}, True),
        ({"truncation_side": "right"}, {"truncation": {"direction": "Left"}}, False),
        ({}, {"truncation": {"direction": "Left"}}, True),
        ({}, {"truncation": {"direction": "Right"}, "padding": {"direction": "Left"}}, False),
    ],
)
def test_the_side_that_is_cut_is_read_as_transformers_reads_it(
    tmp_path: Path, config: object, own: object, left: bool
) -> None:
    for name, content in {"tokenizer_config.json": config, "tokenizer.json": own}.items():
        if content is not None:
            (tmp_path / name).write_text(json.dumps(content))
    assert cuts_left(tmp_path) is left


def test_a_configuration_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(UserError, match=r"tokenizer_config\.json: this is not JSON"):
        cuts_left(tmp_path)
