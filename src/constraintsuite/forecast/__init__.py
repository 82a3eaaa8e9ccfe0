"""What work on a large corpus will take, foretold from what small samples of it took here."""
