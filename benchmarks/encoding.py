"""Texts a second of a bi-encoder: ours against sentence-transformers, same weights, same texts, same machine, beside the limit.

python benchmarks/encoding.py
python benchmarks/encoding.py --device cuda --texts 100000
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer

from constraintsuite.models.base import Workbench
from constraintsuite.models.dense import load_encoder
from devices import PRECISIONS, machine, matrix_peak, wait
from rerankers import make_encoder, make_texts
from tables import load, show, target

Vectors = npt.NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]
BATCHES = {"cpu": (32,), "cuda": (32, 1_024)}  # the first is the library's own choice


@click.command()
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--texts", type=click.IntRange(min=8), default=400, show_default=True)
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
def main(device: str, texts: int, repeats: int, seed: int) -> None:
    """Time them all in turn, texts to vectors, and print what was found."""
    passages = make_texts(texts, seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "encoder"
        tokenizer = make_encoder(folder)
        click.echo(f"{texts:,} texts; MiniLM-L6 shape, random weights, {tokenizer}; {machine(device)}; {load()}")
        contenders = {
            **{
                (f"sentence-transformers, batches of {size}", precision): _library(folder, device, precision, size)
                for precision in PRECISIONS
                for size in BATCHES[device]
            },
            **{("ours", precision): _ours(folder, device, precision) for precision in PRECISIONS},
        }
        seconds: dict[tuple[str, str], list[float]] = {key: [] for key in contenders}
        vectors: dict[tuple[str, str], Vectors] = {}
        for _ in range(repeats):
            for key, prepare in contenders.items():
                encode = prepare()
                encode(passages[:8])
                wait(device)
                start = time.perf_counter()
                vectors[key] = encode(passages)
                seconds[key].append(time.perf_counter() - start)
        operations = _operations(folder, passages)
    _report(device, texts, {key: texts / min(found) for key, found in seconds.items()}, vectors, operations)


def _library(folder: Path, device: str, precision: str, size: int) -> Callable[[], Encode]:
    model = SentenceTransformer(str(folder), device=device, model_kwargs={"dtype": PRECISIONS[precision]})

    def encode(texts: Sequence[str]) -> Vectors:
        found = model.encode(list(texts), batch_size=size, convert_to_tensor=True, show_progress_bar=False)
        return np.asarray(found.float().cpu().numpy(), dtype=np.float32)

    return lambda: encode


def _ours(folder: Path, device: str, precision: str) -> Callable[[], Encode]:
    """A fresh one each time, since it remembers what it has read."""
    name = f"dense:{folder},backend=torch,device={device},precision={precision}"

    def prepare() -> Encode:
        encoder = load_encoder(name, Workbench()).encoder
        return lambda texts: encoder.encode(texts, "document")

    return prepare


def _operations(folder: Path, texts: Sequence[str]) -> float:
    """Additions and multiplications over the texts' own tokens, without padding."""
    model = SentenceTransformer(str(folder), device="cpu")
    lengths = np.array([len(ids) for ids in model.tokenizer(list(texts), truncation=True, max_length=256)["input_ids"]])
    layers = model[0].auto_model.encoder.layer
    weights = sum(part.weight.numel() for part in layers[-1].modules() if isinstance(part, torch.nn.Linear))
    return float(len(layers) * (2 * weights * lengths.sum() + 4 * 384 * (lengths.astype(np.float64) ** 2).sum()))


def _report(
    device: str,
    texts: int,
    rates: dict[tuple[str, str], float],
    vectors: dict[tuple[str, str], Vectors],
    operations: float,
) -> None:
    peaks = {precision: matrix_peak(device, dtype) for precision, dtype in PRECISIONS.items()}
    default = next(iter(rates))
    rows = []
    for (name, precision), rate in rates.items():
        cosines = (vectors[name, precision].astype(np.float64) * vectors[default]).sum(axis=1)
        share = rate * operations / texts / peaks[precision]
        least = f"{cosines.min():.6f}"
        rows.append(
            (name, precision, rate, rate / rates[default], peaks[precision] * texts / operations, f"{share:.1%}", least)
        )
    header = ("", "", "texts/s", "x default", "limit, texts/s", "of limit", "least cosine")
    show(f"Encoding {texts:,} texts on {device}, {operations / texts / 1e9:.3g} GFLOP a text", header, rows)
    click.echo(
        "The limit is the peak of one product of matrices in that precision, and nothing else: no tokens, no copies."
    )
    target(
        "ours fp32 to sentence-transformers at its defaults", rates["ours", "fp32"] / rates[default], 1.5, at_most=False
    )


if __name__ == "__main__":
    main()
