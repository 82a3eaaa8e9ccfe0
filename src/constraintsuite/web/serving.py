"""The site on an address: bound before the links are told, so that nobody is sent to a door that is not there."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from constraintsuite.errors import UserError
from constraintsuite.web.app import make_app
from constraintsuite.web.people import Door, Person, load_key
from constraintsuite.web.shelf import Shelf

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ANYWHERE = {"0.0.0.0": LOOPBACK[0], "::": LOOPBACK[2]}
"""Addresses to listen on that are none to go to, and one that is."""
_NAME = re.compile(r"[^\s:/?#@\[\]]+|\[[0-9A-Fa-f:.]+\]")


@dataclass(frozen=True)
class Site:
    """What is served, to whom, and where."""

    folder: Path
    people: tuple[Person, ...]
    host: str = LOOPBACK[0]
    port: int = 0
    names: tuple[str, ...] = ()
    """Host names beside the address itself under which it may be reached."""
    read_only: bool = False


@dataclass(frozen=True)
class Served:
    """A site that has its address."""

    server: uvicorn.Server
    socket: socket.socket
    links: Mapping[Person, str]

    def run(self) -> None:
        """Answer until it is stopped."""
        self.server.run(sockets=[self.socket])


@contextmanager
def listen(site: Site) -> Iterator[Served]:
    """The site with its address taken; an address that is taken or not ours is a UserError."""
    names = [_checked(_bracketed(name)) for name in site.names]
    address = _bracketed(site.host)
    shelf = Shelf(site.folder)
    door = Door(load_key(shelf.root), site.people)
    app = make_app(shelf, door, (*LOOPBACK, address, *names), read_only=site.read_only)
    with _bound(site.host, site.port) as bound:
        port = bound.getsockname()[1]
        shown = names[0] if names else _ANYWHERE.get(site.host, address)
        links = {person: f"http://{shown}:{port}/enter?token={door.token(person)}" for person in site.people}
        config = uvicorn.Config(app, log_level="warning", server_header=False, date_header=False)
        yield Served(uvicorn.Server(config), bound, links)


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
