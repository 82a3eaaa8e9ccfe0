"""How long work will take, as a person says it."""

from __future__ import annotations


def lasting(seconds: float) -> str:
    """Seconds, minutes or hours, no more exact than a forecast is."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"
