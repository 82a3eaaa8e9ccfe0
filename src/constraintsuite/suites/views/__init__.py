"""Figures about a whole suite."""
