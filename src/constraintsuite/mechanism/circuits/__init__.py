"""Circuits: a few sites that do on their own what the whole model does, and what chance would have made of it."""
