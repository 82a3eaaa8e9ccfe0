"""Make a smaller BERT from a larger one: fewer layers, smaller width, only the word pieces that a corpus uses.

Layers of the same width keep their weights; with a smaller inner width, their strongest inner neurons. In a narrower model the
words keep the main directions of their vectors, and layers are initialised again, with heads that attend to equal words: a
reranker must first see the words of the query in the text.
"""

# torch takes seconds to import, and a wrong recipe is reported without it.
# ruff: noqa: PLC0415

from __future__ import annotations

import copy
import json
import string
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.tuning.recipe import ShrinkSettings

if TYPE_CHECKING:
    import torch

_FAMILIES = ("bert",)
_INNER = "intermediate.dense.weight"
_CHARACTERS = frozenset(string.ascii_letters + string.digits)
_AT_ONCE = 4_096


def shrink(model: Any, tokenizer: Any, settings: ShrinkSettings) -> tuple[Any, Any]:  # noqa: ANN401
    """The smaller classifier and its tokenizer. Raises UserError if the model is not of the BERT family."""
    if model.config.model_type not in _FAMILIES:
        raise UserError(
            f"shrink: a {model.config.model_type} cannot be made smaller here, only {', '.join(_FAMILIES)}."
        )
    kept = _choose_pieces(tokenizer, settings) if settings.vocabulary else None
    config = _smaller(model.config, settings, len(kept) if kept is not None else model.config.vocab_size)
    if kept is not None and config.pad_token_id is not None:
        config.pad_token_id = kept.index(config.pad_token_id)
    small = type(model)(config)
    weights = _rows(model.state_dict(), kept, settings.positions)
    if config.hidden_size != model.config.hidden_size:
        small.load_state_dict(_narrowed(weights, small))
    else:
        small.load_state_dict(_fewer_neurons(_fewer_layers(weights, model, small), config))
    return small, tokenizer if kept is None else _cut_tokenizer(tokenizer, kept)


def _smaller(config: Any, settings: ShrinkSettings, vocabulary: int) -> Any:  # noqa: ANN401
    hidden = settings.hidden or config.hidden_size
    width = config.hidden_size // config.num_attention_heads
    heads = settings.heads or max(1, hidden // width)
    if hidden > config.hidden_size or hidden % heads:
        raise UserError(
            f"shrink: a width of {hidden} in {heads} heads is not possible with a model {config.hidden_size} wide."
        )
    if hidden < config.hidden_size and vocabulary < hidden:
        raise UserError(
            f"shrink: {vocabulary} word pieces have no {hidden} main directions. Keep more, or take a smaller width."
        )
    inner = settings.inner or config.intermediate_size * hidden // config.hidden_size
    if inner > config.intermediate_size:
        raise UserError(
            f"shrink: inside its layers the model is {config.intermediate_size} wide; {inner} is not smaller."
        )
    changed = copy.deepcopy(config)
    changed.hidden_size, changed.num_attention_heads, changed.vocab_size = hidden, heads, vocabulary
    changed.intermediate_size = inner
    changed.num_hidden_layers = min(settings.layers or config.num_hidden_layers, config.num_hidden_layers)
    changed.max_position_embeddings = min(
        settings.positions or config.max_position_embeddings, config.max_position_embeddings
    )
    return changed


def _rows(
    weights: Mapping[str, torch.Tensor], kept: list[int] | None, positions: int | None
) -> dict[str, torch.Tensor]:
    """The weights with only the kept rows of words and positions."""
    chosen = dict(weights)
    for name, tensor in weights.items():
        if name.endswith("word_embeddings.weight") and kept is not None:
            chosen[name] = tensor[kept]
        elif name.endswith("position_embeddings.weight") and positions is not None:
            chosen[name] = tensor[:positions]
        elif name.endswith("position_ids") and positions is not None:
            chosen[name] = tensor[:, :positions]
    return chosen


def _fewer_layers(weights: Mapping[str, torch.Tensor], model: Any, small: Any) -> dict[str, torch.Tensor]:  # noqa: ANN401
    """The weights of evenly spaced layers, including the last, under their new numbers."""
    many, few = model.config.num_hidden_layers, small.config.num_hidden_layers
    chosen = [many - 1] if few == 1 else [round(n * (many - 1) / (few - 1)) for n in range(few)]
    result = {}
    for name, tensor in weights.items():
        before, layer, after = _layer_of(name)
        if layer is None:
            result[name] = tensor
        else:
            result |= {f"{before}{new}{after}": tensor for new, old in enumerate(chosen) if old == layer}
    return result


def _layer_of(name: str) -> tuple[str, int | None, str]:
    before, found, rest = name.partition(".layer.")
    if not found:
        return name, None, ""
    number, _, after = rest.partition(".")
    return f"{before}.layer.", int(number), f".{after}"


def _fewer_neurons(weights: Mapping[str, torch.Tensor], config: Any) -> dict[str, torch.Tensor]:  # noqa: ANN401
    """The weights with only the inner neurons whose norms, of input times output weights, are largest."""
    result = dict(weights)
    for name in weights:
        if not name.endswith(_INNER):
            continue
        layer = name.removesuffix(_INNER)
        bias, out = f"{layer}intermediate.dense.bias", f"{layer}output.dense.weight"
        strength = weights[name].norm(dim=1) * weights[out].norm(dim=0)
        chosen = strength.argsort(descending=True, stable=True)[: config.intermediate_size].sort().values
        result |= {name: weights[name][chosen], bias: weights[bias][chosen], out: weights[out][:, chosen]}
    return result


def _narrowed(weights: Mapping[str, torch.Tensor], small: Any) -> dict[str, torch.Tensor]:  # noqa: ANN401
    """Embeddings projected onto the main directions of the words; everything else is initialised."""
    import torch

    result = dict(small.state_dict())
    words = next(tensor for name, tensor in weights.items() if name.endswith("word_embeddings.weight"))
    mean = words.mean(dim=0)
    _, _, directions = torch.linalg.svd(words - mean, full_matrices=False)
    for name, tensor in small.state_dict().items():
        if name.endswith("_embeddings.weight"):
            source = weights[name] - mean if name.endswith("word_embeddings.weight") else weights[name]
            result[name] = source @ directions[: small.config.hidden_size].T
        elif name.endswith("attention.self.query.weight"):
            # Orthogonal rows: the query of a word is close to its own key, and far from those of others.
            rows: torch.Tensor = torch.linalg.qr(torch.randn_like(tensor)).Q
            result[name] = result[name.replace("query", "key")] = rows
    return result


def _choose_pieces(tokenizer: Any, settings: ShrinkSettings) -> list[int]:  # noqa: ANN401
    """Ids of the kept pieces, in order: special ones, letters, digits and punctuation, and the most frequent others."""
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


def _cut_tokenizer(tokenizer: Any, kept: list[int]) -> Any:  # noqa: ANN401
    """The tokenizer with only these pieces, renumbered."""
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
    """The post-processor, which adds special tokens, with new numbers; there are two formats."""
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
    """Remove the list of special tokens with old numbers; the tokenizer file has the new ones."""
    content = json.loads(file.read_text(encoding="utf-8"))
    content.pop("added_tokens_decoder", None)
    file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _texts(source: str) -> Iterator[str]:
    for document in open_source(SourceSettings(source=source)).documents(BadRows()):
        yield f"{document.title} {document.text}"


def _blocks(texts: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(texts, _AT_ONCE)):
        yield block
