"""Where inside a model a behaviour lives: sites, patching, ablation, attribution, circuits, and their drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.mechanism.families.base import ModelFamily

_HERE = "constraintsuite.mechanism.families"
FAMILIES: Catalogue[ModelFamily] = Catalogue(
    "family of rerankers",
    {
        "bert": f"{_HERE}.bert:BERT",
        "camembert": f"{_HERE}.bert:ROBERTA",
        "deberta": f"{_HERE}.deberta:DEBERTA",
        "deberta-v2": f"{_HERE}.deberta:DEBERTA_V2",
        "distilbert": f"{_HERE}.distilbert:DISTILBERT",
        "electra": f"{_HERE}.bert:ELECTRA",
        "gemma": f"{_HERE}.decoder:DECODER",
        "llama": f"{_HERE}.decoder:DECODER",
        "mistral": f"{_HERE}.decoder:DECODER",
        "modernbert": f"{_HERE}.modernbert:MODERNBERT",
        "qwen2": f"{_HERE}.decoder:DECODER",
        "qwen3": f"{_HERE}.decoder:DECODER",
        "roberta": f"{_HERE}.bert:ROBERTA",
        "t5": f"{_HERE}.t5:T5",
        "xlm-roberta": f"{_HERE}.bert:ROBERTA",
    },
)
"""By the `model_type` of a configuration."""
