"""Memory as a graph of units: what it holds, how it is searched, and what that is worth at an equal budget."""
