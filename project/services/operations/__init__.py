"""What operators want to know about the system as a whole, read from the tables."""
