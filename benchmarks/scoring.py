"""Pairs a second of cross-encoders: ours against sentence-transformers, same weights, same pairs, same machine.

python benchmarks/scoring.py
python benchmarks/scoring.py --device cuda --pairs 50000
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import CrossEncoder

from constraintsuite.models.backends import CrossSettings
from constraintsuite.models.base import Workbench
from constraintsuite.models.torch.crossencoder import TorchCrossEncoder
from devices import PRECISIONS, machine, matrix_peak, wait
from phases import print_phases
from rerankers import Example, Pair, make_examples, make_reranker, pairs_of, read_nevir
from tables import cell, load, show, target

FloatArray = npt.NDArray[np.float64]
BATCHES = {"cpu": (8, 16, 32, 64), "cuda": (128, 256, 512, 1_024, 2_048)}
LOOP_EXAMPLES = {"cpu": 1_000_000, "cuda": 500}  # the guide's loop is timed on as many as that
TRIAL_PAIRS = {"cpu": 64, "cuda": 8_192}  # on which the best batch size is looked for
OURS = "ours"


@dataclass
class Contender:
    """Something that scores pairs, and what was seen of it."""

    name: str
    precision: str
    prepare: Callable[[], Callable[[Sequence[Pair]], FloatArray]]
    """Everything that is not counted: weights on the device, warm; nothing of the texts known."""
    pairs: Sequence[Pair]
    seconds: list[float] = field(default_factory=list)
    processor_seconds: list[float] = field(default_factory=list)
    """Of all its threads: on a busy machine these are the fairer measure."""
    scores: FloatArray = field(default_factory=lambda: np.empty(0))

    @property
    def rate(self) -> float:
        """Pairs a second in the best of its runs."""
        return len(self.pairs) / min(self.seconds)

    def run(self, device: str) -> None:
        """Score all pairs once more."""
        score = self.prepare()
        wait(device)
        start, used = time.perf_counter(), time.process_time()
        self.scores = score(self.pairs)
        self.seconds.append(time.perf_counter() - start)
        self.processor_seconds.append(time.process_time() - used)


def main() -> None:
    """Time them all in turn, and print what was found."""
    arguments = _arguments()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    device = arguments.device or ("cuda" if torch.cuda.is_available() else "cpu")
    examples = read_nevir(arguments.nevir) if arguments.nevir else make_examples(arguments.pairs // 2, arguments.seed)
    examples = examples[: arguments.pairs // 2]
    pairs = pairs_of(examples)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "reranker"
        tokenizer = make_reranker(folder)
        texts = len({text for pair in pairs for text in pair})
        print(f"{len(set(pairs)):,} distinct pairs of {texts:,} texts; MiniLM-L6 shape, random weights, {tokenizer}")
        print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {machine(device)}; {load()}")
        contenders = _contenders(folder, device, examples, pairs)
        for turn in range(arguments.repeats):
            for each in contenders.values():
                each.run(device)
            print(f"turn {turn + 1}: {load()}", flush=True)
        _report(contenders, folder, device, pairs)
        _rerun(folder, device, pairs, Path(scratch) / "cache")
        if arguments.profile:
            for precision in PRECISIONS:
                print_phases(f"Ours, {precision}", _ours(folder, device, precision), pairs, device)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), help="by default cuda where it is")
    parser.add_argument("--pairs", type=int, default=400, help="how many (default 400)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, in turn; the best counts (default 3)")
    parser.add_argument("--threads", type=int, help="processor threads of each (default one a core)")
    parser.add_argument("--nevir", type=Path, help="a file of NevIR, to take its pairs instead of made ones")
    parser.add_argument("--seed", type=int, default=0, help="of the made pairs (default 0)")
    parser.add_argument("--profile", action="store_true", help="also print where our time goes")
    return parser.parse_args()


def _contenders(folder: Path, device: str, examples: Sequence[Example], pairs: Sequence[Pair]) -> dict[str, Contender]:
    looped = pairs[: 2 * min(len(examples), LOOP_EXAMPLES[device])]
    found = {"loop": Contender("the guide's loop, two pairs a call", "fp32", _loop(folder, device), looped)}
    for precision in PRECISIONS:
        size = _best_batch(folder, device, precision, pairs)
        name = f"sentence-transformers, batches of {size}"
        found[f"st {precision}"] = Contender(name, precision, _library(folder, device, precision, size), pairs)
    for precision in PRECISIONS:
        found[precision] = Contender(OURS, precision, _ours(folder, device, precision), pairs)
    return found


def _encoder(folder: Path, device: str, precision: str) -> Any:  # noqa: ANN401
    return CrossEncoder(str(folder), device=device, model_kwargs={"dtype": PRECISIONS[precision]})


def _loop(folder: Path, device: str) -> Callable[[], Callable[[Sequence[Pair]], FloatArray]]:
    encoder = _encoder(folder, device, "fp32")

    raw = torch.nn.Identity()  # the guide leaves the sigmoid in; scores could not be compared then

    def score(pairs: Sequence[Pair]) -> FloatArray:
        found: list[float] = []
        for number in range(0, len(pairs), 2):
            two = list(pairs[number : number + 2])
            found += encoder.predict(two, activation_fn=raw, show_progress_bar=False).tolist()
        return np.array(found, dtype=np.float64)

    score(WARM)
    return lambda: score


def _library(
    folder: Path, device: str, precision: str, size: int
) -> Callable[[], Callable[[Sequence[Pair]], FloatArray]]:
    encoder = _encoder(folder, device, precision)

    def score(pairs: Sequence[Pair]) -> FloatArray:
        raw = torch.nn.Identity()
        found = encoder.predict(list(pairs), batch_size=size, activation_fn=raw, show_progress_bar=False)
        return np.asarray(found, dtype=np.float64)

    score(WARM)
    return lambda: score


def _best_batch(folder: Path, device: str, precision: str, pairs: Sequence[Pair]) -> int:
    """The batch size with which the library is fastest on some of the pairs, each tried twice."""
    some = pairs[:: max(1, len(pairs) // TRIAL_PAIRS[device])]
    spent = {}
    for size in BATCHES[device]:
        trial = Contender("", precision, _library(folder, device, precision, size), some)
        trial.run(device)
        trial.run(device)
        spent[size] = min(trial.seconds)
    return min(spent, key=spent.__getitem__)


def _ours(folder: Path, device: str, precision: str) -> Callable[[], Callable[[Sequence[Pair]], FloatArray]]:
    def prepare() -> Callable[[Sequence[Pair]], FloatArray]:
        scorer = TorchCrossEncoder(
            folder, CrossSettings(precision=precision, device=device, threads=torch.get_num_threads()), Workbench()
        )
        scorer.score(WARM)
        return scorer.score

    return prepare


WARM = [(f"a query number {i}", " ".join(["some", "words"] * (10 + 4 * i))) for i in range(16)]


def _report(contenders: dict[str, Contender], folder: Path, device: str, pairs: Sequence[Pair]) -> None:
    peak = {precision: matrix_peak(device, dtype) for precision, dtype in PRECISIONS.items()}
    whole, trimmed = _operations(folder, device, pairs)
    reference, loop = contenders["st fp32"], contenders["loop"]
    best = max(contenders["st fp32"], contenders["st bf16"], key=lambda each: each.rate)
    rows = []
    for each in contenders.values():
        apart, changed = _differences(each.scores, reference.scores[: len(each.scores)])
        share = each.rate * (trimmed if each.name == OURS else whole) / len(pairs) / peak[each.precision]
        ratios = (each.rate / loop.rate, each.rate / reference.rate, each.rate / best.rate)
        busy = len(each.pairs) / min(each.processor_seconds)
        rows.append((each.name, each.precision, each.rate, *ratios, busy, f"{share:.1%}", f"{apart:.1e}", changed))
    show(
        f"Scoring {len(pairs):,} pairs end to end on {device}, texts to scores, best of {len(loop.seconds)}",
        (
            "",
            "",
            "pairs/s",
            "x loop",
            "x st fp32",
            "x best st",
            "/cpu s",
            "of peak",
            "largest diff",
            "verdicts changed",
        ),
        rows,
    )
    print(
        f"Matrix peak measured here: fp32 {peak['fp32'] / 1e12:.3g}, bf16 {peak['bf16'] / 1e12:.3g} TFLOP/s; "
        f"{whole / len(pairs) / 1e9:.3g} GFLOP a pair without padding, {trimmed / len(pairs) / 1e9:.3g} as ours runs it. "
        f"Differences are to sentence-transformers in fp32; a verdict is which of two documents is first ({len(pairs) // 2:,})."
    )
    _targets(device, contenders, best)


def _targets(device: str, contenders: dict[str, Contender], best: Contender) -> None:
    loop, library = contenders["loop"].rate, contenders["st fp32"].rate
    full, half = contenders["fp32"].rate, contenders["bf16"].rate
    if device == "cuda":
        target("ours bf16 to the best of sentence-transformers", half / best.rate, 3, at_most=False)
        target("the same, goal", half / best.rate, 5, at_most=False)
        return
    target("ours fp32 to the loop", full / loop, 1.0, at_most=False)
    target("ours fp32 to sentence-transformers fp32", full / library, 1.0, at_most=False)
    target("ours bf16 to the loop", half / loop, 1.5, at_most=False)
    target("ours bf16 to sentence-transformers fp32", half / library, 1.3, at_most=False)


def _differences(scores: FloatArray, reference: FloatArray) -> tuple[float, int]:
    verdicts = [values[0::2] > values[1::2] for values in (scores, reference)]
    return float(np.abs(scores - reference).max()), int((verdicts[0] != verdicts[1]).sum())


def _rerun(folder: Path, device: str, pairs: Sequence[Pair], cache: Path) -> None:
    """The same run twice over one cache: the second must not compute a batch."""
    options = CrossSettings(device=device)
    for turn in ("with an empty cache", "again, from the cache"):
        scorer = TorchCrossEncoder(folder, options, Workbench(cache=cache))
        batches: list[int] = []
        scorer.classifier.model.register_forward_hook(lambda *_, seen=batches: seen.append(1))
        start = time.perf_counter()
        scorer.score(pairs)
        print(f"ours fp32 {turn}: {cell(time.perf_counter() - start)} s, {len(batches):,} batches computed")


def _operations(folder: Path, device: str, pairs: Sequence[Pair]) -> tuple[float, float]:
    """Additions and multiplications over the pairs' own tokens: of the whole model, and of what our scorer leaves of it."""
    classifier = TorchCrossEncoder(folder, CrossSettings(device=device), Workbench()).classifier
    layers, size = classifier.model.base_model.encoder.layer, classifier.model.config.hidden_size
    weights = sum(part.weight.numel() for part in layers[-1].modules() if isinstance(part, torch.nn.Linear))
    lengths = np.array(classifier.tokenization.lengths(pairs), dtype=np.float64)
    tokens, attended = lengths.sum(), (lengths**2).sum()
    whole = len(layers) * (2 * weights * tokens + 4 * size * attended)
    if not classifier.first_token_only:
        return float(whole), float(whole)
    # Keys and values are of all tokens; everything else in the last layer is of the first one.
    spared = 2 * (weights - 2 * size**2) * (tokens - len(pairs)) + 4 * size * (attended - tokens)
    return float(whole), float(whole - spared)


if __name__ == "__main__":
    main()
