from __future__ import annotations

from collections.abc import Callable

import pytest

from constraintsuite.errors import UserError
from constraintsuite.mechanism.patching.memory import plan_memory
from constraintsuite.mechanism.sites import KINDS, SiteKind
from constraintsuite.mechanism.subject import Subject
from mechanism.models import TINY


def test_more_memory_holds_more_tokens(planted: Subject) -> None:
    sites = planted.sites({"head", "mlp", "residual"})
    small, large = (plan_memory(planted, sites, mib, 16) for mib in (1, 4))
    assert large.kept == pytest.approx(4 * small.kept, rel=0.01)
    assert large.stacked >= small.stacked


@pytest.mark.parametrize("more", [{"query"}, {"pattern"}])
def test_more_sites_leave_room_for_fewer_tokens(more: set[SiteKind], planted: Subject) -> None:
    few, many = planted.sites({"head"}), planted.sites({"head", *more})
    assert plan_memory(planted, many, 1, 16).kept < plan_memory(planted, few, 1, 16).kept


def test_too_little_memory_is_refused_with_what_is_needed(planted: Subject) -> None:
    with pytest.raises(UserError, match=r"--memory: rows of 4000 tokens need at least \d+ MiB"):
        plan_memory(planted, planted.sites({"residual"}), 1, 4_000)


@pytest.mark.parametrize("kind", TINY)
def test_every_family_says_how_wide_its_sites_are(kind: str, subject_of: Callable[[str], Subject]) -> None:
    subject = subject_of(kind)
    kinds = [name for name in KINDS if name != "pattern" or subject.family.pattern != "none"]
    assert plan_memory(subject, subject.sites(kinds), 64, 48).stacked >= 48
