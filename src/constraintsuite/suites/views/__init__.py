"""Figures about a suite."""
