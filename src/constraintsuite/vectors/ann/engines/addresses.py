"""Where servers are: addresses are written into results, so that no secret may stand in them or in what is said of them."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

from constraintsuite.core.errors import UserError

_VARIABLE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
_SECRET = re.compile(r"(password|secret|token|api[-_]?key)\s*=", re.IGNORECASE)
_PAIRS = re.compile(r"\s*\w+\s*=")
_ADVICE = "and settings are recorded; put the address into a variable, and write env:NAME"


def address(text: str) -> str:
    """The text itself, or for `env:NAME` what that variable holds."""
    name = _variable(text)
    if name is None:
        return text
    if not os.environ.get(name):
        raise UserError(
            f"The environment variable {name} is not set; it must hold the address of the server, or its key."
        )
    return os.environ[name]


def variable_only(text: object) -> object:
    """The same text; anything but `env:NAME` is refused, and not repeated in the message."""
    if not (text is None or (isinstance(text, str) and _variable(text) is not None)):
        raise ValueError("this is a secret, and settings are recorded; put it into a variable, and write env:NAME")
    return text


def database_address(text: str) -> str:
    """The same text: `env:NAME`, or what PostgreSQL reads (a URL, or `host=... user=...`) without a password in it."""
    if _variable(text) is not None:
        return text
    plain = unquote(text)
    if _SECRET.search(plain) or text.startswith("env:"):
        raise ValueError(f"the address holds a password, {_ADVICE}")
    scheme, mark, rest = plain.partition("://")
    if mark:  # at most a user before the host: what looks like a host or a port may be a part of a password
        user, at, host = rest.partition("@")
        if (
            scheme not in ("postgres", "postgresql")
            or (at and re.search(r"[:/?#]", user.removesuffix(":")))
            or "@" in host
        ):
            raise ValueError(f"the address is no postgresql://USER@HOST/NAME, or it holds a password, {_ADVICE}")
    elif not _PAIRS.match(plain):
        raise ValueError(f"the address is neither a URL nor pairs like host=...; it may hold a password, {_ADVICE}")
    return text


def plain_url(text: str) -> str:
    """The same text: `env:NAME`, `:memory:`, or a URL of host, port and path, as all else may be a secret."""
    if _variable(text) is None and not re.fullmatch(r":memory:|https?://[^@?#\s]+", text):
        raise ValueError(f"the address is no http://HOST:PORT, or it holds a password or a key, {_ADVICE}")
    return text


def unreachable(engine: str, what: str, error: Exception, *addresses: str | None) -> UserError:
    """What to tell of a server that cannot be reached; libraries quote parts of what they could not read."""
    names = [name for each in addresses if each is not None and (name := _variable(each)) is not None]
    if not names:
        return UserError(f"{engine}: {what}: {str(error).strip()}")
    return UserError(
        f"{engine}: {what} by {' and '.join(names)} ({type(error).__name__}). The words of the library are left out, as "
        "they may quote what the variable holds: try it with a client of the server."
    )


def _variable(text: str) -> str | None:
    found = _VARIABLE.fullmatch(text)
    return None if found is None else found[1]
