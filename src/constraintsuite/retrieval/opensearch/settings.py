"""The options of `opensearch`, and the login that they name."""

from __future__ import annotations

import base64
import os

from pydantic import Field

from constraintsuite.errors import UserError
from constraintsuite.models.http.address import RemoteSettings
from constraintsuite.models.naming import ModelName
from constraintsuite.store.http.secrets import NO_LOGIN, Authorization


class OpenSearchSettings(RemoteSettings):
    """The options of `opensearch`; only `field` changes a ranking."""

    field: str = Field("text", min_length=1, description="the field of the index that is searched")
    login_env: str = Field("", description="name of the environment variable that holds USER:PASSWORD")
    batch: int = Field(50, ge=1, le=1_000, description="queries a request")

    def login(self, name: ModelName) -> Authorization:
        """What the environment holds for this server."""
        if not self.login_env:
            return _api_key(self.key(name)) if self.key_env else NO_LOGIN
        value = os.environ.get(self.login_env, "")
        if self.key_env or ":" not in value:
            raise UserError(
                f"Model {name.head}: login_env names an environment variable that holds USER:PASSWORD, and excludes key_env. "
                "Set it in the shell that runs this command: export NAME=USER:PASSWORD"
            )
        return Authorization("Basic", _base64(value), (value.partition(":")[2],))


def _api_key(key: str) -> Authorization:
    """As a server gives it to copy; Elasticsearch also gives it as an id and a secret, which are sent together in base64."""
    return (
        Authorization("ApiKey", _base64(key), (key.partition(":")[2],)) if ":" in key else Authorization("ApiKey", key)
    )


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
