"""What an analysis is about to do: the model, the contrasts in its tokens, and the patches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.records import ROLES
from constraintsuite.mechanism.contrasts.selection import choose_readable, in_words
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.explain.settings import BY_POSITION, POSITIONS, AnalysisScope
from constraintsuite.mechanism.explain.source import ContrastSource, read_source
from constraintsuite.mechanism.loaded_model import Subject, load_subject
from constraintsuite.mechanism.patching.batches import POSITION
from constraintsuite.mechanism.patching.capacity import Budget, plan_memory
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import Site, parse_site


@dataclass(frozen=True)
class AnalysisWork:
    """Ready to begin."""

    subject: Subject
    contrasts: tuple[TokenContrast, ...]
    rejects: dict[str, int]
    source: ContrastSource
    """What the contrasts were read from."""
    patches: tuple[SitePatch, ...]
    memory: int | None

    @cached_property
    def budget(self) -> Budget:
        """How many tokens fit; too little memory for the patches is a UserError."""
        return plan_memory(self.subject, self.sites, self.memory, max(one.longest for one in self.contrasts))

    @property
    def sites(self) -> list[Site]:
        """Those that are patched, from below upwards."""
        return sorted({site for patch in self.patches for site in patch.sites})

    @property
    def rows(self) -> int:
        """Sequences of one run: two a contrast, and one more where there is a pair aside."""
        return sum(len(contrast.pairs) for contrast in self.contrasts)

    def of(self, patches: Sequence[SitePatch]) -> AnalysisWork:
        """The same with other patches."""
        return replace(self, patches=tuple(patches))

    def on(self, contrasts: Collection[TokenContrast]) -> AnalysisWork:
        """The same on fewer contrasts."""
        return replace(self, contrasts=tuple(contrasts))

    def rejecting(self, more: Mapping[str, int]) -> AnalysisWork:
        """The same, with more that is left out, by reason."""
        return replace(self, rejects={**self.rejects, **{reason: count for reason, count in more.items() if count}})


def prepare(source: Path, model: str, scope: AnalysisScope) -> AnalysisWork:
    """Load the model and read the contrasts; what can be refused is refused here."""
    asked = read_source(source, scope)
    subject = load_subject(model)
    tokens = choose_readable(asked.contrasts, scope.limit, scope.seed, subject.classifier.tokenization)
    if not tokens.contrasts:
        reasons = ", ".join(sorted({in_words(one.reason) for one in tokens.rejected}))
        raise UserError(f"{source}: {model} can be asked none of its contrasts ({reasons}).")
    longest = max(contrast.longest for contrast in tokens.contrasts)
    patches = make_patches(subject.sites(scope.sites), scope.roles, longest)
    _refuse_absent(patches, tokens.contrasts)
    rejects = Counter(asked.rejects) + Counter(one.reason for one in tokens.rejected)
    return AnalysisWork(subject, tokens.contrasts, dict(rejects), asked, tuple(patches), scope.memory)


def _refuse_absent(patches: Sequence[SitePatch], contrasts: Sequence[TokenContrast]) -> None:
    """Patches of roles that no token has would change nothing."""
    rows = [row for one in contrasts for pair in (one.better, one.worse) for row in (pair.clean, pair.corrupt)]
    there = {ROLES[number] for number in np.unique(np.concatenate([row.roles for row in rows])).tolist()}
    asked = dict.fromkeys(patch.role for patch in patches)
    if not any(role not in ROLES or role in there for role in asked):
        raise UserError(f"None of the contrasts has a token of the role {' or '.join(asked)}. Name other --roles.")


def make_patches(sites: Sequence[Site], roles: Sequence[str], longest: int) -> list[SitePatch]:
    """One patch a site and role; positions are those of embeddings and residuals."""
    patches = []
    for site in sites:
        for role in roles:
            if role != POSITIONS:
                patches.append(SitePatch((site,), role))
            elif site.kind in BY_POSITION:
                patches += [SitePatch((site,), f"{POSITION}{number}") for number in range(longest)]
    if not patches:
        raise UserError(f"The role {POSITIONS} is for {' and '.join(sorted(BY_POSITION))} alone.")
    return patches


def patches_at(places: Collection[tuple[str, str]]) -> list[SitePatch]:
    """The patches of some sites and roles, from below upwards."""
    return sorted(SitePatch((parse_site(site),), role) for site, role in places)
