"""monoT5: the model reads "Query: ... Document: ... Relevant:", and the score is how sure it is that "true" comes next."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field
from tokenizers import Encoding, Tokenizer

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.base import ModelFact, Pair, Scorer, Workbench
from constraintsuite.models.batches import BatchRun
from constraintsuite.models.model_names import ModelName
from constraintsuite.models.tokenization import IntArray, Padding, first_alike, mark_of, pad_tokens, plain_copy
from constraintsuite.models.torch.device import fix_threads, inference, pick_device, pick_dtype
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.loader import load_tokenizer, loading, refuse_missing
from constraintsuite.models.torch.settings import BatchSizes, TorchSettings, fingerprint_of, open_folder
from constraintsuite.models.torch.text_model import describe_folder

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast, T5ForConditionalGeneration

SIZES = BatchSizes(cpu=2_048, cuda=65_536)
"""Tokens in a batch."""
LENGTH = 512
"""The length T5 was trained with, for tokenizers without a limit; T5 has no table of positions that ends there."""
_KINDS = ("t5", "mt5", "umt5")
_AT_ONCE = 1_000


class MonoT5Settings(TorchSettings):
    """The options of `monot5`."""

    tokens: str = Field(
        "true/false", pattern=r"^[^/]+/[^/]+$", description="what the model says of a relevant and of another text"
    )


class Prompt(NamedTuple):
    """The tokens of a pair in the model's prompt."""

    ids: IntArray
    visible: int
    """How many characters of the text remain after cutting."""


def make_monot5(name: ModelName, bench: Workbench) -> Scorer:
    """`monot5:NAME_OR_FOLDER`, a T5 that was trained to say true or false."""
    settings = name.settings(MonoT5Settings)
    folder = open_folder(name.argument, settings, "monot5:")
    kind = folder.json("config.json").get("model_type")
    if kind not in _KINDS:
        raise UserError(f"{folder.path}: monot5: runs models of the kinds {', '.join(_KINDS)}, and this is {kind!r}.")
    return MonoT5Scorer(str(name), folder, settings, bench)


class MonoT5Scorer:
    """The log-probability of "true" against "false" as the first word of the answer."""

    spreadable = True

    def __init__(self, name: str, folder: ModelFolder, settings: MonoT5Settings, bench: Workbench) -> None:
        self.name = name
        self.folder = folder
        self.settings = settings
        self._bench = bench
        self._read: dict[Pair, Prompt] = {}
        self._cut_texts = 0

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that decides a score."""
        return fingerprint_of("monot5", self.folder, self.settings)

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The log-probability of each pair: below zero and never rounded to it, so that two certain answers do not tie."""
        if not pairs:
            return np.empty(0, dtype=np.float64)
        prompts = self._prompts(pairs)
        self._cut_texts = sum(self._read[pair].visible < len(pair[1]) for pair in dict.fromkeys(pairs))
        alike = first_alike(pairs, [mark_of(prompt.ids) for prompt in prompts])
        distinct = {pair: row for row, pair in enumerate(dict.fromkeys(alike.values()))}
        lengths = [len(prompt.ids) for prompt in self._prompts(list(distinct))]
        run = BatchRun("pairs", self, self.fingerprint, _key, SIZES.limits(self.settings), self._bench)
        yes, no = run(list(distinct), lengths).astype(np.float64).T
        scores: npt.NDArray[np.float64] = -np.logaddexp(0.0, no - yes)
        return scores[[distinct[alike[pair]] for pair in pairs]]

    def visible(self, pairs: Sequence[Pair]) -> IntArray:
        """How many characters of each pair's text are read."""
        return np.array([prompt.visible for prompt in self._prompts(pairs)], dtype=np.int64)

    def describe(self) -> Mapping[str, ModelFact]:
        """Facts about the model and how it runs."""
        answers = [self._tokenizer.convert_ids_to_tokens(token) for token in self._answers]
        return {
            **describe_folder(self.folder, self.settings, self._model.device),
            "length": self._length,
            "prompt": _prompt("{query}", "{text}")[0],
            "answers": {"relevant": answers[0], "other": answers[1]},
            **self.describe_counts(self.text_counts()),
        }

    def text_counts(self) -> Mapping[str, int]:
        """The number of pairs whose text is cut."""
        return {"texts_cut": self._cut_texts}

    def describe_counts(self, counts: Mapping[str, int]) -> Mapping[str, ModelFact]:
        """The number of texts that are cut."""
        return {"texts_cut": counts["texts_cut"]}

    def prepare(self, items: Sequence[Pair]) -> list[IntArray]:
        """The tokens of each pair's prompt; `compute` pads them."""
        return [prompt.ids for prompt in self._prompts(items)]

    def compute(self, inputs: list[IntArray]) -> npt.NDArray[np.float32]:
        """The logits of the two answers."""
        import torch

        model = self._model
        ids, lengths = np.concatenate(inputs), np.array([len(tokens) for tokens in inputs])
        padded = pad_tokens(ids, np.zeros_like(ids), lengths, Padding(self._tokenizer.pad_token_id or 0))
        with inference():
            start = torch.full((len(inputs), 1), model.config.decoder_start_token_id, device=model.device)
            read = {"input_ids": padded.input_ids, "attention_mask": padded.attention_mask}
            tensors = {key: torch.from_numpy(array).to(model.device) for key, array in read.items()}
            logits: npt.NDArray[np.float32] = model(**tensors, decoder_input_ids=start).logits[:, 0].cpu().numpy()
        return logits

    def _prompts(self, pairs: Sequence[Pair]) -> list[Prompt]:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._read]
        for first in range(0, len(new), _AT_ONCE):
            some = new[first : first + _AT_ONCE]
            framed = [_prompt(*pair) for pair in some]
            encodings = self._reader.encode_batch([text for text, _ in framed])
            for pair, (_, start), encoding in zip(some, framed, encodings, strict=True):
                self._read[pair] = self._cut(encoding, pair, start)
        return [self._read[pair] for pair in pairs]

    def _cut(self, encoding: Encoding, pair: Pair, start: int) -> Prompt:
        """Cut the end of the text, so that the question after it stays in the prompt."""
        query, text = pair
        ids = np.array(encoding.ids, dtype=np.int64)
        excess = len(ids) - self._length
        if excess <= 0:
            return Prompt(ids, len(text))
        end = start + len(text)
        spans = zip(encoding.offsets, encoding.special_tokens_mask, strict=True)
        inside = [i for i, ((a, b), special) in enumerate(spans) if not special and b > start and a < end]
        if excess >= len(inside):
            raise UserError(
                f"Model {self.name!r}: with the query {query[:80]!r}, nothing of a text fits into {self._length} tokens. "
                "Set a larger length=N."
            )
        last = inside[-excess - 1]
        return Prompt(np.delete(ids, inside[-excess:]), min(len(text), max(0, encoding.offsets[last][1] - start)))

    @cached_property
    def _model(self) -> T5ForConditionalGeneration:
        import torch
        from transformers import AutoModelForSeq2SeqLM

        fix_threads(self.settings.threads)
        path = self.folder.path
        with loading(path):
            model = AutoModelForSeq2SeqLM.from_pretrained(
                path, dtype=pick_dtype(self.settings.precision), use_safetensors=True, local_files_only=True
            )
        refuse_missing(model, path)
        # Only the logits of two words are needed; in fp32, since with the eight bits of bf16 they would become ties.
        head = torch.nn.Linear(model.lm_head.in_features, 2, bias=False)
        head.weight = torch.nn.Parameter(model.lm_head.weight[list(self._answers)].detach().float())
        head.register_forward_pre_hook(lambda _module, inputs: (inputs[0].float(),))
        model.lm_head = head
        return model.to(pick_device(self.settings.device)).eval()

    @cached_property
    def _tokenizer(self) -> PreTrainedTokenizerFast:
        return load_tokenizer(self.folder.path, self.settings.trust)

    @cached_property
    def _reader(self) -> Tokenizer:
        """A copy of the tokenizer that neither cuts nor pads."""
        return plain_copy(self._tokenizer.backend_tokenizer)

    @property
    def _length(self) -> int:
        own = self._tokenizer.model_max_length
        return self.settings.length or (own if own < 1_000_000 else LENGTH)

    @cached_property
    def _answers(self) -> tuple[int, int]:
        """The tokens of the two answers, relevant and not relevant."""
        yes, no = (self._token(word) for word in self.settings.tokens.split("/"))
        return yes, no

    def _token(self, word: str) -> int:
        tokens = self._reader.encode(word, add_special_tokens=False).ids
        if len(tokens) == 1 and tokens[0] != self._tokenizer.unk_token_id:
            return int(tokens[0])
        known = self._reader.token_to_id(word)
        if known is None:
            raise UserError(f"{self.folder.path}: {word!r} is not one token of this model. Say others: tokens=YES/NO.")
        return int(known)


def _prompt(query: str, text: str) -> tuple[str, int]:
    """The prompt, and where the text begins in it."""
    before = f"Query: {query} Document: "
    return f"{before}{text} Relevant:", len(before)


def _key(pair: Pair) -> str:
    return sha256_text(*pair)
