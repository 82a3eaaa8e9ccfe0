"""What the things are: frozen records in the words of the field, with no behaviour."""
