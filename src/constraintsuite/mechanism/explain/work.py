"""What an analysis is about to do: the model, the contrasts in its tokens, and the patches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, tokenise
from constraintsuite.mechanism.effects.records import Effects
from constraintsuite.mechanism.explain.settings import BY_POSITION, POSITIONS, Scope
from constraintsuite.mechanism.explain.source import read_source
from constraintsuite.mechanism.patching.blocks import POSITION
from constraintsuite.mechanism.patching.memory import Budget, plan_memory
from constraintsuite.mechanism.patching.stacking import Patch
from constraintsuite.mechanism.sites import Site, parse_site
from constraintsuite.mechanism.subject import Subject, load_subject
from constraintsuite.store.artifact import Artifact


@dataclass(frozen=True)
class Work:
    """Ready to begin."""

    subject: Subject
    contrasts: tuple[TokenContrast, ...]
    rejects: dict[str, int]
    source: str
    """Name of what the contrasts were read from."""
    content: str
    """Hash of it."""
    patches: tuple[Patch, ...]
    budget: Budget

    @property
    def sites(self) -> list[Site]:
        """Those that are patched, from below upwards."""
        return sorted({site for patch in self.patches for site in patch.sites})

    @property
    def rows(self) -> int:
        """Sequences of one run: two a contrast, and one more where there is a pair aside."""
        return sum(len(contrast.pairs) for contrast in self.contrasts)

    def of(self, patches: Sequence[Patch]) -> Work:
        """The same with other patches."""
        return replace(self, patches=tuple(patches))

    def on(self, contrasts: Collection[TokenContrast], reason: str) -> Work:
        """The same on fewer contrasts; why the others are left out is counted."""
        fewer = len(self.contrasts) - len(contrasts)
        if not contrasts:
            raise UserError(f"{self.source}: none of its contrasts is left ({reason}).")
        rejects = {**self.rejects, **({reason: fewer} if fewer else {})}
        return replace(self, contrasts=tuple(contrasts), rejects=rejects)


def prepare(source: Path, model: str, scope: Scope) -> Work:
    """Load the model and read the contrasts; what can be refused is refused here."""
    asked = read_source(source, scope)
    subject = load_subject(model)
    tokens = tokenise(asked.contrasts, subject.classifier.tokenization)
    if not tokens.contrasts:
        reasons = ", ".join(sorted({one.reason for one in tokens.rejected}))
        raise UserError(f"{source}: {model} can be asked none of its contrasts ({reasons}).")
    longest = max(contrast.longest for contrast in tokens.contrasts)
    sites = subject.sites(scope.sites)
    rejects = Counter(asked.rejects) + Counter(one.reason for one in tokens.rejected)
    return Work(
        subject,
        tokens.contrasts,
        dict(rejects),
        asked.name,
        asked.content,
        tuple(make_patches(sites, scope.roles, longest)),
        plan_memory(subject, sites, scope.memory, longest),
    )


def make_patches(sites: Sequence[Site], roles: Sequence[str], longest: int) -> list[Patch]:
    """One patch a site and role; positions are those of embeddings and residuals."""
    patches = []
    for site in sites:
        for role in roles:
            if role != POSITIONS:
                patches.append(Patch((site,), role))
            elif site.kind in BY_POSITION:
                patches += [Patch((site,), f"{POSITION}{number}") for number in range(longest)]
    if not patches:
        raise UserError(f"The role {POSITIONS} is for {' and '.join(sorted(BY_POSITION))} alone.")
    return patches


def patches_at(places: Collection[tuple[str, str]]) -> list[Patch]:
    """The patches of some sites and roles, from below upwards."""
    return sorted(Patch((parse_site(site),), role) for site, role in places)


def refuse_other_model(guide: Artifact, estimates: Effects, work: Work) -> None:
    """Estimates must be of this model, and of contrasts that are asked now."""
    if guide.manifest.settings.get("analysis") != "attribute":
        raise UserError(f"{guide.path}: only what `csuite explain attribute` wrote says what is worth an exact patch.")
    if guide.manifest.inputs["subject"] != work.subject.fingerprint:
        raise UserError(
            f"{guide.path}: its estimates are of {guide.manifest.settings['model']}, or of other versions of its libraries. "
            f"Attribute {work.subject.name} again."
        )
    asked = {contrast.contrast.id for contrast in work.contrasts}
    if not asked & set(estimates.contrast.tolist()):
        raise UserError(f"{guide.path}: it has none of the contrasts of {work.source}.")
