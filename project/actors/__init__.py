"""Dramatiq actors: they call one service each and send what it returns."""
