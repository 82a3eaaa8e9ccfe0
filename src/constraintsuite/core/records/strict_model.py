"""The base of every model that is read from a file or from options."""

from __future__ import annotations

from pydantic import BaseModel


class StrictModel(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """A frozen model that refuses unknown keys, and numbers that are infinite or NaN."""
