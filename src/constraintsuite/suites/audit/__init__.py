"""The audit: can a system win without understanding? Solvers that use shortcuts, and the balance of the two documents."""
