"""Texts as a tokenizer reads them: each is read once, and its tokens serve to plan batches, to fill them and to see what is cut."""

# The libraries take seconds to import, and a wrong name is told without them.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.models.torch.alike import mark_of

if TYPE_CHECKING:
    import torch

_REMEMBERED = 200_000  # texts; a corpus may have millions, which are read a part at a time


class Extent(NamedTuple):
    """How large a text is for a model."""

    ids: npt.NDArray[np.int32]
    """Of its tokens, after cutting, prompt and special tokens included."""
    tokens: int
    """How many there are, with those that a query is filled up with."""
    visible: int
    """Characters of the text that are read."""
    mark: bytes
    """Equal for texts that are read alike."""


@dataclass(frozen=True)
class TokenizerSetup:
    """How texts are read in one role."""

    tokenizer: Any
    prompt: str
    limit: int | None
    """The most tokens that are read; None if there is no limit."""
    least: int
    """Tokens that shorter texts are filled up to."""


class TextTokens:
    """The tokens of the texts that were asked for last."""

    def __init__(self, reading: TokenizerSetup) -> None:
        self._reading = reading
        self._known: dict[str, Extent] = {}

    def extents(self, texts: Sequence[str]) -> list[Extent]:
        """The size of each text."""
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._read(new), strict=True))
        return [self._known[text] for text in texts]

    def padded(self, texts: Sequence[str]) -> dict[str, torch.Tensor]:
        """What a tokenizer makes of a batch: ids, which of them count, and types where it knows any."""
        import torch

        rows = [extent.ids for extent in self.extents(texts)]
        tokenizer = self._reading.tokenizer
        shape = len(rows), max(len(row) for row in rows)
        ids = np.full(shape, tokenizer.pad_token_id or 0, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for number, row in enumerate(rows):
            place = slice(shape[1] - len(row), None) if tokenizer.padding_side == "left" else slice(len(row))
            ids[number, place] = row
            mask[number, place] = 1
        arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros(shape, dtype=np.int64)}
        return {name: torch.from_numpy(array) for name, array in arrays.items() if name in tokenizer.model_input_names}

    def _read(self, texts: Sequence[str]) -> list[Extent]:
        how = self._reading
        found = self._tokens([how.prompt + text for text in texts])["input_ids"]
        cut = [i for i, ids in enumerate(found) if how.limit is not None and len(ids) >= how.limit]
        visible = dict(zip(cut, self._visible([texts[i] for i in cut]), strict=True))
        return [
            Extent(
                np.array(ids, dtype=np.int32),
                max(len(ids), how.least),
                visible.get(i, len(text)),
                mark_of(ids),
            )
            for i, (text, ids) in enumerate(zip(texts, found, strict=True))
        ]

    def _visible(self, texts: Sequence[str]) -> list[int]:
        """Of texts that may have been cut; what is not read may be nothing but space, and then all is read."""
        if not texts:
            return []
        how = self._reading
        left = how.tokenizer.truncation_side == "left"
        offsets = self._tokens([how.prompt + text for text in texts], return_offsets_mapping=True)["offset_mapping"]
        parts = [
            _part_read(text, places, len(how.prompt), left=left) for text, places in zip(texts, offsets, strict=True)
        ]
        rests = how.tokenizer([part.rest for part in parts], add_special_tokens=False, truncation=True, max_length=1)
        return [
            part.visible if rest else len(text)
            for text, part, rest in zip(texts, parts, rests["input_ids"], strict=True)
        ]

    def _tokens(self, texts: Sequence[str], **options: bool) -> Any:  # noqa: ANN401 - whatever the library calls it
        limit = self._reading.limit
        return self._reading.tokenizer(
            texts,
            truncation=limit is not None,
            max_length=limit,
            return_attention_mask=False,
            return_token_type_ids=False,
            **options,
        )


class _Part(NamedTuple):
    visible: int
    rest: str


def _part_read(text: str, offsets: Sequence[tuple[int, int]], prompt: int, *, left: bool) -> _Part:
    """How many characters lie between the cut and the other end of a text, which stands behind a prompt; and the rest."""
    real = [(start, end) for start, end in offsets if end > start]  # special tokens stand for no character
    if left:
        start = max(0, min((start for start, _ in real), default=prompt + len(text)) - prompt)
        return _Part(len(text) - start, text[:start])
    end = max(0, max((end for _, end in real), default=0) - prompt)
    return _Part(end, text[end:])
