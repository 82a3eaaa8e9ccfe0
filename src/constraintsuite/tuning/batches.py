"""The batches of a training: which lists are in which step, and the tokens of their texts.

Lists are shuffled, but lists of similar length are batched together, so that there is little padding. The texts of a task are
tokenised once: the losses of sentence-transformers would tokenise their pairs in every step, which takes longer than the
computation of a small model.
"""

# torch takes seconds to import, and a wrong recipe is reported without it.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.models.tokenization import Padding, Tokenization, TokenizerInput
from constraintsuite.models.torch.loader import load_tokenizer
from constraintsuite.tuning.lists import Lists
from constraintsuite.tuning.losses import TextList

if TYPE_CHECKING:
    import torch

Features = dict[str, Any]
"""Tensors by name, and other values that the library adds to a batch."""
Preprocess = Callable[..., Features]
PAIRS: tuple[tuple[str, str], ...] = (
    ("soup without nuts", "A soup of leeks."),
    ("", "word " * 600),
    ("a query, with punctuation?", ""),
)
TEXTS = tuple(text for _, text in PAIRS)
_POOL = 32  # steps whose lists are sorted by length among themselves


class TrainingStep(NamedTuple):
    """The lists of one step, all of one task."""

    task: str
    rows: Sequence[int]


def plan_steps(
    task: str, rows: Sequence[int], lengths: Sequence[int], batch: int, rng: np.random.Generator
) -> list[TrainingStep]:
    """Steps with every row once, in random order; rows of similar length are batched together."""
    order: npt.NDArray[np.int64] = rng.permutation(np.asarray(rows, dtype=np.int64))
    weights = np.asarray(lengths, dtype=np.int64)
    steps: list[TrainingStep] = []
    for start in range(0, len(order), batch * _POOL):
        pool = order[start : start + batch * _POOL]
        pool = pool[np.argsort(-weights[pool], kind="stable")]
        steps += [TrainingStep(task, pool[i : i + batch].tolist()) for i in range(0, len(pool), batch)]
    return [steps[place] for place in rng.permutation(len(steps))]


def interleave(
    first: Sequence[TrainingStep], others: Sequence[TrainingStep], rng: np.random.Generator
) -> list[TrainingStep]:
    """The steps of two tasks, mixed at random; the steps of each task keep their order."""
    places = np.sort(rng.choice(len(first) + len(others), size=len(others), replace=False))
    waiting, mixed = iter(first), list[TrainingStep]()
    chosen = dict(zip(places.tolist(), others, strict=True))
    for place in range(len(first) + len(others)):
        mixed.append(chosen[place] if place in chosen else next(waiting))
    return mixed


def share_out(wanted: int, sizes: Mapping[str, int]) -> dict[str, int]:
    """How many lists of each earlier task are replayed: equally many, or more of others if a task is too small."""
    shares: dict[str, int] = {}
    for place, name in enumerate(sorted(sizes, key=lambda name: (sizes[name], name))):
        shares[name] = min(sizes[name], round((wanted - sum(shares.values())) / (len(sizes) - place)))
    return shares


def with_texts(lists: Lists, rows: Sequence[int]) -> list[TextList]:
    """The lists of a step with their texts."""
    found = [lists.rows[row] for row in rows]
    return [TextList(lists.texts[row.query], [lists.texts[t] for t in row.texts], row.scores) for row in found]


class TaskTokenizer:
    """The tokenizer of a model, at the length of a task."""

    def __init__(self, folder: Path, length: int) -> None:
        tokenizer = load_tokenizer(folder, trust=False)
        self.length = length
        self.names = tuple(tokenizer.model_input_names)
        self._tokenization = Tokenization(
            tokenizer.backend_tokenizer,
            length,
            Padding(tokenizer.pad_token_id or 0, tokenizer.pad_token_type_id, tokenizer.padding_side == "left"),
            cut_left=tokenizer.truncation_side == "left",
        )

    def lengths(self, items: Sequence[TokenizerInput]) -> list[int]:
        """The number of tokens of each text or pair; all of them are tokenised now, on all cores."""
        return self._tokenization.lengths(items)

    def features(self, items: Sequence[TokenizerInput]) -> dict[str, torch.Tensor]:
        """Texts or pairs as model inputs, padded to the longest."""
        import torch

        batch = self._tokenization.batch(items)._asdict()
        return {name: torch.from_numpy(batch[name]) for name in self.names}

    def preprocessor(self, model: Any, probes: Sequence[Any]) -> Preprocess:  # noqa: ANN401
        """A faster `preprocess` that uses the tokens of this tokenizer.

        If its result for the `probes` differs from the model's own method, that method is returned.
        """
        import torch

        theirs = model.preprocess(list(probes))
        ours = self.features([_item(probe) for probe in probes])
        tensors = {name for name, value in theirs.items() if isinstance(value, torch.Tensor)}
        if tensors != set(ours) or not all(torch.equal(theirs[name], tensor) for name, tensor in ours.items()):
            library: Preprocess = model.preprocess
            return library
        added = {name: value for name, value in theirs.items() if name not in ours}

        def preprocess(inputs: Sequence[Any], prompt: str | None = None, task: str | None = None) -> Features:
            return {**self.features([_item(one) for one in inputs]), **added}

        return preprocess


def _item(value: str | Sequence[str]) -> TokenizerInput:
    return (value,) if isinstance(value, str) else tuple(value)
