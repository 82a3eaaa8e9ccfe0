"""Model folders as the libraries write them: real classes, a few thousand random weights, the words of the tiny suite."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import torch
from sentence_transformers import MultiVectorEncoder, SentenceTransformer, SparseEncoder
from sentence_transformers.base.modules import Dense, Normalize, Router, Transformer
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from sentence_transformers.sentence_transformer.modules import Pooling
from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding, SpladePooling
from tokenizers import Tokenizer
from tokenizers.models import Unigram, WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, Metaspace
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    DPRConfig,
    DPRContextEncoder,
    DPRQuestionEncoder,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from experiments.tiny_suite import CONTROLS, EXAMPLES

_TEXTS = [
    text
    for example in (*EXAMPLES, *CONTROLS)
    for text in (*example.queries.values(), example.satisfying.text, example.violating.text)
]
WORDS = sorted({word for text in _TEXTS for word in re.findall(r"\w+|[^\w\s]", text.lower())})
HIDDEN = 16


def word_tokenizer(length: int = 48) -> PreTrainedTokenizerFast:
    """A BERT tokenizer."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]", *WORDS]
    tokenizer = Tokenizer(WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        additional_special_tokens=["[unused0]", "[unused1]"],
        model_max_length=length,
    )


def bert_config() -> BertConfig:
    return BertConfig(
        vocab_size=len(word_tokenizer()),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.5,  # so that scores differ by more than rounding
    )


def save_transformer(model: PreTrainedModel, folder: Path, tokenizer: PreTrainedTokenizerFast | None = None) -> Path:
    model.save_pretrained(folder)
    (tokenizer or word_tokenizer()).save_pretrained(folder)
    return folder


def make_bert(folder: Path, seed: int = 0) -> Path:
    torch.manual_seed(seed)
    return save_transformer(BertModel(bert_config()), folder)


def make_masked_lm(folder: Path, seed: int = 0) -> Path:
    torch.manual_seed(seed)
    return save_transformer(BertForMaskedLM(bert_config()), folder)


def make_dense(folder: Path, seed: int = 0, **options: object) -> Path:
    reading = Transformer(str(make_bert(folder / "bert", seed)))
    model = SentenceTransformer(modules=[reading, Pooling(HIDDEN, "mean")], device="cpu", **options)
    return save_sentence_model(model, folder / "model")


def make_splade(folder: Path, seed: int = 0) -> Path:
    return save_sentence_model(SparseEncoder(str(make_masked_lm(folder / "mlm", seed)), device="cpu"), folder / "model")


def make_asymmetric_splade(folder: Path) -> Path:
    """Queries are looked up in a table of weights, texts are read by a model."""
    reading = Transformer(str(make_masked_lm(folder / "mlm")), transformer_task="fill-mask")
    table = SparseStaticEmbedding(reading.tokenizer, weight=torch.rand(len(reading.tokenizer)), frozen=True)
    router = Router.for_query_document(query_modules=[table], document_modules=[reading, SpladePooling("max")])
    return save_sentence_model(SparseEncoder(modules=[router], device="cpu"), folder / "model")


def make_colbert(folder: Path, seed: int = 0, similarity: str = "maxsim") -> Path:
    reading = Transformer(
        str(make_bert(folder / "bert", seed)), query_expansion={"strategy": "fixed", "attend": False, "length": 10}
    )
    layers = [
        reading,
        Dense(HIDDEN, 8, bias=False, activation_function=torch.nn.Identity(), module_input_name="token_embeddings"),
        MultiVectorMask(skiplist_words=["."]),
        Normalize(module_input_name="token_embeddings"),
    ]
    prompts = {"query": "[unused0] ", "document": "[unused1] "}
    model = MultiVectorEncoder(modules=layers, prompts=prompts, similarity_fn_name=similarity, device="cpu")
    return save_sentence_model(model, folder / "model")


def make_dpr_part(folder: Path, kind: type[DPRQuestionEncoder | DPRContextEncoder], seed: int = 0) -> Path:
    torch.manual_seed(seed)
    return save_transformer(kind(DPRConfig(**bert_config().to_diff_dict() | {"model_type": "dpr"})), folder)


def make_dpr(folder: Path, seed: int = 0) -> tuple[Path, Path]:
    query = make_dpr_part(folder / "query", DPRQuestionEncoder, seed)
    return query, make_dpr_part(folder / "document", DPRContextEncoder, seed + 1)


def piece_tokenizer(length: int = 64) -> PreTrainedTokenizerFast:
    """A T5 tokenizer: pieces that begin with a mark where a word does."""
    words = [*WORDS, "Query", "Document", "Relevant", "true", "false", "yes", "no"]
    letters = sorted(set("".join(words)) | set(":.,"))
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -3.0)]
    pieces += [(f"▁{word}", -2.0) for word in dict.fromkeys(words)] + [(letter, -6.0) for letter in letters]
    tokenizer = Tokenizer(Unigram(pieces, unk_id=2))
    tokenizer.pre_tokenizer = Metaspace()
    tokenizer.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=length
    )


def make_monot5(folder: Path, seed: int = 0) -> Path:
    torch.manual_seed(seed)
    tokenizer = piece_tokenizer()
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=HIDDEN,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=0,
        initializer_factor=1.0,
    )
    return save_transformer(T5ForConditionalGeneration(config), folder, tokenizer)


def save_sentence_model(model: SentenceTransformer | SparseEncoder | MultiVectorEncoder, folder: Path) -> Path:
    model.save(str(folder), create_model_card=False)
    return folder


MAKERS: dict[str, Callable[[Path, int], str]] = {
    "colbert": lambda folder, seed: f"colbert:{make_colbert(folder, seed)},threads=1",
    "dense": lambda folder, seed: f"dense:{make_dense(folder, seed)},backend=torch,threads=1",
    "dpr": lambda folder, seed: "dpr:{}|{},threads=1".format(*make_dpr(folder, seed)),
    "monot5": lambda folder, seed: f"monot5:{make_monot5(folder, seed)},threads=1",
    "splade": lambda folder, seed: f"splade:{make_splade(folder, seed)},threads=1",
}
"""Model strings of the families; the seed decides the weights. On two busy cores one thread is a hundred times faster."""
