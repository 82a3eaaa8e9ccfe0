"""The site on an address: bound before the links are told, so that nobody is sent to a tokens that is not there."""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from constraintsuite.errors import UserError
from constraintsuite.web.addresses import LOOPBACK
from constraintsuite.web.app import make_app
from constraintsuite.web.artifact_index import ArtifactIndex
from constraintsuite.web.people import AccessTokens, Person, load_key

_OWN_NAMES = (LOOPBACK, "localhost", "[::1]")
_WARNING = (
    "Other machines can reach this address, and what is sent is not encrypted: links can be read on the way. On a network that "
    f"is not your own, listen on {LOOPBACK} and let people come through ssh -L or a proxy with TLS."
)
_NAME = re.compile(r"[^\s:/?#@\[\]]+|\[[0-9A-Fa-f:.]+\]")


@dataclass(frozen=True)
class WebSite:
    """What is served, to whom, and where."""

    folder: Path
    people: tuple[Person, ...]
    host: str = LOOPBACK
    port: int = 0
    names: tuple[str, ...] = ()
    """Host names beside the address itself under which it may be reached."""
    read_only: bool = False


@dataclass(frozen=True)
class ServedSite:
    """A site that has its address."""

    server: uvicorn.Server
    socket: socket.socket
    links: Mapping[Person, str]
    warning: str = ""
    """What whoever started it should know; empty for nothing."""

    def run(self) -> None:
        """Answer until it is stopped; what one should know is told first, where the server tells its own warnings."""
        if self.warning:
            logging.getLogger("uvicorn.error").warning(self.warning)
        self.server.run(sockets=[self.socket])


@contextmanager
def listen(site: WebSite) -> Iterator[ServedSite]:
    """The site with its address taken; an address that is taken or not ours is a UserError."""
    names = [_checked(_bracketed(name)) for name in site.names]
    if not site.host.strip():
        raise UserError(
            f"--host {site.host!r}: an address is needed, such as {LOOPBACK}, or 0.0.0.0 for all of this machine."
        )
    address = _bracketed(site.host)
    artifacts = ArtifactIndex(site.folder)
    tokens = AccessTokens(load_key(artifacts.root), site.people)
    app = make_app(artifacts, tokens, (*_OWN_NAMES, address, *names), read_only=site.read_only)
    with _bound(site.host, site.port) as bound:
        own, port = ipaddress.ip_address(bound.getsockname()[0]), bound.getsockname()[1]
        anywhere = ("[::1]" if own.version == 6 else LOOPBACK) if own.is_unspecified else ""  # an address to go to
        shown = names[0] if names else anywhere or address
        links = {person: f"http://{shown}:{port}/enter?token={tokens.token(person)}" for person in site.people}
        config = uvicorn.Config(app, log_level="warning", server_header=False, date_header=False)
        yield ServedSite(uvicorn.Server(config), bound, links, "" if own.is_loopback else _WARNING)


def _bracketed(host: str) -> str:
    """As it stands in an address, and as browsers name it."""
    return f"[{host}]" if _is_ipv6(host) else host


def _is_ipv6(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UserError(f"--name {name!r}: a host name alone is needed, such as lab.local, without http:// and port.")
    return name


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, port))
        except OSError as error:
            raise UserError(
                f"{host}:{port} cannot be listened on: {error.strerror}. Choose another --port, or --port 0 for any free one."
            ) from None
        made.listen(256)
        yield made
