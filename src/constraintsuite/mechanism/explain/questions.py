"""What is asked about a model. A question is small and travels; the model is loaded wherever it is answered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from constraintsuite.errors import UserError
from constraintsuite.execution.care import NOT_OF_A_RECORD
from constraintsuite.mechanism.ablation import REFERENCES, AblationReplacement, ablate_contrasts, prepare_ablation
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import ABLATIONS, AblationKind, Grid
from constraintsuite.mechanism.explain.forecast import forecast_ablation, forecast_attribution, forecast_patches
from constraintsuite.mechanism.explain.plan import RANDOM, TOP, Guide, plan_ablation, plan_patches
from constraintsuite.mechanism.explain.settings import AnalysisKind, AnalysisScope
from constraintsuite.mechanism.explain.work import AnalysisWork, prepare
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.models.base import OutOfMemory

GridMaker = Callable[[Sequence[TokenContrast]], list[Grid]]


class Begun(NamedTuple):
    """A question with the model in memory."""

    work: AnalysisWork
    effects: GridMaker
    """Of some contrasts."""
    own: Mapping[str, Any]
    """Settings of this kind of question; `shard` is how many contrasts are done at a time."""
    guide: Guide | None = None
    prepare: Callable[[], object] = lambda: None
    """What takes all contrasts, and is made once, before the first effects."""


@dataclass(frozen=True)
class ExplainQuestion(ABC):
    """What is asked, about which model, on which contrasts."""

    analysis: ClassVar[AnalysisKind]
    source: Path
    model: str
    scope: AnalysisScope

    @abstractmethod
    def begin(self) -> Begun:
        """Load the model and read the contrasts; what can be refused is refused here."""


@dataclass(frozen=True)
class AttributeQuestion(ExplainQuestion):
    """Estimate every patch by gradients; `steps` of integrated gradients, 0 for none."""

    analysis: ClassVar[AnalysisKind] = "attribute"
    steps: int = 0

    def begin(self) -> Begun:
        """See `ExplainQuestion`."""
        work, scope = prepare(self.source, self.model, self.scope), self.scope

        def effects(shard: Sequence[TokenContrast]) -> list[Grid]:
            return attribute_contrasts(
                work.subject, shard, work.patches, scope.directions, work.budget, steps=self.steps
            )

        shard = forecast_attribution(work, len(scope.directions), self.steps).shard
        return Begun(work, effects, {"steps": self.steps, "shard": shard})


@dataclass(frozen=True)
class PatchQuestion(ExplainQuestion):
    """Run every patch; with a `guide`, an attribution folder, the strongest share by its estimates and a random share."""

    analysis: ClassVar[AnalysisKind] = "patch"
    guide: Path | None = None
    top: float = TOP
    random: float = RANDOM

    def begin(self) -> Begun:
        """See `ExplainQuestion`."""
        scope = self.scope
        work, guided = plan_patches(self.source, self.model, scope, self.guide, self.top, self.random)

        def effects(shard: Sequence[TokenContrast]) -> list[Grid]:
            return patch_contrasts(work.subject, shard, work.patches, scope.directions, work.budget)

        own: dict[str, Any] = {"shard": forecast_patches(work, len(scope.directions)).shard}
        own |= {} if guided is None else {"top": self.top, "random": self.random}
        return Begun(work, effects, own, guided)


@dataclass(frozen=True)
class AblateQuestion(ExplainQuestion):
    """Take every site away from the clean runs, in one or several ways."""

    analysis: ClassVar[AnalysisKind] = "ablate"
    kinds: tuple[AblationKind, ...] = ABLATIONS

    def begin(self) -> Begun:
        """See `ExplainQuestion`."""
        plan = plan_ablation(self.source, self.model, self.scope, self.kinds)
        work = plan.work

        @cache  # when the first shard is begun: a finished folder needs none of it
        def replacements() -> list[AblationReplacement]:
            try:
                return [
                    prepare_ablation(work.subject, kind, work.contrasts, work.sites, work.budget, self.scope.seed)
                    for kind in self.kinds
                ]
            except (*NOT_OF_A_RECORD, OutOfMemory):
                raise
            except Exception as error:  # without it, all others would be given other means
                raise UserError(
                    f"{self.source}: the model breaks at one of the contrasts over which means are taken ({type(error).__name__}: "
                    f"{error}). Take it out, or use --kind resample --kind zero."
                ) from error

        def effects(shard: Sequence[TokenContrast]) -> list[Grid]:
            asked = [(replacement, replacement.serves(shard)) for replacement in replacements()]
            return [
                ablate_contrasts(work.subject, contrasts, work.patches, replacement, work.budget)
                for replacement, contrasts in asked
                if contrasts
            ]

        own = {"kinds": list(self.kinds), "references": REFERENCES, "shard": forecast_ablation(plan).shard}
        return Begun(work, effects, own, prepare=replacements)
