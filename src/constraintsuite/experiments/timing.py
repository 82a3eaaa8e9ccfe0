"""How long systems take, told in the machine's own measure.

A millisecond on one machine is not one on another, nor on the same one while it is busy. So a fixed piece of work is timed
beside the searches (the calibration), and what is compared are searches in units of that work.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SystemSpeed:
    """Of one system in one group that is never pooled; the time of an item is the median of its repetitions."""

    system: str
    group: str
    """`overall`, or the group as in `budget=10`."""
    items: int
    repetitions: int
    """Warm ones, after the first."""
    cold_ms: float
    """Median of the first times."""
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Timing:
    """What was timed together."""

    calibration_ms: float
    speeds: tuple[SystemSpeed, ...]

    def __post_init__(self) -> None:
        times = [self.calibration_ms, *(time for speed in self.speeds for time in (speed.p50_ms, speed.p95_ms))]
        if not all(0 < time < float("inf") for time in times):
            raise ValueError("a time is not a positive number")

    def find(self, system: str, group: str) -> SystemSpeed | None:
        """The speed of a system in a group, if it was timed."""
        return next((speed for speed in self.speeds if (speed.system, speed.group) == (system, group)), None)
