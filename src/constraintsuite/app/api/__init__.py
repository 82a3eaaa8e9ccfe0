"""The Python interface. Each function is in the same file as the type that it returns."""
