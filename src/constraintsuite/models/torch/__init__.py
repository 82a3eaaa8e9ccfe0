"""Models that run on torch; imported only where the extra [torch] is there."""
