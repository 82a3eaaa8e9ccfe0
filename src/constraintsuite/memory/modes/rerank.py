"""`hybrid_rerank` and `ppr_rerank`: a model that reads query and unit reorders what another mode found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.memory.graph import BoolArray, FloatArray
from constraintsuite.memory.modes.base import Mode, ModeContext, load_mode
from constraintsuite.memory.results import Recalled, SearchAnswer
from constraintsuite.models.base import Describing, ModelFact, Scorer
from constraintsuite.models.model_names import ModelName, ModelSettings, load_scorer

if TYPE_CHECKING:
    from constraintsuite.memory.graph import MemoryGraph


class RerankModeSettings(ModelSettings):
    """The options of a mode that reranks."""

    depth: int = Field(50, ge=1, description="how many units the model reads; at least the budget")


class RerankMode(Mode[RerankModeSettings]):
    """`hybrid_rerank:MODEL` and `ppr_rerank:MODEL`, as in `hybrid_rerank:cross:NAME,depth=20`.

    The first mode finds units, and the model decides their order; equal scores keep the order of the first mode. Options
    that are not for reranking belong to the model.
    """

    settings_type = RerankModeSettings

    def __init__(self, name: ModelName, context: ModeContext) -> None:
        if not name.argument:
            raise UserError(
                f"Mode {str(name)!r}: name the model that reranks, as in {name.family}:cross:NAME_OR_FOLDER."
            )
        own = tuple(pair for pair in name.options if pair[0] in RerankModeSettings.model_fields)
        super().__init__(ModelName(name.family, options=own), context)
        self.name = str(name)
        self._model = str(ModelName(name.argument, options=tuple(pair for pair in name.options if pair not in own)))
        self._first = load_mode(name.family.removesuffix("_rerank"), context.memory, state=context.state)
        self._loaded = self._load()

    def find(self, query: str, budget: int) -> SearchAnswer:
        """Return the best units after scoring, with the paths that lead to them."""
        found = self._first.search(query, max(budget, self.settings.depth) if budget > 0 else budget)
        if not found.ranking:
            return SearchAnswer(query, self.name, ())
        scores = self._scores(query, found.ranking)
        order = np.argsort(-scores, kind="stable")[:budget].tolist()
        ranking = tuple(Recalled(found.ranking[i].unit, rank, float(scores[i])) for rank, i in enumerate(order, 1))
        kept = {each.unit for each in ranking}
        paths = tuple(path for path in found.paths if path.steps[-1].node in kept)
        before = {each.unit: {"first_rank": float(each.rank), "first_score": each.score} for each in found.ranking}
        parts = {unit: before[unit] for unit in sorted(kept)}
        return SearchAnswer(query, self.name, ranking, paths, found.trace, parts)

    @property
    def fingerprints(self) -> Mapping[str, str]:
        """The fingerprint of the model, under its name."""
        return {self._loaded.name: self._loaded.fingerprint}

    def describe(self) -> Mapping[str, ModelFact]:
        """Return the options of the mode, and what the first mode and the model say about themselves."""
        model = self._loaded.describe() if isinstance(self._loaded, Describing) else {}
        facts = {"model": self._loaded.name, **self.settings.model_dump()}
        return {"mode": self.name, **facts, "first": self._first.describe(), "reranker": model}

    def _scores(self, query: str, found: tuple[Recalled, ...]) -> FloatArray:
        graph = self.memory.graph
        pairs = [(query, self.memory.searched(graph.units[graph.unit_numbers[each.unit]])) for each in found]
        if self._collection.is_outdated():
            self._loaded = self._load()
        scores = np.asarray(self._loaded.score(pairs), dtype=np.float64)
        if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
            raise UserError(f"Model {self._loaded.name!r} did not give one finite score to each of {len(pairs)} units.")
        return scores

    def _load(self) -> Scorer:
        self._collection = _VisibleTexts(self.context)
        bench = self.context.bench
        return load_scorer(self._model, bench if bench.documents else replace(bench, documents=self._collection))


class _VisibleTexts(Sequence[str]):
    """The texts of all visible units, for models that count words in the collection.

    It remembers whether a model read it: only such a model must be loaded again when the memory or the time changes.
    """

    def __init__(self, context: ModeContext) -> None:
        self._context = context
        self._read: tuple[MemoryGraph, BoolArray] | None = None

    def is_outdated(self) -> bool:
        """Whether a model read the texts, and others are visible now."""
        if self._read is None:
            return False
        graph, visible = self._read
        return self._context.memory.graph is not graph or not np.array_equal(self._context.visible(), visible)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        memory = self._context.memory
        graph, visible = self._read = (memory.graph, self._context.visible())
        return tuple(dict.fromkeys(memory.searched(graph.units[number]) for number in np.flatnonzero(visible)))

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self._texts[place]
