"""Reading ahead: the texts of a task are tokenised once, all together; batches are put together from what was read.

The losses of sentence-transformers tokenise their pairs in every step, which takes longer than a small model computes.
"""

# torch takes seconds to import, and a wrong recipe is told without it.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constraintsuite.models.tokenization import Padding, Tokenization, TokenizerInput
from constraintsuite.models.torch.loading import load_tokenizer

if TYPE_CHECKING:
    import torch

Features = dict[str, Any]
"""Tensors by name, and what else the library adds to a batch."""
Preprocess = Callable[..., Features]
PAIRS: tuple[tuple[str, str], ...] = (
    ("soup without nuts", "A soup of leeks."),
    ("", "word " * 600),
    ("a query, with punctuation?", ""),
)
TEXTS = tuple(text for _, text in PAIRS)


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
        """Tokens of each text or pair; all texts are read now, on all cores."""
        return self._tokenization.lengths(items)

    def features(self, items: Sequence[TokenizerInput]) -> dict[str, torch.Tensor]:
        """Texts or pairs as a model takes them, padded to the longest."""
        import torch

        batch = self._tokenization.batch(items)._asdict()
        return {name: torch.from_numpy(batch[name]) for name in self.names}

    def preprocessor(self, model: Any, probes: Sequence[Any]) -> Preprocess:  # noqa: ANN401
        """What makes inputs of texts or pairs as the model's own `preprocess` does, from what was read.

        Tried on a few texts or pairs: where the library makes something else of them, it is left to it.
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
