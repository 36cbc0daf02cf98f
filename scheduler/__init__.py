"""The scheduler process: when each periodic actor runs."""
