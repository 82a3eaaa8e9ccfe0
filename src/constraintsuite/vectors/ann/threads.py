"""How many threads products of matrices may use: NumPy asks a library for them, which takes as many as it was told first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from constraintsuite.errors import MissingExtraError


@contextmanager
def blas_threads(number: int) -> Iterator[None]:
    """Inside the block, a product of matrices in NumPy takes so many threads, whichever thread of the process asks for it."""
    with require_threadpoolctl().threadpool_limits(number, user_api="blas"):
        yield


def require_threadpoolctl() -> Any:  # noqa: ANN401 - it has no types
    """The library, or the command that installs it."""
    try:
        return import_module("threadpoolctl")
    except ImportError:
        raise MissingExtraError("ann", "Limiting the threads of an engine") from None
