"""The login for a server, and its removal from texts that the server sends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

FRAGMENT = 8
"""Consecutive characters of a key that are hidden; a shorter key is hidden only as a whole."""
_CHARACTER = re.compile(r"\\u([0-9a-fA-F]{4})|\\?(.)", re.DOTALL)


@dataclass(frozen=True)
class Authorization:
    """The scheme and the token of the Authorization header; an empty token sends no header."""

    scheme: str = "Bearer"
    token: str = ""
    secrets: tuple[str, ...] = ()
    """Other secrets to hide, such as the password inside the token."""

    @property
    def headers(self) -> dict[str, str]:
        """The header, if there is a token."""
        return {"Authorization": f"{self.scheme} {self.token}"} if self.token else {}

    def hide(self, text: str) -> str:
        """The text with `[key]` in place of every secret, and of every part of one with FRAGMENT characters.

        Servers repeat keys that they refuse, in full or in part, and with characters escaped by JSON or Python. So the text is
        searched as it is and with its escapes resolved.
        """
        hidden = [False] * len(text)
        for spelling, starts in ((text, list(range(len(text) + 1))), _unescaped(text)):
            for secret in filter(None, (self.token, *self.secrets)):
                size = min(len(secret), FRAGMENT)
                parts = {secret[i : i + size] for i in range(len(secret) - size + 1)}
                for i in range(len(spelling) - size + 1):
                    if spelling[i : i + size] in parts:
                        start, end = starts[i], starts[i + size]
                        hidden[start:end] = [True] * (end - start)
        runs = groupby(zip(text, hidden, strict=True), key=lambda each: each[1])
        return "".join("[key]" if secret else "".join(character for character, _ in run) for secret, run in runs)


NO_LOGIN = Authorization()


def _unescaped(text: str) -> tuple[str, list[int]]:
    """The text with its backslash escapes resolved, and the place in `text` where each character begins, and the last ends."""
    found = [(match.start(), chr(int(match[1], 16)) if match[1] else match[2]) for match in _CHARACTER.finditer(text)]
    return "".join(character for _, character in found), [*(start for start, _ in found), len(text)]
