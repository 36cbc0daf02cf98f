"""Kills, freezes and cuts off everything that the product consists of, and compares what is left with what
the mail server got. ``docs/chaos.md`` explains it; ``python -m tests.chaos`` runs it.
"""
