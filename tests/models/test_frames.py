"""Pairs are put together without the tokenizer; where its frame is not a fixed one, by the tokenizer itself."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import BertProcessing, PostProcessor, RobertaProcessing, TemplateProcessing

from constraintsuite.models.tokenization import Padding, Tokenization

SPECIAL = [("[S]", 1), ("[E]", 2)]
PROCESSORS: dict[str, PostProcessor | None] = {
    "none": None,
    "bert": BertProcessing(("[E]", 2), ("[S]", 1)),
    "roberta": RobertaProcessing(("[E]", 2), ("[S]", 1)),
    "types within a run of special tokens": TemplateProcessing(
        single="$A [E]", pair="[S] $A [E]:0 [E]:1 [S]:2 $B:1 [E]:1 [E]:0", special_tokens=SPECIAL
    ),
    "the text first": TemplateProcessing(single="$A [E]", pair="[S] $B [E] $A [E]", special_tokens=SPECIAL),
    "the query twice": TemplateProcessing(single="$A [E]", pair="$A [E] $B [E] $A", special_tokens=SPECIAL),
}
TEXT = st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join)


def tokenizer(processor: PostProcessor | None, words: str = "abcd") -> Tokenizer:
    vocabulary = {token: i for i, token in enumerate(["[P]", "[S]", "[E]", "[U]", *words])}
    made = Tokenizer(WordLevel(vocabulary, unk_token="[U]"))
    made.pre_tokenizer = Whitespace()
    if processor is not None:
        made.post_processor = processor
    return made


@settings(max_examples=20)
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("name", PROCESSORS)
@given(
    pairs=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4).filter(lambda pairs: any(map(any, pairs))),
    limit=st.integers(9, 16),
)
def test_pairs_are_what_the_tokenizer_makes_of_them(
    name: str, left: bool, pairs: list[tuple[str, str]], limit: int
) -> None:
    side = "left" if left else "right"
    own = tokenizer(PROCESSORS[name])
    ours = Tokenization(own, limit, Padding(left=left), cut_left=left)
    own.enable_truncation(limit, strategy="longest_first", direction=side)
    own.enable_padding(direction=side, pad_id=0)
    expected = own.encode_batch(pairs)
    batch = ours.batch(pairs)
    assert batch.input_ids.tolist() == [encoding.ids for encoding in expected]
    assert batch.attention_mask.tolist() == [encoding.attention_mask for encoding in expected]
    assert batch.token_type_ids.tolist() == [encoding.type_ids for encoding in expected]


def test_a_text_that_is_cut_on_the_left_keeps_its_end() -> None:
    ours = Tokenization(tokenizer(PROCESSORS["bert"]), 7, cut_left=True)
    assert ours.batch([("a", "b c d a")]).input_ids.tolist() == [[1, 4, 2, 6, 7, 4, 2]]
    assert ours.visible([("a", "b c d a")]).tolist() == [len("c d a")]


def test_a_batch_may_mix_texts_and_pairs() -> None:
    ours = Tokenization(tokenizer(PROCESSORS["bert"]), 9)
    assert ours.batch([("a", "b"), ("c",)]).input_ids.tolist() == [[1, 4, 2, 5, 2], [1, 6, 2, 0, 0]]
