"""Models and texts to time them with: the shape of MiniLM-L6 with random weights, and texts as long as NevIR's."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizer
from transformers.utils import logging

import constraintsuite
from constraintsuite.core.store.download import cache_folder

Pair = tuple[str, str]
SAMPLE = Path(constraintsuite.__file__).parent / "corpora" / "sample"
KNOWN_TOKENIZER = ("models", "sentence-transformers--all-MiniLM-L6-v2", "tokenizer.json")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MOST_TEXTS = 2_766  # queries, and as many documents: as NevIR's test split has
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Example:
    """A query and two documents, as in the guide."""

    query: str
    first: str
    second: str


def make_examples(count: int, seed: int) -> list[Example]:
    """Distinct pairs throughout: sentences of the bundled corpus recombined to the lengths of CondaQA's passages."""
    rng = random.Random(seed)
    texts = min(MOST_TEXTS, max(3, count))
    sentences = sorted({sentence for text in read_sample() for sentence in _SENTENCE_END.split(text)})
    queries = _distinct(texts, lambda: _query(sentences, rng))
    documents = _distinct(texts, lambda: _document(sentences, rng))
    shifts = -(-count // texts)
    if 2 * shifts > texts:
        raise SystemExit(f"{count} examples are more than {texts} texts give.")
    places = ((number % texts, 2 * (number // texts)) for number in range(count))
    return [
        Example(queries[i], documents[(i + shift) % texts], documents[(i + shift + 1) % texts]) for i, shift in places
    ]


def read_nevir(file: Path) -> list[Example]:
    """The two queries of each line with both documents; for timing only, nothing of it is printed."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return list(dict.fromkeys(Example(row[query], row["doc1"], row["doc2"]) for row in rows for query in ("q1", "q2")))


def pairs_of(examples: Sequence[Example]) -> list[Pair]:
    """Both pairs of each example, side by side."""
    return [pair for each in examples for pair in ((each.query, each.first), (each.query, each.second))]


def read_sample() -> Iterator[str]:
    """The texts of the bundled corpus."""
    for file in sorted(SAMPLE.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["text"]


def make_reranker(folder: Path) -> str:
    """Write model and tokenizer, and say which tokenizer it is."""
    return _make_model(folder, BertForSequenceClassification)


def make_encoder(folder: Path) -> str:
    """The same model as a bi-encoder: mean pooling, vectors of length 1."""
    tokenizer = _make_model(folder / "bert", BertModel)
    reading = Transformer(str(folder / "bert"), max_seq_length=256)
    pooling = Pooling(reading.get_embedding_dimension(), "mean")
    SentenceTransformer(modules=[reading, pooling, Normalize()], device="cpu").save(str(folder))
    return tokenizer


def _make_model(folder: Path, kind: type[BertModel | BertForSequenceClassification]) -> str:
    logging.disable_progress_bar()
    folder.mkdir(parents=True, exist_ok=True)
    known = cache_folder().joinpath(*KNOWN_TOKENIZER)
    vocabulary = _vocabulary(known) if known.is_file() else _train()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1_536,
        num_labels=1,
        initializer_range=0.05,  # so that scores differ as a trained model's do
    )
    kind(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    BertTokenizer.from_pretrained(folder, model_max_length=512).save_pretrained(folder)
    return "the vocabulary of all-MiniLM-L6-v2" if known.is_file() else "a vocabulary trained on the bundled corpus"


def _vocabulary(file: Path) -> list[str]:
    tokens = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    return sorted(tokens, key=tokens.__getitem__)


def _train() -> list[str]:
    tokenizer = BertWordPieceTokenizer(lowercase=True)
    tokenizer.train_from_iterator(read_sample(), vocab_size=30_522, special_tokens=list(SPECIAL), show_progress=False)
    tokens = tokenizer.get_vocab()
    return sorted(tokens, key=tokens.__getitem__)


def make_texts(count: int, seed: int) -> list[str]:
    """Distinct passages of 20 to 195 words: sentences of the bundled corpus recombined."""
    rng = random.Random(seed)
    sentences = sorted({sentence for text in read_sample() for sentence in _SENTENCE_END.split(text)})
    return _distinct(count, lambda: _document(sentences, rng))


def _distinct(count: int, make: Callable[[], str]) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[make()] = None
    return list(found)


def _query(sentences: Sequence[str], rng: random.Random) -> str:
    return " ".join(rng.choice(sentences).split()[: rng.randint(6, 17)])


def _document(sentences: Sequence[str], rng: random.Random) -> str:
    words: list[str] = []
    target = round(rng.triangular(20, 195, 130))  # mean 115 words, as measured on CondaQA's development split
    while len(words) < target:
        words += rng.choice(sentences).split()
    return " ".join(words[:target])
