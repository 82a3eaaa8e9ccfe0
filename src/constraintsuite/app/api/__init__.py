"""The Python interface: each function stands beside the type that it returns, and what it returns shows itself in a notebook."""
