"""What effects are held against: the rounding of fp32, and a model of the same shape that learnt nothing."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and records are read without it

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.subject import Subject

ROUNDING = 1e-5
"""Of the largest margin: what is below is fp32's own, and its sign says nothing."""


def without_rounding(effects: FloatArray, floor: float) -> FloatArray:
    """The effects, with 0 for those of at most `floor`."""
    return np.where(np.abs(effects) <= floor, 0.0, effects)


def random_twin(subject: Subject, seed: int) -> Subject:
    """A subject of the same shape and tokens whose weights were drawn, never trained."""
    import torch

    trained = subject.model
    devices = [trained.device] if trained.device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        model = type(trained)(copy.deepcopy(trained.config))
    for weight in model.parameters():
        weight.requires_grad_(False)
    model = model.to(device=trained.device, dtype=trained.dtype).eval()
    classifier = replace(subject.classifier, model=model)
    name = f"{subject.name}, random weights {seed}"
    return replace(subject, name=name, classifier=classifier, fingerprint=f"{subject.fingerprint}/random-{seed}")
