"""`http:URL`: a reranker or an encoder, as its address or the option `format` says."""

from __future__ import annotations

from typing import get_args
from urllib.parse import urlsplit

from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.http.address import check_address
from constraintsuite.models.http.embeddings import EmbedFormat, make_embeddings
from constraintsuite.models.http.rerank import make_rerank
from constraintsuite.models.naming import ModelName


def make_http(name: ModelName, bench: Workbench) -> Scorer:
    """`http:URL`, the whole address of an endpoint."""
    url = check_address(name, name.argument)
    given = dict(name.options).get("format", "auto")
    embeds = given in get_args(EmbedFormat) or (
        given == "auto" and urlsplit(url).path.endswith(("/embeddings", "/embed"))
    )
    return make_embeddings(name, url, bench) if embeds else make_rerank(name, url, bench)
