"""Folders as transformers and sentence-transformers write them: real classes, random weights, a few words."""

from __future__ import annotations

from pathlib import Path

import torch
import transformers
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

from models.conftest import WORDS

torch.set_num_threads(1)  # the models are too small to share out
LENGTH = 200
"""Tokens that the tokenizer allows: more than the 128 beyond which MPNet's distances are all alike."""
_SHAPE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
_DISTIL = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
_CASES = {
    "bert": ("Bert", _SHAPE),
    "camembert": ("Camembert", _SHAPE),
    "distilbert": ("DistilBert", _DISTIL),
    "electra": ("Electra", {**_SHAPE, "embedding_size": 8}),
    "mpnet": ("MPNet", _SHAPE),
    "roberta": ("Roberta", _SHAPE),
    "xlm-roberta": ("XLMRoberta", _SHAPE),
}


def save_encoder(
    folder: Path,
    kind: str = "bert",
    *,
    pooling: str | tuple[str, ...] = "mean",
    dense: bool = False,
    normalize: bool = True,
    prompts: dict[str, str] | None = None,
    length: int | None = None,
    **config: object,
) -> SentenceTransformer:
    """A bi-encoder; what it gives is what ours must give."""
    base = folder.parent / f"{folder.name}-base"
    _save_transformer(base, kind, "Model", **config)
    modules = [Transformer(str(base), max_seq_length=length), Pooling(16, pooling)]
    if dense:
        modules.append(Dense(modules[-1].get_embedding_dimension(), 12))
    if normalize:
        modules.append(Normalize())
    model = SentenceTransformer(modules=modules, device="cpu", prompts=prompts)
    model.save(str(folder))
    return model


def save_cross(folder: Path, kind: str = "bert", labels: tuple[str, ...] = ("relevant",)) -> CrossEncoder:
    """A cross-encoder; its raw logits are what ours must give."""
    numbered = dict(enumerate(labels))
    _save_transformer(folder, kind, "ForSequenceClassification", id2label=numbered)
    return CrossEncoder(str(folder), device="cpu")


def _save_transformer(folder: Path, kind: str, what: str, **more: object) -> None:
    torch.manual_seed(7)
    name, shape = _CASES[kind]
    tokenizer = _tokenizer(padding=1 if kind in ("camembert", "mpnet", "roberta", "xlm-roberta") else 0)
    settings = {
        "vocab_size": len(tokenizer),
        "max_position_embeddings": LENGTH + 8,
        "pad_token_id": tokenizer.pad_token_id,
        "initializer_range": 0.3,  # so that a wrong mask or position shows
        **shape,
        **more,
    }
    config = getattr(transformers, f"{name}Config")(**settings)
    getattr(transformers, f"{name}{what}")(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _tokenizer(padding: int) -> PreTrainedTokenizerFast:
    """Pairs are numbered 0 and 1 as BERT has it, or all 0 as the kinds with another padding token have it."""
    special = ["[PAD]", "[UNK]"] if padding == 0 else ["[UNK]", "[PAD]"]
    vocabulary = {token: i for i, token in enumerate([*special, "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    second = 1 if padding == 0 else 0
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair=f"[CLS] $A [SEP] $B:{second} [SEP]:{second}",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if second else [])]
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=LENGTH, model_input_names=inputs, **names
    )
