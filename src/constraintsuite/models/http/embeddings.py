"""Encoders over HTTP: OpenAI's /v1/embeddings and text-embeddings-inference's /embed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.http.errors import BadAnswerError
from constraintsuite.models.backends import Similarity
from constraintsuite.models.base import ModelFact, Scorer, TextRole, Workbench
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.http.address import ServedModelSettings
from constraintsuite.models.http.client import Body, Client, ServerReply, model_of, one_number, sort_by_index
from constraintsuite.models.model_names import ModelName

EmbedFormat = Literal["embeddings", "tei-embed"]


class EmbedSettings(ServedModelSettings):
    """The options of `http` for encoders."""

    format: Literal["auto", EmbedFormat] = Field("auto", description="embeddings (OpenAI's), tei-embed, or auto")
    similarity: Similarity = Field("cosine", description="cosine, dot, euclidean or manhattan")
    query_prompt: str = Field("", description="put before each query")
    document_prompt: str = Field("", description="put before each text")


def make_embeddings(name: ModelName, url: str, bench: Workbench) -> Scorer:
    """The dense scorer over an embedding endpoint."""
    settings = name.settings(EmbedSettings)
    kind = settings.format if settings.format != "auto" else _format_of(url)
    decisive = [kind, settings.model, f"batch={settings.batch}", f"truncate={settings.truncate}"]
    asked = sha256_text("embeddings", url, *decisive)
    client = Client.connect(name, url, settings, asked, bench)
    return DenseScorer(str(name), HttpEncoder(str(name), kind, settings, client, asked))


class HttpEncoder:
    """Requests the vectors of `batch` texts at a time."""

    def __init__(self, name: str, kind: EmbedFormat, settings: EmbedSettings, client: Client, asked: str) -> None:
        self.name = name
        self.similarity: Similarity = settings.similarity
        self.fingerprint = sha256_text(asked, settings.query_prompt, settings.document_prompt)
        self._kind = kind
        self._settings = settings
        self._client = client

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        """The vectors of the server; text-embeddings-inference is asked not to normalise them."""
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        prompt = self._settings.query_prompt if role == "query" else self._settings.document_prompt
        size = self._settings.batch
        batches = [tuple(prompt + text for text in texts[start : start + size]) for start in range(0, len(texts), size)]
        title = f"{self.name} ({'queries' if role == 'query' else 'texts'})"
        sizes = [len(batch) for batch in batches]
        answers = self._client.ask_all(title, batches, self._ask, sizes, self._settings.concurrency)
        widths = {answer.values.shape[1] for answer in answers}
        if len(widths) > 1:
            raise UserError(f"{self.name}: the server gives vectors of different lengths: {sorted(widths)}.")
        return np.concatenate([answer.values for answer in answers]).astype(np.float32)

    def describe(self) -> Mapping[str, ModelFact]:
        """The address, the requested model, and the model that the server names."""
        return {
            "address": self._client.endpoint.url,
            "format": self._kind,
            "model_asked_for": self._settings.model or None,
            "models_in_answers": self._client.models,
            "texts_a_request": self._settings.batch,
            "query_prompt": self._settings.query_prompt,
            "document_prompt": self._settings.document_prompt,
        }

    def _ask(self, batch: tuple[str, ...]) -> ServerReply:
        return self._client.ask(self._body(batch), lambda answer: read_vectors(answer, len(batch)))

    def _body(self, batch: tuple[str, ...]) -> Body:
        if self._kind == "tei-embed":
            return {"inputs": batch, "normalize": False, "truncate": self._settings.truncate}
        return {**({"model": self._settings.model} if self._settings.model else {}), "input": batch}


def _format_of(url: str) -> EmbedFormat:
    """The format, from the end of the URL."""
    return "tei-embed" if urlsplit(url).path.endswith("/embed") else "embeddings"


def read_vectors(answer: object, count: int) -> ServerReply:
    """One vector of finite numbers per text, all of one length, in the order of the texts."""
    rows = answer.get("data") if isinstance(answer, Mapping) else answer
    if not isinstance(rows, list):
        raise BadAnswerError("there is no list of vectors in it", answer)
    vectors = rows if rows is answer else [row.get("embedding") for row in sort_by_index(rows, count, answer)]
    if len(vectors) != count:
        raise BadAnswerError(f"it has {len(vectors)} vectors for {count} texts", answer)
    read = [_vector(vector, answer) for vector in vectors]
    if len({len(vector) for vector in read}) > 1 or not read[0]:
        raise BadAnswerError("its vectors are empty or of different lengths", answer)
    return ServerReply(np.array(read, dtype=np.float64), model_of(answer))


def _vector(value: object, answer: object) -> list[float]:
    if not isinstance(value, list):
        raise BadAnswerError("it has {found} where a vector is due", answer, value)
    return [one_number(part, answer) for part in value]
