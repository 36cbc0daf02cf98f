"""Pages for people, rendered here and usable without JavaScript."""
