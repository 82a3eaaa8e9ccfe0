"""Rerankers to look into: a tiny one of each family. In `planted.py` is one in which a known head carries a known effect."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, ByteLevel
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import BpeTrainer
from transformers import PreTrainedTokenizerFast

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
NEGATIONS = ("without", "excluding")
AFFIRMATIONS = ("with", "including")
THINGS = ("leeks", "cream", "nuts", "peas", "garlic", "onions", "cheese", "eggs")
TOPICS = ("soup", "pie", "stew", "salad")
FILLERS = (
    "a",
    "the",
    "is",
    "and",
    "in",
    "no",
    "not",
    "very",
    "rich",
    "warm",
    "fresh",
    "bowl",
    "recipe",
    "##s",
    "of",
    ".",
)
VOCABULARY = (*SPECIAL, *NEGATIONS, *AFFIRMATIONS, *THINGS, *TOPICS, *FILLERS)
PAIRS = [
    ("soup without leeks", "a warm bowl of soup and peas"),
    ("soup with leeks", "a warm bowl of soup and leeks"),
    ("pie excluding nuts", "fresh pie"),
    ("a rich stew without cream and eggs", "the stew is very rich . cream is in the stew , and eggs"),
]
"""Of four lengths."""
SHAPE = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 24}
LENGTH = 48


@dataclass(frozen=True)
class Tiny:
    """A family's real class, with its few sizes."""

    architecture: str
    """The class is `{architecture}ForSequenceClassification`."""
    settings: Mapping[str, object] = field(default_factory=dict)
    frame: str = "[CLS] $A [SEP] $B [SEP]"
    """What the tokenizer puts around a pair; `:1` gives a token the second type."""
    left: bool = False
    """Whether padding comes first."""
    bytes: bool = False
    """Whether the library allows no tokenizer but one of bytes."""


TYPED = "[CLS] $A [SEP] $B:1 [SEP]:1"
_BARE = "$A [SEP] $B [SEP]"
_ENCODER = {**SHAPE, "max_position_embeddings": LENGTH + 2, "initializer_range": 0.5}
_MARKS = {"bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3}
_MODERN = {**_ENCODER, **_MARKS, "local_attention": 6, "global_attn_every_n_layers": 2}
_DECODER = {**_ENCODER, **_MARKS, "num_key_value_heads": 2}
_WIDE = {**_DECODER, "head_dim": 6}  # heads that are wider together than what passes between the blocks
_DISTIL = {
    "dim": 16,
    "n_layers": 3,
    "n_heads": 4,
    "hidden_dim": 24,
    "max_position_embeddings": 48,
    "initializer_range": 0.5,
}
_T5 = {
    "d_model": 16,
    "d_kv": 6,
    "d_ff": 24,
    "num_layers": 3,
    "num_heads": 4,
    "decoder_start_token_id": 0,
    "eos_token_id": 3,
}
_DEBERTA = {**_ENCODER, "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "pooler_hidden_size": 16}
TINY: dict[str, Tiny] = {
    "bert": Tiny("Bert", _ENCODER, TYPED),
    "camembert": Tiny("Camembert", _ENCODER),
    "deberta": Tiny("Deberta", {**_DEBERTA, "type_vocab_size": 2}, TYPED),
    # As in version 3: one projection for content and positions, and none for types.
    "deberta-v2": Tiny("DebertaV2", {**_DEBERTA, "share_att_key": True, "position_buckets": 6}),
    "deberta-v2-conv": Tiny("DebertaV2", {**_DEBERTA, "conv_kernel_size": 3}),
    "distilbert": Tiny("DistilBert", _DISTIL),
    "electra": Tiny("Electra", {**_ENCODER, "embedding_size": 8}, TYPED),
    "gemma": Tiny("Gemma", {**_WIDE, "initializer_range": 0.2}, _BARE),
    "llama": Tiny("Llama", _WIDE, _BARE, left=True),
    "mistral": Tiny("Mistral", {**_WIDE, "sliding_window": 4}, _BARE),
    "modernbert": Tiny("ModernBert", {**_MODERN, "classifier_pooling": "cls"}),
    "modernbert-mean": Tiny("ModernBert", {**_MODERN, "classifier_pooling": "mean"}),
    "qwen2": Tiny("Qwen2", _DECODER, _BARE, left=True, bytes=True),
    "qwen3": Tiny("Qwen3", _WIDE, _BARE, left=True),
    "roberta": Tiny("Roberta", {**_ENCODER, "type_vocab_size": 1}),
    "t5": Tiny("T5", _T5, _BARE),
    "xlm-roberta": Tiny("XLMRoberta", {**_ENCODER, "type_vocab_size": 1}),
}
"""By the `model_type` of the configuration, and what sets a variant apart."""


def make_tiny(kind: str, folder: Path, seed: int = 0) -> Path:
    """A folder with random weights of one of the families in `TINY`: `load_model(f"cross:{folder},threads=1")`.

    On two busy cores, one thread is a hundred times faster.
    """
    tiny = TINY[kind]
    tokenizer = word_tokenizer(tiny.frame, left=tiny.left, bytes_=tiny.bytes)
    config = getattr(transformers, f"{tiny.architecture}Config")(
        vocab_size=len(tokenizer), pad_token_id=0, num_labels=1, **tiny.settings
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit.script`", DeprecationWarning)  # when DeBERTa is imported
        architecture = getattr(transformers, f"{tiny.architecture}ForSequenceClassification")
    torch.manual_seed(seed)
    architecture(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def word_tokenizer(frame: str = TYPED, *, left: bool = False, bytes_: bool = False) -> PreTrainedTokenizerFast:
    """Knows the words of `VOCABULARY`, each as one token."""
    tokenizer = _of_bytes() if bytes_ else _of_words()
    tokenizer.post_processor = TemplateProcessing(
        single=frame.partition(" $B")[0], pair=frame, special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=LENGTH,
        padding_side="left" if left else "right",
        model_input_names=["input_ids", "attention_mask", *(["token_type_ids"] if ":1" in frame else [])],
    )


def _of_words() -> Tokenizer:
    tokenizer = Tokenizer(WordPiece({token: i for i, token in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


def _of_bytes() -> Tokenizer:
    """Trained until every word is whole, at the beginning of a text and behind a space."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    words = VOCABULARY[len(SPECIAL) :]
    trainer = BpeTrainer(vocab_size=2_000, special_tokens=list(SPECIAL), show_progress=False)
    tokenizer.train_from_iterator([*words, *(f" {word}" for word in words)], trainer)
    return tokenizer
