"""Addresses of servers. They are stored with the results, so they must not contain secrets, nor must messages."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

from constraintsuite.core.errors import UserError

_VARIABLE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
_SECRET = re.compile(r"(password|secret|token|api[-_]?key)\s*=", re.IGNORECASE)
_PAIRS = re.compile(r"\s*\w+\s*=")
_ADVICE = "and settings are stored; put the address into a variable, and write env:NAME"


def address(text: str) -> str:
    """The address; for `env:NAME` the value of that variable."""
    name = _variable(text)
    if name is None:
        return text
    if not os.environ.get(name):
        raise UserError(
            f"The environment variable {name} is not set. It must hold the address of the server, or its key."
        )
    return os.environ[name]


def variable_only(text: object) -> object:
    """Validate a key: only `env:NAME` is allowed, and the message does not repeat the value."""
    if not (text is None or (isinstance(text, str) and _variable(text) is not None)):
        raise ValueError("this is a secret, and settings are stored; put it into a variable, and write env:NAME")
    return text


def database_address(text: str) -> str:
    """Validate an address of PostgreSQL: `env:NAME`, a URL, or `host=... user=...`, without a password."""
    if _variable(text) is not None:
        return text
    plain = unquote(text)
    if _SECRET.search(plain) or text.startswith("env:"):
        raise ValueError(f"the address holds a password, {_ADVICE}")
    scheme, mark, rest = plain.partition("://")
    if mark:  # only a user before the host: a part of a password may look like a host or a port
        user, at, host = rest.partition("@")
        if (
            scheme not in ("postgres", "postgresql")
            or (at and re.search(r"[:/?#]", user.removesuffix(":")))
            or "@" in host
        ):
            raise ValueError(
                f"the address must have the form postgresql://USER@HOST/NAME without a password, {_ADVICE}"
            )
    elif not _PAIRS.match(plain):
        raise ValueError(f"the address is neither a URL nor pairs like host=...; it may hold a password, {_ADVICE}")
    return text


def plain_url(text: str) -> str:
    """Validate an address of Qdrant: `env:NAME`, `:memory:`, or a URL of host, port and path."""
    if _variable(text) is None and not re.fullmatch(r":memory:|https?://[^@?#\s]+", text):
        raise ValueError(f"the address must have the form http://HOST:PORT without a password or key, {_ADVICE}")
    return text


def unreachable(engine: str, what: str, error: Exception, *addresses: str | None) -> UserError:
    """The error for a server that cannot be reached, without the words of the library if they may quote a secret."""
    names = [name for each in addresses if each is not None and (name := _variable(each)) is not None]
    if not names:
        return UserError(f"{engine}: {what}: {str(error).strip()}")
    return UserError(
        f"{engine}: {what} by {' and '.join(names)} ({type(error).__name__}). The message of the library is left out, since "
        "it may quote the variable. Try the address with a client of the server."
    )


def _variable(text: str) -> str | None:
    found = _VARIABLE.fullmatch(text)
    return None if found is None else found[1]
