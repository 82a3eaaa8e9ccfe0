"""Analyses of models, their circuits, and drifts, shown."""
