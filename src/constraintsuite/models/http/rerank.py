"""Rerankers over HTTP, in the wire formats of Cohere, Jina and text-embeddings-inference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.http.errors import BadAnswerError, RefusalError
from constraintsuite.models.base import ModelFact, Pair, Scorer, Workbench
from constraintsuite.models.http.address import ServedModelSettings, check_address
from constraintsuite.models.http.client import (
    Body,
    Client,
    QueryTexts,
    ServerReply,
    group_by_query,
    model_of,
    one_number,
    sort_by_index,
)
from constraintsuite.models.http.embeddings import EmbedFormat, make_embeddings
from constraintsuite.models.model_names import ModelName

RerankFormat = Literal["cohere", "jina", "tei"]
_OTHER_FORMAT = {400, 404, 405, 415, 422}  # statuses of servers that do not understand a request


class HttpRerankSettings(ServedModelSettings):
    """The options of `http` for rerankers."""

    format: Literal["auto", RerankFormat] = Field(
        "auto", description="cohere, jina, tei, auto (see docs/remote.md), or of encoders: embeddings, tei-embed"
    )


def make_http(name: ModelName, bench: Workbench) -> Scorer:
    """`http:URL`, the full address of an endpoint."""
    url = check_address(name, name.argument)
    given = dict(name.options).get("format", "auto")
    embeds = given in get_args(EmbedFormat) or (
        given == "auto" and urlsplit(url).path.endswith(("/embeddings", "/embed"))
    )
    return make_embeddings(name, url, bench) if embeds else _make_rerank(name, url, bench)


def _make_rerank(name: ModelName, url: str, bench: Workbench) -> Scorer:
    """The scorer over a rerank endpoint."""
    settings = name.settings(HttpRerankSettings)
    fingerprint = sha256_text(
        "rerank", url, settings.format, settings.model, f"batch={settings.batch}", f"truncate={settings.truncate}"
    )
    return RerankScorer(str(name), settings, Client.connect(name, url, settings, fingerprint, bench), fingerprint)


class RerankScorer:
    """Sends one request per query with its texts, at most `batch` of them."""

    def __init__(self, name: str, settings: HttpRerankSettings, client: Client, fingerprint: str) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self._settings = settings
        self._client = client
        self._format = settings.format if settings.format != "auto" else _format_of(client.endpoint.url)

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The scores of the server, unchanged."""
        requests = requests_of(pairs, self._settings.batch)
        if not requests:
            return np.empty(0, dtype=np.float64)
        if self._format is None:
            self._format = self._find_format(requests[0])
        answers = self._ask(requests, self._format)
        scores = {
            (request.query, text): score
            for request, answer in zip(requests, answers, strict=True)
            for text, score in zip(request.texts, answer.values.tolist(), strict=True)
        }
        return np.array([scores[pair] for pair in pairs], dtype=np.float64)

    def describe(self) -> Mapping[str, ModelFact]:
        """The address, the requested model, and the model that the server names."""
        return {
            "address": self._client.endpoint.url,
            "format": self._format or "auto",
            "model_asked_for": self._settings.model or None,
            "models_in_answers": self._client.models,
            "texts_a_request": self._settings.batch,
            "scores": "raw, as asked for" if self._format == "tei" else "as the server gives them",
            "cutting": _cutting(self._format, self._settings.truncate),
        }

    def _ask(self, requests: Sequence[QueryTexts], kind: RerankFormat) -> list[ServerReply]:
        def ask(request: QueryTexts) -> ServerReply:
            return self._client.ask(BODIES[kind](request, self._settings), lambda answer: read_scores(answer, request))

        sizes = [len(request.texts) for request in requests]
        return self._client.ask_all(self.name, requests, ask, sizes, self._settings.concurrency)

    def _find_format(self, first: QueryTexts) -> RerankFormat:
        """The first format in which the server accepts a request; a cached answer decides without asking."""
        tried: tuple[RerankFormat, ...] = ("tei", "jina")
        known = [kind for kind in tried if self._client.knows(BODIES[kind](first, self._settings))]
        refusals = []
        for kind in known or tried:
            try:
                self._ask([first], kind)
            except RefusalError as refusal:
                if refusal.status not in _OTHER_FORMAT:
                    raise
                refusals.append(f"Asked in the format {kind}: {refusal}")
            else:
                return kind
        raise UserError(" ".join([f"{self.name}: no wire format fits. Say which it is with format=NAME.", *refusals]))


def _format_of(url: str) -> RerankFormat | None:
    """The format of Cohere or Jina, from the end of the URL; None for others, which must be tried."""
    path = urlsplit(url).path.rstrip("/")
    if path.endswith("/v2/rerank"):
        return "cohere"
    return "jina" if path.endswith("/v1/rerank") else None


def requests_of(pairs: Sequence[Pair], batch: int) -> list[QueryTexts]:
    """Each distinct query with its distinct texts, in order, in parts of `batch`."""
    return [
        QueryTexts(query, texts[start : start + batch])
        for query, texts in group_by_query(pairs).items()
        for start in range(0, len(texts), batch)
    ]


def read_scores(answer: object, request: QueryTexts) -> ServerReply:
    """One finite score per text, in the order of the texts; anything else is a BadAnswerError."""
    rows = answer.get("results") if isinstance(answer, Mapping) else answer
    if not isinstance(rows, list):
        raise BadAnswerError("there is no list of results in it", answer)
    found = sort_by_index(rows, len(request.texts), answer)
    scores = [one_number(row.get("relevance_score", row.get("score")), answer) for row in found]
    return ServerReply(np.array(scores, dtype=np.float64), model_of(answer))


def _cohere(request: QueryTexts, settings: HttpRerankSettings) -> Body:
    named = {"model": settings.model} if settings.model else {}
    return {**named, "query": request.query, "documents": request.texts, "top_n": len(request.texts)}


def _jina(request: QueryTexts, settings: HttpRerankSettings) -> Body:
    return {**_cohere(request, settings), "return_documents": False}


def _tei(request: QueryTexts, settings: HttpRerankSettings) -> Body:
    # Without raw_scores they would go through a sigmoid, which makes high scores equal.
    return {"query": request.query, "texts": request.texts, "raw_scores": True, "truncate": settings.truncate}


BODIES: Mapping[RerankFormat, Callable[[QueryTexts, HttpRerankSettings], Body]] = {
    "cohere": _cohere,
    "jina": _jina,
    "tei": _tei,
}


def _cutting(kind: RerankFormat | None, truncate: bool) -> str:
    if kind == "tei":
        return (
            "by the server, where a text is too long"
            if truncate
            else "none: the server refuses texts that are too long"
        )
    return "not known: the server may cut texts without a word"
