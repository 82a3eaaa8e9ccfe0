"""The protocols that models of every family implement, and the workbench that they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from constraintsuite.core.errors import RecordError
from constraintsuite.core.execution.progress import Reporter, Silent

if TYPE_CHECKING:  # so that models can be listed without importing numpy
    import numpy as np
    import numpy.typing as npt

    from constraintsuite.models.model_names import ModelName

Pair = tuple[str, str]
"""A query and a text."""
TextRole = Literal["query", "document"]
ModelFact = str | int | float | bool | None | Sequence["ModelFact"] | Mapping[str, "ModelFact"]
"""A fact about a model, as JSON."""
PLACE_FACTS = frozenset({"device", "folder", "libraries", "threads"})
"""Keys of facts about where a model ran. They go into `environment.json`; all others are content, and hashed."""


@dataclass(frozen=True)
class Workbench:
    """What every model is given: the texts of the collection, a cache, and a reporter of progress."""

    documents: Sequence[str] = ()
    """The distinct texts of the collection, for models that need its word statistics."""
    cache: Path | None = None
    """The folder of cached results; None for no cache."""
    reporter: Reporter = field(default_factory=Silent)
    events: list[str] = field(default_factory=list)
    """Incidents that do not change the results, such as a repeated request."""


class Scorer(Protocol):
    """Gives each (query, text) pair a number; higher means more relevant."""

    name: str
    """The model string that the user wrote."""

    @property
    def fingerprint(self) -> str:
        """Hash of everything that decides a score, except code and pair: settings, weights, statistics of the collection."""

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """One finite number per pair, independent of the other pairs; one call gets all pairs of a shard."""


ScorerFactory = Callable[["ModelName", Workbench], Scorer]
"""Makes a scorer from its name, quickly. Raises UserError if an argument or option is unknown.

Weights are read and statistics counted at the first `score`, so that finished runs are found, and wrong names refused, without
them.
"""


class Encoder(Protocol):
    """Gives each text a vector."""

    name: str
    similarity: Literal["cosine", "dot", "euclidean", "manhattan"]
    """How its vectors are compared, from the model's configuration."""

    @property
    def fingerprint(self) -> str:
        """Hash of everything that decides a vector, except code and text."""

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        """One row per text, not normalised unless the model does so itself."""


@runtime_checkable
class Truncating(Protocol):
    """A model that can say how much of a long text it reads."""

    def visible(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64] | None:
        """How many characters it reads of each pair's text, from the beginning; None if it reads the end."""


@runtime_checkable
class Describing(Protocol):
    """A model that can describe itself."""

    def describe(self) -> Mapping[str, ModelFact]:
        """Weights, backend, precision, length limit, prompts; after `score` also findings such as a position bias."""


def is_spreadable(model: object) -> bool:
    """Whether any process can score a part of a run's pairs: the model string alone makes the model, without a collection.

    Models say so with an attribute `spreadable`. One that does not scores all pairs in one call.
    """
    return bool(getattr(model, "spreadable", False))


@runtime_checkable
class Counting(Protocol):
    """A model that counts something in the texts that it scores; the counts of several shards are added up."""

    def text_counts(self) -> Mapping[str, int]:
        """The counts of the last `score`."""

    def describe_counts(self, counts: Mapping[str, int]) -> Mapping[str, ModelFact]:
        """The counts as facts for `describe`; needs no weights."""


class TextError(RecordError):
    """A model cannot work on a text, or gives it no finite number."""


class OutOfMemory(Exception):  # noqa: N818 - handled by a smaller batch
    """A batch was too large for the device."""
