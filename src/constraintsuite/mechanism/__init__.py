"""Where inside a model a behaviour lives: sites, patching, ablation, attribution, circuits, and their drift."""
