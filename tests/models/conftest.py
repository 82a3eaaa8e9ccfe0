from __future__ import annotations

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

WORDS = [
    "soup",
    "soups",
    "with",
    "without",
    "cream",
    "leeks",
    "no",
    "nuts",
    "a",
    "the",
    "and",
    "pie",
    "##s",
    "rich",
    "very",
    "is",
]


@pytest.fixture(scope="session")
def word_tokenizer() -> Tokenizer:
    """A real BERT tokenizer with a vocabulary of a few words; everything else is [UNK]."""
    vocabulary = {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer
