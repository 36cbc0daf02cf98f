"""Takes the product's guards away, one at a time, and shows that a test notices. See ``docs/chaos.md``."""
