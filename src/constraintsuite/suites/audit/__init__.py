"""Can something win that does not understand? Solvers that see less than they should, and the balance of pairs."""
