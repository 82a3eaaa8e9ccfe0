"""What the tests train: a tiny BERT that knows a few words, and a rule that it can learn.

The rule: under "soup without nuts" a text without nuts is better than one with them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils import logging

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
THINGS = ("nuts", "cream", "leeks", "peas", "garlic", "eggs")
TOPICS = ("soup", "pie", "stew", "salad")
FILLERS = ("a", "the", "is", "and", "in", "very", "rich", "warm", "fresh", "bowl", "of", ".", "with", "without")
LETTERS = tuple("abcdefghijklmnopqrstuvwxyz0123456789")
WORDS = tuple(dict.fromkeys((*SPECIAL, *THINGS, *TOPICS, *FILLERS, *LETTERS, *(f"##{letter}" for letter in LETTERS))))


def make_tokenizer(words: Sequence[str] = WORDS) -> PreTrainedTokenizerFast:
    """A real BERT tokenizer; a word that it does not know is read letter by letter."""
    numbers = {word: place for place, word in enumerate(words)}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, numbers[name]) for name in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=48,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def _config(**changes: int) -> BertConfig:
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    # Wide first weights, so that a few dozen steps are enough.
    sizes = {"vocab_size": len(WORDS), "max_position_embeddings": 48, "type_vocab_size": 2, "num_labels": 1, **shape}
    return BertConfig(**{**sizes, **changes}, initializer_range=0.15)


def write_cross(folder: Path, words: Sequence[str] = WORDS, **changes: int) -> Path:
    """A classifier with one score, if nothing else is said."""
    torch.manual_seed(0)
    return write_parts(folder, BertForSequenceClassification(_config(**changes)), make_tokenizer(words))


def write_parts(folder: Path, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> Path:
    """The folder of a model."""
    logging.disable_progress_bar()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_encoder(folder: Path) -> Path:
    """A bi-encoder."""
    torch.manual_seed(0)
    plain = folder.with_name(f"{folder.name}-plain")
    logging.disable_progress_bar()
    BertModel(_config(), add_pooling_layer=False).save_pretrained(plain)
    make_tokenizer().save_pretrained(plain)
    words = Transformer(str(plain), max_seq_length=48)
    pooling = Pooling(words.get_embedding_dimension(), pooling_mode="mean")
    model = SentenceTransformer(modules=[words, pooling], device="cpu")
    model.save_pretrained(str(folder), create_model_card=False)
    return folder


def write_triples(path: Path, count: int, seed: int = 0) -> Path:
    """Triples that follow the rule."""
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        topic, other = rng.choice(TOPICS), rng.choice([thing for thing in THINGS if thing != "nuts"])
        better, worse = (f"the {topic} is {rng.choice(FILLERS[6:9])} and in {thing} ." for thing in (other, "nuts"))
        rows.append({"query": f"{topic} without nuts", "positive": better, "negative": worse})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
