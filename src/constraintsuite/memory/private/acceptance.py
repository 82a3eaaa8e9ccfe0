"""What a golden set must have before figures may rest on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.annotate.labels import LabelledItem
from constraintsuite.memory.private.cases import SHARES, PrivateCase
from constraintsuite.memory.private.labelling import EvidenceAgreement
from constraintsuite.records.figures import percent

APPROVED = 120
NON_TRIVIAL = 0.3
HARD_NEGATIVES = 10


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the list."""

    name: str
    met: bool
    found: str
    wanted: str
    binding: bool = True
    """Whether a set without it is not accepted; the shares of families are advice."""


@dataclass(frozen=True, slots=True)
class Approved:
    """A case that may be exported, with its settled labels."""

    case: PrivateCase
    labels: LabelledItem
    evidence: tuple[str, ...]


def approve(
    cases: Iterable[PrivateCase], labelled: Mapping[str, LabelledItem]
) -> tuple[list[Approved], dict[str, int]]:
    """The cases that people settled as good, with evidence; and why the others are not among them."""
    found: list[Approved] = []
    left: Counter[str] = Counter()
    for case in cases:
        labels = labelled[case.case]
        reason = _reason(labels)
        if not reason:
            evidence = labels.settled("evidence")
            assert isinstance(evidence, tuple)
            found.append(Approved(case, labels, evidence))
        else:
            left[reason] += 1
    return found, dict(sorted(left.items()))


def criteria(approved: Sequence[Approved], agreed: EvidenceAgreement, units: frozenset[str]) -> list[Criterion]:
    """The acceptance list, and the shares of families."""
    n = len(approved)
    harder = sum(one.labels.settled("difficulty") in ("medium", "hard") for one in approved)
    negatives = sum(len(one.case.hard_negatives) for one in approved)
    lost = sorted({name for one in approved for name in ids_of(one)} - units)
    bounds = (agreed.jaccard.low, agreed.alpha_jaccard.low)
    lower = "–" if None in bounds else f"{min(bound for bound in bounds if bound is not None):.3f}"
    families: Counter[str] = Counter(one.case.family for one in approved)
    return [
        Criterion("approved cases", n >= APPROVED, str(n), f"{APPROVED} or more"),
        Criterion("lower bound of agreement on evidence", agreed.passed, lower, f"{agreed.least:.2f} or more"),
        Criterion("ids that do not resolve", not lost, ", ".join(lost[:3]) or "0", "none"),
        Criterion(
            "share that is medium or hard",
            n > 0 and harder >= NON_TRIVIAL * n,
            _share(harder, n),
            f"{percent(NON_TRIVIAL)} or more",
        ),
        Criterion("hard-negative pairs", negatives >= HARD_NEGATIVES, str(negatives), f"{HARD_NEGATIVES} or more"),
        *(
            Criterion(
                f"share of {name}",
                n > 0 and low * n <= families[name] <= high * n,
                _share(families[name], n),
                f"{percent(low)} to {percent(high)}",
                binding=False,
            )
            for name, (low, high) in SHARES.items()
        ),
    ]


def ids_of(one: Approved) -> tuple[str, ...]:
    """All units that a case names."""
    named = [one.labels.settled(question) or () for question in ("path", "contradiction")]
    return (*one.evidence, *one.case.hard_negatives, *(name for value in named for name in value))


def _reason(labels: LabelledItem) -> str:
    for question in ("verdict", "evidence"):
        if labels.settled(question) is None:
            how = labels.labels[question].how
            return f"{question}: " + {"open": "annotators differ", "single": "only one has answered"}.get(
                how, "not answered"
            )
    if labels.settled("verdict") != "good":
        return f"verdict: {labels.settled('verdict')}"
    return "" if labels.settled("evidence") else "evidence: none"


def _share(part: int, n: int) -> str:
    return percent(part / n) if n else "–"
