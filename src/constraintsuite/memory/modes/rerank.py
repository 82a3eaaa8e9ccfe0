"""hybrid_rerank and ppr_rerank: what another mode finds, put in order by a model that reads query and unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.memory.graph import BoolArray, FloatArray
from constraintsuite.memory.modes.base import ModeContext, load_mode, options_of
from constraintsuite.memory.modes.visibility import Visibility
from constraintsuite.memory.results import Recalled, SearchAnswer
from constraintsuite.models.base import Describing, ModelFact, Scorer
from constraintsuite.models.model_names import ModelName, ModelSettings, load_scorer

if TYPE_CHECKING:
    from constraintsuite.memory.graph import MemoryGraph
    from constraintsuite.memory.memory import Memory


class RerankModeSettings(ModelSettings):
    """The options of a mode that reranks."""

    depth: int = Field(50, ge=1, description="how many units the model reads; at least the budget")


class RerankMode:
    """`hybrid_rerank:MODEL` and `ppr_rerank:MODEL`, as in `hybrid_rerank:cross:NAME,depth=20`.

    The first mode finds, the model decides the order; equal scores keep the first mode's. Options that are not those of
    reranking belong to the model.
    """

    def __init__(self, name: ModelName, context: ModeContext) -> None:
        if not name.argument:
            raise UserError(
                f"Mode {str(name)!r}: name the model that reranks, as in {name.family}:cross:NAME_OR_FOLDER."
            )
        own = tuple(pair for pair in name.options if pair[0] in RerankModeSettings.model_fields)
        self.name = str(name)
        self._settings = options_of(ModelName(name.family, options=own), RerankModeSettings)
        self._model = str(ModelName(name.argument, options=tuple(pair for pair in name.options if pair not in own)))
        self._first = load_mode(name.family.removesuffix("_rerank"), context.memory, state=context.state)
        self._memory, self._bench = context.memory, context.bench
        self._visibility = Visibility(context)
        self._loaded = self._load()

    def search(self, query: str, budget: int) -> SearchAnswer:
        """The best units after scoring; of paths, those that lead to them."""
        found = self._first.search(query, max(budget, self._settings.depth) if budget > 0 else budget)
        if not found.ranking:
            return SearchAnswer(query, self.name, ())
        scores = self._scores(query, found.ranking)
        order = np.argsort(-scores, kind="stable")[:budget].tolist()
        ranking = tuple(Recalled(found.ranking[i].unit, rank, float(scores[i])) for rank, i in enumerate(order, 1))
        kept = {each.unit for each in ranking}
        paths = tuple(path for path in found.paths if path.steps[-1].node in kept)
        before = {each.unit: {"first_rank": float(each.rank), "first_score": each.score} for each in found.ranking}
        return SearchAnswer(
            query, self.name, ranking, paths, found.trace, {unit: before[unit] for unit in sorted(kept)}
        )

    @property
    def fingerprints(self) -> Mapping[str, str]:
        """Of the model, under its name."""
        return {self._loaded.name: self._loaded.fingerprint}

    def describe(self) -> Mapping[str, ModelFact]:
        """What both say of themselves."""
        model = self._loaded.describe() if isinstance(self._loaded, Describing) else {}
        facts = {"model": self._loaded.name, **self._settings.model_dump()}
        return {"mode": self.name, **facts, "first": self._first.describe(), "reranker": model}

    def _scores(self, query: str, found: tuple[Recalled, ...]) -> FloatArray:
        units = self._memory.graph.units
        numbers = self._memory.graph.unit_numbers
        pairs = [(query, self._memory.searched(units[numbers[each.unit]])) for each in found]
        if self._collection.is_outdated():
            self._loaded = self._load()
        scorer = self._loaded
        scores = np.asarray(scorer.score(pairs), dtype=np.float64)
        if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
            raise UserError(f"Model {scorer.name!r} did not give one finite score to each of {len(pairs)} units.")
        return scores

    def _load(self) -> Scorer:
        self._collection = _Collection(self._memory, self._visibility)
        bench = self._bench if self._bench.documents else replace(self._bench, documents=self._collection)
        return load_scorer(self._model, bench)


class _Collection(Sequence[str]):
    """The texts of a memory that hold now, for models that count in them; it knows whether one did, since only such a model
    must be made anew when the memory or the time changes."""

    def __init__(self, memory: Memory, visibility: Visibility) -> None:
        self._memory, self._visibility = memory, visibility
        self._counted: tuple[MemoryGraph, BoolArray] | None = None

    def is_outdated(self) -> bool:
        if self._counted is None:
            return False
        graph, visible = self._counted
        return self._memory.graph is not graph or not np.array_equal(self._visibility.mask(), visible)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        graph, visible = self._counted = (self._memory.graph, self._visibility.mask())
        return tuple(dict.fromkeys(self._memory.searched(graph.units[number]) for number in np.flatnonzero(visible)))

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self._texts[place]
