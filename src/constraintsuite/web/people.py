"""Who may enter: each person has a role and a token of their own, made from the folder's key and their name."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from constraintsuite.annotate.batch import check_name
from constraintsuite.errors import UserError

PersonRole = Literal["owner", "annotator", "adjudicator"]
"""An owner sees everything; an annotator only their own queue, since labels and scores would lead them; an adjudicator what
people differ on, without names."""
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who has a link."""

    name: str
    role: PersonRole


class AccessTokens:
    """Knows everyone by their token. The same key gives the same links, so that they outlive a restart."""

    def __init__(self, key: bytes, people: Sequence[Person]) -> None:
        names = [check_name(person.name) for person in people]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UserError(
                f"{twice!r} is named twice: a person has one role, so that nobody rules on their own answers."
            )
        self._key = key
        self.people = tuple(people)

    def token(self, person: Person) -> str:
        """What stands in a person's link, and in their cookie."""
        return self._word("token", person)

    def guard(self, person: Person) -> str:
        """What every form of theirs carries, which no other site can know."""
        return self._word("guard", person)

    @cached_property
    def cookie(self) -> str:
        """Name of the cookie: cookies know no ports, so sites of two folders on one machine need two names."""
        return f"csuite-{hmac.digest(self._key, b'cookie', hashlib.sha256).hex()[:12]}"

    def whose(self, token: str) -> Person | None:
        """The person of a token; how long a comparison takes tells nothing of it."""
        given = token.encode()
        return next((one for one in self.people if hmac.compare_digest(self.token(one).encode(), given)), None)

    def _word(self, use: str, person: Person) -> str:
        said = "\0".join((use, person.role, person.name)).encode()
        return base64.urlsafe_b64encode(hmac.digest(self._key, said, hashlib.sha256)).decode().rstrip("=")


def load_key(folder: Path) -> bytes:
    """The key of a folder, made at the first call and readable by its owner alone; without leave to write, one for now.

    It lies with the user's own state, never in the folder: whoever hands on a folder could else know every link of it.
    """
    file = key_file(folder)
    fresh = secrets.token_bytes(_KEY_BYTES)
    aside = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(fresh)
        os.link(aside, file)  # whole or not at all, and never over another
    except FileExistsError:
        return _read_key(file)
    except OSError:
        return _read_key(file) if os.path.lexists(file) else fresh
    finally:
        with suppress(OSError):
            aside.unlink()
    return fresh


def key_file(folder: Path) -> Path:
    """Where the key of a folder lies, by where the folder itself does."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    place = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()
    return state / "constraintsuite" / "serve" / f"{place[:32]}.key"


def _read_key(file: Path) -> bytes:
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
            kept, known = stream.read(_KEY_BYTES + 1), os.fstat(stream.fileno())
    except OSError as error:
        raise UserError(
            f"{file}: the key cannot be read ({error.strerror}). Remove it, and new links are made."
        ) from None
    if len(kept) != _KEY_BYTES:
        raise UserError(f"{file}: this is no key. Remove it, and new links are made.")
    if known.st_mode & 0o077 or known.st_uid != os.getuid():
        raise UserError(f"{file}: others can read this key, or it is not yours. Remove it, and new links are made.")
    return kept
