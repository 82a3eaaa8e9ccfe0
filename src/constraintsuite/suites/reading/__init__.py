"""What one document says of its subject: its class, the relations it states, the nouns it has or lacks."""
