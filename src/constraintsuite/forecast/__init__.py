"""What work on a large corpus will take, estimated from what small samples of it took here."""
