"""What training changes: behaviour, which sites matter, what they say, and the weights themselves, checkpoint by checkpoint."""
