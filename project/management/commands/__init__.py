"""Management commands: thin, like actors."""
