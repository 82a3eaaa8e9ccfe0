"""Evaluation: score a suite with a model, and compare, gate and summarise finished runs of any kind."""
