"""Errors that a user sees without a traceback, and the hints in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any


class UserError(Exception):
    """Something in the input is wrong; the message says what, where, and what to do. Exit code 2."""


class RecordError(UserError):
    """One record cannot be worked on; work on many records leaves it out, see `core/execution/record_isolation.py`."""


class MissingExtraError(UserError):
    """A library of an optional extra is not installed; the message has the pip command."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the extra [{extra}]: pip install 'constraintsuite[{extra}]'")
        self.extra = extra
        self.purpose = purpose

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        """Pickle the two arguments; the default would pass the message to `__init__`."""
        return type(self), (self.extra, self.purpose)


def hint_for(name: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """A sentence about the nearest known name, for an error about an unknown one.

    If none is near, the sentence is `otherwise`, or it lists all known names.
    """
    names = list(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"There are: {', '.join(names)}." if otherwise is None else otherwise


def refuse_faults(faults: Sequence[str], hint: str = "", most: int = 20) -> None:
    """Raise a UserError with one line for each fault, at most `most` of them; without faults nothing happens."""
    if faults:
        raise UserError("\n".join([*first_of(faults, most), *([hint] if hint else [])]))


def first_of(items: Sequence[str], most: int, end: str = "") -> list[str]:
    """The first `most` items; if there are more, a last one says how many, followed by `end`."""
    more = len(items) - most
    return [*items[:most], f"and {more:,} more{end}"] if more > 0 else list(items)


@contextmanager
def prefixed_errors(prefix: str) -> Iterator[None]:
    """Put a prefix before the message of every UserError inside the block."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{prefix}: {error}") from None


def import_extra(module: str, extra: str, purpose: str) -> Any:  # noqa: ANN401 - many such libraries have no types
    """Import a library of an optional extra; a MissingExtraError if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(extra, purpose) from None
