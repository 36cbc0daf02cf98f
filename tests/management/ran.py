"""Runs a command of manage.py in this process."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError


def run(*words: object) -> str:
    output = StringIO()
    call_command(*map(str, words), stdout=output, stderr=output)
    return output.getvalue()


def run_json(*words: object) -> Any:
    return json.loads(run(*words, "--json"))


def refused(*words: object) -> str:
    """What the command says why it does not do it."""
    with pytest.raises(CommandError) as refusal:
        run(*words)
    return str(refusal.value)
