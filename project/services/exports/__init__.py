"""Exports: the issues that somebody may see, as files in an archive that only they can fetch."""
