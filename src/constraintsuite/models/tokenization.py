"""A model's own tokenizer: each distinct text is tokenised once, and pairs are built from these tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic_core import from_json
from tokenizers import Encoding, Tokenizer

from constraintsuite.core.errors import UserError

IntArray = npt.NDArray[np.int64]
T = TypeVar("T", bound=Hashable)
TokenizerInput = tuple[str, ...]
"""A text, or a query and a text."""
_BLOCK_TEXTS = 4_096  # texts per call of the tokenizer, whose results need much more memory than the ids


class TokenBatch(NamedTuple):
    """The inputs of a transformer, padded to the longest item: (items, tokens) each."""

    input_ids: IntArray
    attention_mask: IntArray
    token_type_ids: IntArray


@dataclass(frozen=True)
class Padding:
    """The token and type that fill up shorter items, and on which side."""

    token: int = 0
    type: int = 0
    left: bool = False


class Slot(NamedTuple):
    """One element of the frame of an item: a special token, or a part of the item."""

    token: int
    type: int
    part: int | None = None
    """The number of the part; None for a special token."""


class Tokenization:
    """Tokenises texts and pairs, and cuts them as transformers does: the longer part of a pair loses tokens first.

    Parts lose their last tokens; with `cut_left` they lose their first, and `visible` counts from the end of the text.
    """

    def __init__(
        self, tokenizer: Tokenizer, max_length: int, padding: Padding | None = None, *, cut_left: bool = False
    ) -> None:
        # One copy tokenises single texts; the other one builds complete items, as a reference.
        self._reader = plain_copy(tokenizer)
        self._joiner = Tokenizer.from_str(self._reader.to_str())
        self._joiner.enable_truncation(max_length, strategy="longest_first", direction="left" if cut_left else "right")
        self.max_length = max_length
        self.padding = padding or _own_padding(tokenizer)
        self.cut_left = cut_left
        self._special = {n: self._joiner.num_special_tokens_to_add(is_pair=n == 2) for n in (1, 2)}
        self._read: dict[str, int] = {}  # text: its number
        self._starts = self._counts = np.empty(
            0, dtype=np.int64
        )  # by number: where its tokens start, and how many there are
        self._tokens = np.zeros(1, dtype=np.int64)  # of all texts in one row, after one that stands for special tokens
        self._frames: dict[int, tuple[Slot, ...] | None] = {}

    def read(self, texts: Iterable[str]) -> None:
        """Tokenise new texts, on all cores."""
        new = [text for text in dict.fromkeys(texts) if text not in self._read]
        found: list[IntArray] = []
        for start in range(0, len(new), _BLOCK_TEXTS):
            encodings = self._reader.encode_batch_fast(new[start : start + _BLOCK_TEXTS], add_special_tokens=False)
            found += [np.array(encoding.ids, dtype=np.int64) for encoding in encodings]
        if new:
            counts = np.array([len(ids) for ids in found], dtype=np.int64)
            self._starts = np.concatenate([self._starts, len(self._tokens) + np.cumsum(counts) - counts])
            self._counts = np.concatenate([self._counts, counts])
            self._tokens = np.concatenate([self._tokens, *found])
            self._read.update(zip(new, range(len(self._read), len(self._counts)), strict=True))

    def lengths(self, items: Sequence[TokenizerInput]) -> list[int]:
        """The number of tokens of each item, with special ones, after cutting."""
        self.read(text for item in items for text in item)
        counts, read = self._counts.tolist(), self._read
        whole = [sum([counts[read[text]] for text in item]) + self._special[len(item)] for item in items]
        return [min(self.max_length, length) for length in whole]

    def batch(self, items: Sequence[TokenizerInput]) -> TokenBatch:
        """The tokens of the items as arrays, cut and padded."""
        parts = len(items[0])
        if parts not in self._frames:
            self._frames[parts] = self._find_frame(parts)
        frame = self._frames[parts]
        if frame is None or any(len(item) != parts for item in items):
            return self._joined(items)
        return self._framed(items, frame)

    def encodings(self, items: Sequence[TokenizerInput]) -> list[Encoding]:
        """The items built and cut by the tokenizer itself, with the place of each token in its text."""
        return self._joiner.encode_batch([item[0] if len(item) == 1 else item for item in items])

    def visible(self, items: Sequence[TokenizerInput]) -> IntArray:
        """How many characters of each item's last text remain after cutting."""
        lengths = self.lengths(items)
        cut = [item for item, length in zip(items, lengths, strict=True) if length == self.max_length]
        kept = dict(zip(cut, (self._visible(item) for item in cut), strict=True))
        return np.array([kept.get(item, len(item[-1])) for item in items], dtype=np.int64)

    def marks(self, items: Sequence[TokenizerInput]) -> list[bytes]:
        """A hash of each item's tokens after cutting."""
        places = self._places(items)
        kept = self._kept(places)
        starts = self._starts[places] + (self._counts[places] - kept if self.cut_left else 0)
        return [
            mark_of(*(self._tokens[start : start + count] for start, count in zip(*parts, strict=True)))
            for parts in zip(starts.tolist(), kept.tolist(), strict=True)
        ]

    def _visible(self, item: TokenizerInput) -> int:
        place = self._places([item])
        tokens, left = int(self._counts[place[0, -1]]), int(self._kept(place)[0, -1])
        if left == tokens:
            return len(item[-1])
        if left == 0:
            return 0
        places = self._reader.encode(item[-1], add_special_tokens=False).offsets
        if self.cut_left:
            return len(item[-1]) - min(start for start, _ in places[tokens - left :])
        return max(end for _, end in places[:left])

    def _places(self, items: Sequence[TokenizerInput]) -> IntArray:
        """The numbers of the texts of each item: (items, parts)."""
        self.read(text for item in items for text in item)
        return np.array([[self._read[text] for text in item] for item in items], dtype=np.int64)

    def _kept(self, places: IntArray) -> IntArray:
        """The number of tokens of each part after cutting: (items, parts)."""
        counts = self._counts[places]
        room = max(0, self.max_length - self._special[counts.shape[1]])
        if counts.shape[1] == 1:
            return np.minimum(counts, room)
        # The shorter part is not cut while it takes at most half of the room; an odd token goes to the longer part.
        small = np.minimum(counts.min(axis=1), room // 2)
        large = np.minimum(counts.max(axis=1), room - small)
        first_is_longer = counts[:, 0] > counts[:, 1]
        return np.stack([np.where(first_is_longer, large, small), np.where(first_is_longer, small, large)], axis=1)

    def _framed(self, items: Sequence[TokenizerInput], frame: Sequence[Slot]) -> TokenBatch:
        """The batch built from known tokens, without a loop over items."""
        places = self._places(items)
        kept = self._kept(places)
        origins = self._starts[places] + (self._counts[places] - kept if self.cut_left else 0)
        widths = np.ones((len(items), len(frame)), dtype=np.int64)
        sources = np.zeros_like(widths)
        for column, slot in enumerate(frame):
            if slot.part is not None:
                widths[:, column], sources[:, column] = kept[:, slot.part], origins[:, slot.part]
        ends = np.cumsum(widths).reshape(widths.shape)
        shifts = np.repeat((sources - ends + widths).ravel(), widths.ravel())
        ids = self._tokens[np.arange(len(shifts)) + shifts]
        for column, slot in enumerate(frame):
            if slot.part is None:
                ids[ends[:, column] - 1] = slot.token
        types = np.repeat(np.tile([slot.type for slot in frame], len(items)), widths.ravel())
        return pad_tokens(ids, types, widths.sum(axis=1), self.padding)

    def _joined(self, items: Sequence[TokenizerInput]) -> TokenBatch:
        """The batch built by the tokenizer itself: always right, but it tokenises every text again."""
        encodings = self.encodings(items)
        ids = np.concatenate([np.array(encoding.ids, dtype=np.int64) for encoding in encodings])
        types = np.concatenate([np.array(encoding.type_ids, dtype=np.int64) for encoding in encodings])
        return pad_tokens(ids, types, np.array([len(encoding) for encoding in encodings]), self.padding)

    def _find_frame(self, parts: int) -> tuple[Slot, ...] | None:
        """The frame of special tokens around items; None if a trial shows that the tokenizer does anything else."""
        example = self._joiner.encode("a", "b c" if parts == 2 else None)
        frame: list[Slot] = []
        for token, kind, part in zip(example.ids, example.type_ids, example.sequence_ids, strict=True):
            slot = Slot(token if part is None else -1, kind, part)
            if part is None or not frame or frame[-1] != slot:
                frame.append(slot)
        if [slot.part for slot in frame if slot.part is not None] != list(range(parts)):
            return None
        long = "a b c " * min(self.max_length, 1_024)
        trials = list(product(("", "a", "b c", long), repeat=parts))
        same = all(map(np.array_equal, self._framed(trials, frame), self._joined(trials)))
        return tuple(frame) if same else None


def plain_copy(tokenizer: Tokenizer) -> Tokenizer:
    """A copy of a tokenizer that neither cuts nor pads."""
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy


def pad_tokens(ids: IntArray, types: IntArray, lengths: IntArray, padding: Padding) -> TokenBatch:
    """A padded batch from the tokens of all items in one row, and the length of each item."""
    longest = int(lengths.max())
    shape = (len(lengths), longest)
    if len(ids) == shape[0] * longest:
        return TokenBatch(ids.reshape(shape), np.ones(shape, dtype=np.int64), types.reshape(shape))
    places = np.arange(longest)
    filled = places >= (longest - lengths)[:, None] if padding.left else places < lengths[:, None]
    batch = TokenBatch(
        np.full(shape, padding.token, dtype=np.int64),
        filled.astype(np.int64),
        np.full(shape, padding.type, dtype=np.int64),
    )
    batch.input_ids[filled] = ids
    batch.token_type_ids[filled] = types
    return batch


def mark_of(*parts: IntArray) -> bytes:
    """A hash of the tokens of an item."""
    mark = hashlib.sha256()
    for tokens in parts:
        mark.update(len(tokens).to_bytes(8) + tokens.tobytes())
    return mark.digest()


def first_alike(items: Sequence[T], marks: Sequence[bytes]) -> dict[T, T]:
    """For each item the first one with the same mark, which may be itself.

    The same tokens in two rows of a batch can give results that differ in their last bits. So they are computed once: items that a
    model cannot tell apart must be a tie.
    """
    first: dict[bytes, T] = {}
    return {item: first.setdefault(mark, item) for item, mark in zip(items, marks, strict=True)}


def cuts_left(folder: Path) -> bool:
    """Whether the tokenizer of a folder cuts the beginning of long texts, from the files that transformers reads."""
    config, own = folder / "tokenizer_config.json", folder / "tokenizer.json"
    side = read_mapping(config).get("truncation_side")
    if isinstance(side, str):
        return side == "left"
    # Parsing a large vocabulary takes long, and hardly any file has this word.
    if not own.is_file() or b'"Left"' not in own.read_bytes():
        return False
    truncation = read_mapping(own).get("truncation")
    return isinstance(truncation, dict) and truncation.get("direction") == "Left"


def read_mapping(file: Path) -> Mapping[str, object]:
    """A configuration file of a model; empty if it does not exist or is not a JSON object."""
    try:
        content: object = from_json(file.read_bytes()) if file.is_file() else {}
    except ValueError as error:
        raise UserError(f"{file}: this is not JSON ({error}). Fetch the model again.") from None
    return content if isinstance(content, dict) else {}


def _own_padding(tokenizer: Tokenizer) -> Padding:
    own = tokenizer.padding
    if own is None:
        return Padding()
    return Padding(own["pad_id"], own["pad_type_id"], own["direction"] == "left")
