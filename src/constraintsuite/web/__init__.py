"""The local site over artifact folders: pages that look, and pages on which people judge."""
