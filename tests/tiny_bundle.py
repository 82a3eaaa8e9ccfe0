"""A small corpus with queries and judgments, and a real encoder of two layers: BERT as its files have it, random weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset

WORDS = [
    *("soup", "soups", "with", "without", "cream", "leeks", "no", "nuts", "a", "the"),
    *("and", "pie", "rich", "very", "is", "hot", "red"),
]
WIDTH, INNER, LAYERS, LENGTH = 16, 32, 2, 24


def save_model(folder: Path, *, normalize: bool = True) -> str:
    """A folder that ONNX Runtime can run; gives its model string."""
    folder.mkdir(parents=True)
    config = {
        "model_type": "bert",
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "intermediate_size": INNER,
        "max_position_embeddings": LENGTH,
        "vocab_size": len(WORDS) + 4,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": LENGTH}))
    _tokenizer().save(str(folder / "tokenizer.json"))
    save_file(_weights(), folder / "model.safetensors")
    names = ["Transformer", "Pooling", *(["Normalize"] if normalize else [])]
    paths = ["", "1_Pooling", "2_Normalize"]
    modules = [{"type": f"sentence_transformers.models.{n}", "path": p} for n, p in zip(names, paths, strict=False)]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    return f"dense:{folder}"


def _tokenizer() -> Tokenizer:
    vocabulary = {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def _weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS) + 4, WIDTH),
        "embeddings.position_embeddings.weight": (LENGTH, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        parts = {
            **{f"attention.self.{name}": (WIDTH, WIDTH) for name in ("query", "key", "value")},
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (INNER, WIDTH),
            "output.dense": (WIDTH, INNER),
        }
        for name, shape in parts.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = shape
            shapes[f"encoder.layer.{layer}.{name}.bias"] = shape[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"encoder.layer.{layer}.{name}.weight"] = (WIDTH,)
            shapes[f"encoder.layer.{layer}.{name}.bias"] = (WIDTH,)
    return {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}


def write_source(folder: Path, documents: int = 60, queries: int = 6) -> SourceSettings:
    """Documents of random words; query i is judged with documents i (grade 2), i + 10 (grade 1) and i + 20 (grade 0)."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, rng.integers(3, 30))) for _ in range(documents)]
    write_json_lines(folder / "docs.jsonl", [{"id": f"d{i}", "text": text} for i, text in enumerate(texts)])
    write_json_lines(folder / "queries.jsonl", [{"id": f"q{i}", "text": texts[i][:12]} for i in range(queries)])
    grades = ((0, 2), (10, 1), (20, 0))
    lines = [f"q{i} 0 d{i + shift} {grade}" for i in range(queries) for shift, grade in grades]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    return source_in(folder)


def source_in(folder: Path) -> SourceSettings:
    return SourceSettings(
        source=str(folder / "docs.jsonl"), queries=str(folder / "queries.jsonl"), qrels=str(folder / "qrels.txt")
    )


def write_json_lines(path: Path, records: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def make_bundle(folder: Path, *, documents: int = 60, **settings: object) -> Path:
    """A bundle without vectors."""
    chosen = SubsetSettings.model_validate({"size": 30, "namespace": "tiny", **settings})
    build_subset(write_source(folder / "source", documents), chosen, folder / "bundle", Silent(), accept_coverage=True)
    return folder / "bundle"
