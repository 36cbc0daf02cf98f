"""The project on one machine: servers for a machine that has none, and what shows them at work."""
