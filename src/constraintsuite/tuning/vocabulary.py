"""A cut vocabulary: the word pieces that a corpus uses most; any other word of plain letters is read in smaller pieces."""

# ruff: noqa: PLC0415 - transformers takes seconds to import

from __future__ import annotations

import json
import string
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.opening import open_source
from constraintsuite.errors import UserError
from constraintsuite.tuning.recipe import ShrinkSettings

_CHARACTERS = frozenset(string.ascii_letters + string.digits)
_AT_ONCE = 4_096


def choose_pieces(tokenizer: Any, settings: ShrinkSettings) -> list[int]:  # noqa: ANN401
    """Ids of the pieces that stay, in their order: special ones, letters and digits, then by how often they occur."""
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    counts: Counter[int] = Counter()
    for source in settings.vocabulary_from:
        for texts in _blocks(_texts(source)):
            for encoding in tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False):
                counts.update(encoding.ids)
    kept = {*tokenizer.all_special_ids}
    kept |= {place for piece, place in vocabulary.items() if piece.removeprefix("##") in _CHARACTERS}
    kept |= {place for piece, place in vocabulary.items() if len(piece) == 1 and piece in string.punctuation}
    wanted = settings.vocabulary or 0
    if len(kept) > wanted:
        raise UserError(f"shrink: a vocabulary of {wanted} is too small: {len(kept)} are letters, digits and marks.")
    frequent = (place for place, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if place not in kept)
    return sorted({*kept, *islice(frequent, wanted - len(kept))})


def cut_tokenizer(tokenizer: Any, kept: list[int]) -> Any:  # noqa: ANN401
    """The tokenizer with these pieces only, numbered anew."""
    from transformers import AutoTokenizer

    new = {old: number for number, old in enumerate(kept)}
    with tempfile.TemporaryDirectory() as scratch:
        tokenizer.save_pretrained(scratch)
        file = Path(scratch) / "tokenizer.json"
        content = json.loads(file.read_text(encoding="utf-8"))
        model = content["model"]
        if model["type"] != "WordPiece":
            raise UserError(
                f"shrink: the vocabulary of a {model['type']} tokenizer cannot be cut here, only of WordPiece."
            )
        model["vocab"] = {piece: new[place] for piece, place in model["vocab"].items() if place in new}
        content["added_tokens"] = [{**t, "id": new[t["id"]]} for t in content["added_tokens"] if t["id"] in new]
        content["post_processor"] = _renumbered(content["post_processor"], new)
        content["padding"] = content["truncation"] = None
        file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        _forget_numbers(Path(scratch) / "tokenizer_config.json")
        (Path(scratch) / "vocab.txt").unlink(missing_ok=True)
        return AutoTokenizer.from_pretrained(scratch, local_files_only=True)


def _renumbered(processor: Any, new: dict[int, int]) -> Any:  # noqa: ANN401
    """What puts special tokens around texts, with their new numbers: two forms are in use."""
    if processor["type"] == "TemplateProcessing":
        tokens = processor["special_tokens"]
        return {
            **processor,
            "special_tokens": {
                name: {**token, "ids": [new[i] for i in token["ids"]]} for name, token in tokens.items()
            },
        }
    return {**processor, **{side: [processor[side][0], new[processor[side][1]]] for side in ("sep", "cls")}}


def _forget_numbers(file: Path) -> None:
    """Older configurations list special tokens by their old numbers; those of the tokenizer itself count."""
    content = json.loads(file.read_text(encoding="utf-8"))
    content.pop("added_tokens_decoder", None)
    file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _texts(source: str) -> Iterator[str]:
    for document in open_source(SourceSettings(source=source)).documents(BadRows()):
        yield f"{document.title} {document.text}"


def _blocks(texts: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(texts, _AT_ONCE)):
        yield block
