"""The rules about the code itself, and the statements of the documents that a program can check."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
