"""What a user can be told: errors that are shown without a traceback."""

from __future__ import annotations


class UserError(Exception):
    """Something in the input is wrong; the message says what, where, and what to do. Exit code 2."""


class MissingExtraError(UserError):
    """An optional part of the product is not installed; the message carries its pip command."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the extra [{extra}]: pip install 'constraintsuite[{extra}]'")
        self.extra = extra
        self.purpose = purpose

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        """Errors travel between processes by their arguments, which are not the message here."""
        return type(self), (self.extra, self.purpose)
