"""Pictures of numbers: one file a kind, drawn as SVG for a page or a notebook."""
