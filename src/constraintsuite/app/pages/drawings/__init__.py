"""Pictures of numbers: one file per kind, drawn as SVG for a page or a notebook."""
