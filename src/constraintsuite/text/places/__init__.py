"""The places that a text names, and what lies inside what."""
