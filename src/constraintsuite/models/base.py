"""The protocols that models of every family implement, and what they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from constraintsuite.core.errors import RecordError
from constraintsuite.core.execution.progress import Reporter, Silent

if TYPE_CHECKING:  # so that the names of the models can be listed without numpy
    import numpy as np
    import numpy.typing as npt

    from constraintsuite.models.model_names import ModelName

Pair = tuple[str, str]
"""A query and a text."""
TextRole = Literal["query", "document"]
ModelFact = str | int | float | bool | None | Sequence["ModelFact"] | Mapping[str, "ModelFact"]
"""What can be said of a model in JSON."""
PLACE_FACTS = frozenset({"device", "folder", "libraries", "threads"})
"""Keys of facts that say where a model ran. They stand in `environment.json`; all others are content, and hashed."""


@dataclass(frozen=True)
class Workbench:
    """What a model is given to work with: the texts of the collection, a cache, and who is told of progress."""

    documents: Sequence[str] = ()
    """The distinct texts of the collection, for models that count in it."""
    cache: Path | None = None
    """Folder of results of earlier batches; None to keep none."""
    reporter: Reporter = field(default_factory=Silent)
    events: list[str] = field(default_factory=list)
    """What happened on the way and does not change the results: a batch halved, a request repeated."""


class Scorer(Protocol):
    """Gives each (query, text) pair a number; higher means more relevant."""

    name: str
    """What a user writes to get this scorer."""

    @property
    def fingerprint(self) -> str:
        """Hash of all that decides a score besides code and pair: settings, weights, statistics of the collection."""

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """One finite number per pair, which must not depend on the other pairs; all pairs of a run come in one call."""


class ScorerFactory(Protocol):
    """Makes a scorer from its name; making one is cheap.

    Weights are read and statistics counted at the first `score`, so that a finished run is recognised, and a wrong name
    refused, without them.
    """

    def __call__(self, name: ModelName, bench: Workbench) -> Scorer:
        """The scorer; an argument or option that it does not know is a UserError."""


class Encoder(Protocol):
    """Gives each text a vector."""

    name: str
    similarity: Literal["cosine", "dot", "euclidean", "manhattan"]
    """How its vectors are compared, as the model's own configuration says."""

    @property
    def fingerprint(self) -> str:
        """Hash of all that decides a vector besides code and text."""

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        """One row per text, not normalised unless the model does so itself."""


@runtime_checkable
class Truncating(Protocol):
    """A model that reads only the beginning of a long text; one that reads only the end has no `visible`."""

    def visible(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
        """How many characters of each pair's text it reads."""


@runtime_checkable
class Describing(Protocol):
    """A model that can say what it settled on."""

    def describe(self) -> Mapping[str, ModelFact]:
        """Weights, backend, precision, length limit, prompts; after `score` also what it noticed, such as a position bias."""


def is_spreadable(model: object) -> bool:
    """Whether any process can score a part of a run's pairs: the model string alone makes the model, without a collection.

    Models say so with an attribute `spreadable`. One that does not scores all pairs in one call.
    """
    return bool(getattr(model, "spreadable", False))


@runtime_checkable
class Noticing(Protocol):
    """A model that counts something in the texts that it scores; counts of several calls can be added up."""

    def noticed(self) -> Mapping[str, int]:
        """What the last `score` counted."""

    def told(self, noticed: Mapping[str, int]) -> Mapping[str, ModelFact]:
        """How `describe` says that; no weights are needed."""


class TextError(RecordError):
    """A model cannot work on a text, or gives it no finite number."""


class OutOfMemory(Exception):  # noqa: N818 - a condition that is answered by a smaller batch, not a fault
    """A batch was too large for the device."""
