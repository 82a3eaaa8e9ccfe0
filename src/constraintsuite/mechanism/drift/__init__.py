"""What training changes from checkpoint to checkpoint: behaviour, which sites matter, what they represent, and weights."""
