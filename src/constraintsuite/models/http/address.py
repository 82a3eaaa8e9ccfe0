"""The address of a server, and the options of requests to it."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, field_validator

from constraintsuite.core.errors import UserError
from constraintsuite.models.model_names import ModelName, ModelSettings

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET = re.compile(r"key|token|secret|password|signature", re.IGNORECASE)


class RemoteSettings(ModelSettings):
    """The options of every server, none of which changes a score."""

    key_env: str = Field("", description="name of the environment variable that holds the API key")
    timeout: float = Field(60, gt=0, le=3_600, description="seconds until a request counts as lost")
    retries: int = Field(5, ge=0, le=100, description="how often a request that failed is repeated")
    concurrency: int = Field(4, ge=1, le=64, description="requests at a time")

    @field_validator("key_env")
    @classmethod
    def _is_a_name(cls, value: str) -> str:
        if value and not _VARIABLE.fullmatch(value):
            raise ValueError("key_env is the name of an environment variable, never the key itself")
        return value

    def key(self, name: ModelName) -> str:
        """The API key from the environment; empty if no `key_env` is given."""
        value = os.environ.get(self.key_env, "") if self.key_env else ""
        if self.key_env and not (value.isascii() and value.isprintable() and value.strip()):
            raise UserError(
                f"Model {name.head}: the environment variable that key_env names is not set, or is not a "
                "key. Set it in the shell that runs this command: export NAME=KEY"
            )
        return value.strip()


class ServedModelSettings(RemoteSettings):
    """The options of rerankers and encoders over HTTP."""

    model: str = Field("", description="the model that the server is asked for")
    batch: int = Field(32, ge=1, description="texts per request")
    truncate: bool = Field(False, description="yes lets a text-embeddings-inference server cut texts that are too long")


def check_address(name: ModelName, url: str) -> str:
    """The URL unchanged. Raises UserError if it is invalid or contains a secret."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # such as a port that is not a number
        usable = False
    if not usable or not (url.isascii() and url.isprintable()) or " " in url:
        example = "http:http://localhost:8080/rerank" if name.family == "http" else "url=http://localhost:8000/v1"
        raise UserError(f"Model {name.head!r}: {url!r} is not an address. Write it in full, as in {example}")
    named = [key for key, _ in parse_qsl(parts.query) if _SECRET.search(key)]
    if "@" in parts.netloc or named:
        # The message must not repeat the address, since messages are printed and logged.
        raise UserError(
            f"Model {name.family}: the address carries a password or a key, and would be written into every run. Take it "
            "out, put it into an environment variable, and say which one: key_env=NAME"
        )
    return url
