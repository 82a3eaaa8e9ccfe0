"""Language models that rank a list of passages, at any OpenAI-compatible chat endpoint."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.http.errors import BadAnswerError
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.models.base import ModelFact, Pair, Scorer, Workbench
from constraintsuite.models.http.address import RemoteSettings, check_address
from constraintsuite.models.http.client import Body, Client, QueryTexts, ServerReply, group_by_query, model_of, part_of
from constraintsuite.models.model_names import ModelName

_NUMBER = r"(?<!\d)\d{1,6}(?!\d)"
_ITEM = rf"\[\s*{_NUMBER}\s*\]"
_CHAIN = re.compile(rf"{_ITEM}(?:\s*>\s*{_ITEM})*|{_NUMBER}(?:\s*>\s*{_NUMBER})+", re.ASCII)
_THOUGHT = "</think>"  # the answer comes after it


class ListwiseSettings(RemoteSettings):
    """The options of `listwise`."""

    url: str = Field(description="base address of the server, as in http://localhost:8000/v1")
    window: int = Field(20, ge=2, description="passages shown at a time")
    step: int | None = Field(None, ge=1, description="how far the window moves up a longer list, by default half of it")
    repair: bool = Field(False, description="yes adds passages that an answer left out, in the order they were shown")
    temperature: float | Literal["none"] = Field(0.0, description="none leaves it to the server, as some models demand")
    seed: int = Field(0, ge=0, description="asked for with each request")
    max_tokens: int | None = Field(None, ge=1, description="longest answer, by default the server's own limit")

    @model_validator(mode="after")
    def _windows_overlap(self) -> ListwiseSettings:
        if self.moves >= self.window:
            raise ValueError("step must be smaller than window, else no passage could pass from one to the next")
        return self

    @property
    def moves(self) -> int:
        """By how many passages the window moves."""
        return self.step or self.window // 2


class Ranked(NamedTuple):
    """The texts, best first, and whether each answer for the ranking could be read."""

    texts: list[str]
    answers: tuple[Literal["complete", "repaired", "unparsable"], ...]


def make_listwise(name: ModelName, bench: Workbench) -> Scorer:
    """Make the scorer that `listwise:MODEL,url=BASE_ADDRESS` names."""
    settings = name.settings(ListwiseSettings)
    if not name.argument:
        raise UserError(f"Model {name.head!r}: say which model the server is asked for: listwise:MODEL,url=ADDRESS")
    base = check_address(name, settings.url).rstrip("/")
    url = base if base.endswith("/chat/completions") else f"{base}/chat/completions"
    asked = sha256_text("listwise", url, f"repair={settings.repair}")
    client = Client.connect(name, url, settings, asked, bench)
    return ListwiseScorer(name, settings, client, bench.documents)


class ListwiseScorer:
    """Scores a text by minus its mean rank in two rankings of its query's list, shown in one order and in the reverse.

    Two texts whose ranks swap with the order get the same score, a tie. A score depends on the other texts of the list, so the
    texts of the suite are part of the fingerprint, as for BM25.
    """

    def __init__(self, name: ModelName, settings: ListwiseSettings, client: Client, documents: Sequence[str]) -> None:
        self.name = str(name)
        self._model = name.argument
        self._settings = settings
        self._client = client
        self._bias = PositionBias()
        self._answers: Counter[str] = Counter()
        decisive = [f"{key}={value}" for key, value in settings.model_dump().items() if key in _DECISIVE]
        self.fingerprint = sha256_text(
            "listwise", client.endpoint.url, self._model, *decisive, *prompt().values(), *sorted(set(documents))
        )

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """Minus the mean rank of each text: -1 for the first in both orders."""
        lists = lists_of(pairs)
        shown = [each for ahead in lists for each in (ahead, QueryTexts(ahead.query, ahead.texts[::-1]))]
        sizes = [len(each.texts) for each in shown]
        self._bias = PositionBias()
        ranked = self._client.ask_all(self.name, shown, self._rank, sizes, self._settings.concurrency)
        self._answers = Counter(kind for each in ranked for kind in each.answers)
        scores: dict[Pair, float] = {}
        for ahead, first, second in zip(lists, ranked[::2], ranked[1::2], strict=True):
            places = [{text: place for place, text in enumerate(order, 1)} for order in (first.texts, second.texts)]
            scores |= {(ahead.query, text): -(places[0][text] + places[1][text]) / 2 for text in ahead.texts}
            if len(ahead.texts) <= self._settings.window:
                self._bias.count(ahead.texts, places[0], places[1])
        return np.array([scores[pair] for pair in pairs], dtype=np.float64)

    def describe(self) -> Mapping[str, ModelFact]:
        """The address, the requested model, the model that the server names, and its position bias."""
        return {
            "address": self._client.endpoint.url,
            "model_asked_for": self._model,
            "models_in_answers": self._client.models,
            "temperature": self._settings.temperature,
            "seed": self._settings.seed,
            "window": self._settings.window,
            "step": self._settings.moves,
            "orders": 2,
            "prompt": sha256_text(*prompt().values()),
            "position_bias": self._bias.describe(),
            "answers": {kind: self._answers[kind] for kind in ("complete", "repaired", "unparsable")},
            "cutting": "not known: the server may cut texts without a word",
        }

    def _rank(self, shown: QueryTexts) -> Ranked:
        """Rank a list; one that is longer than the window is ranked from its end upwards, window by window."""
        ranked = Ranked(list(shown.texts), ())
        end = len(shown.texts)
        while end > 1:
            start = max(0, end - self._settings.window)
            part = self._rank_window(shown.query, ranked.texts[start:end])
            ranked.texts[start:end] = part.texts
            ranked = Ranked(ranked.texts, ranked.answers + part.answers)
            end = end - self._settings.moves if start else 0
        return ranked

    def _rank_window(self, query: str, texts: Sequence[str]) -> Ranked:
        def read_complete(answer: object) -> ServerReply:
            ranking = read_ranking(_content(answer), len(texts))
            if ranking is None:
                raise BadAnswerError(f"it does not name each of {len(texts)} passages exactly once", _content(answer))
            return ServerReply(np.array(ranking, dtype=np.float64), model_of(answer))

        def read_partial(answer: object) -> ServerReply:
            found = read_partial_ranking(_content(answer), len(texts))
            return ServerReply(np.array(found, dtype=np.float64), model_of(answer))

        body = self._body(query, texts)
        named = (
            self._client.ask(body, read_complete, read_partial if self._settings.repair else None)
            .values.astype(int)
            .tolist()
        )
        left = [place for place in range(len(texts)) if place not in named]
        kind: Literal["complete", "repaired", "unparsable"] = "repaired" if left else "complete"
        return Ranked([texts[place] for place in (*named, *left)], (kind if named else "unparsable",))

    def _body(self, query: str, texts: Sequence[str]) -> Body:
        chosen: dict[str, ModelFact] = {
            "model": self._model,
            "messages": messages(query, texts),
            "seed": self._settings.seed,
        }
        if self._settings.temperature != "none":
            chosen["temperature"] = self._settings.temperature
        if self._settings.max_tokens is not None:
            chosen["max_tokens"] = self._settings.max_tokens
        return chosen


_DECISIVE = {"window", "step", "repair", "temperature", "seed", "max_tokens"}


class PositionBias:
    """Counts pairs of texts whose order depends on the order in which they were shown."""

    def __init__(self) -> None:
        self.pairs = self.first = self.last = 0

    def count(self, texts: Sequence[str], ahead: Mapping[str, int], reverse: Mapping[str, int]) -> None:
        """Add all pairs of a list in the order of the first request, with the ranks from the first and the reversed request."""
        for one, other in combinations(texts, 2):
            self.pairs += 1
            self.first += ahead[one] < ahead[other] and reverse[other] < reverse[one]
            self.last += ahead[other] < ahead[one] and reverse[one] < reverse[other]

    def describe(self) -> Mapping[str, ModelFact]:
        """The shares of pairs in which the text shown first, or last, won both times; `bias` is their difference."""
        n = self.pairs
        shares = [count / n if n else None for count in (self.first, self.last, self.first - self.last)]
        return dict(zip(("pairs", "first_shown", "last_shown", "bias"), (n, *shares), strict=True))


def lists_of(pairs: Sequence[Pair]) -> list[QueryTexts]:
    """Each distinct query with its distinct texts, in an order that depends only on the texts."""
    return [
        QueryTexts(query, tuple(sorted(texts, key=lambda text: (stable_hash("shown", text), text))))
        for query, texts in group_by_query(pairs).items()
    ]


def _content(answer: object) -> str:
    content = part_of(answer, "choices", "message", "content")
    if not isinstance(content, str):
        raise BadAnswerError("there is no text in it", answer)
    return content


@cache
def prompt() -> dict[str, str]:
    """The templates of the prompt: `system`, `user` and `passage`."""
    return read_package_yaml(dict[str, str], "constraintsuite.models.http", "prompt.yaml")


def messages(query: str, texts: Sequence[str]) -> list[dict[str, str]]:
    """The chat messages that ask for a ranking of the texts, numbered from 1."""
    parts = prompt()
    passages = "\n\n".join(parts["passage"].format(number=number, text=text) for number, text in enumerate(texts, 1))
    question = parts["user"].format(count=len(texts), passages=passages, query=query)
    return [{"role": "system", "content": parts["system"]}, {"role": "user", "content": question}]


def read_ranking(text: str, count: int) -> list[int] | None:
    """The positions of the passages, best first; None unless every passage is named exactly once.

    The last complete ranking counts, since a model may write others before its answer.
    """
    complete = [chain for chain in _chains(text) if sorted(chain) == list(range(count))]
    return complete[-1] if complete else None


def read_partial_ranking(text: str, count: int) -> list[int]:
    """The positions in the longest ranking of the text, without repeated and unknown ones."""
    parts = [[place for place in dict.fromkeys(chain) if 0 <= place < count] for chain in _chains(text)]
    return max(reversed(parts), key=len, default=[])


def _chains(text: str) -> list[list[int]]:
    answer = text.rpartition(_THOUGHT)[2]
    return [[int(digits) - 1 for digits in re.findall(r"\d+", found.group())] for found in _CHAIN.finditer(answer)]
