"""Circuits: a few sites that alone do what the whole model does, compared with chance."""
