"""Circuits: a few sites that alone do what the full model does, compared with chance."""
