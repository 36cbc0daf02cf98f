from dataclasses import replace
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command

from project.demo.ports import free_port
from project.object_store import ObjectStore
from project.services.exports.probe import probe
from project.services.exports.storage import Storage
from tests.services.exports.exporting import storage

NOWHERE = "http://127.0.0.1"


def tried(store: ObjectStore, public: str = "") -> dict[str, str]:
    return {step.name: step.wrong for step in probe(Storage(store, public or store.endpoint))}


def test_a_store_that_works_is_left_as_it_was() -> None:
    before = sorted(storage().found())
    steps = tried(settings.OBJECT_STORE)
    assert len(steps) == 5
    assert set(steps.values()) == {""}
    assert sorted(storage().found()) == before


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ({"bucket": "no-such-bucket"}, "Make the bucket"),
        ({"secret_key": "wrong"}, "Correct the secret key"),
        ({"access_key": "wrong"}, "Correct the access key"),
    ],
)
def test_what_is_wrong_is_said_with_advice(wrong: dict[str, str], advice: str) -> None:
    steps = tried(replace(settings.OBJECT_STORE, **wrong))
    assert list(steps) == ["write an archive", "remove it"]
    assert advice in steps["write an archive"]


def test_a_store_that_is_away_is_said_to_be() -> None:
    away = replace(settings.OBJECT_STORE, endpoint=f"{NOWHERE}:{free_port()}")
    assert "Could not connect" in tried(away)["write an archive"]


def test_a_public_address_that_leads_nowhere_is_found() -> None:
    steps = tried(settings.OBJECT_STORE, f"{NOWHERE}:{free_port()}")
    assert steps["write an archive"] == ""
    assert "refused" in steps["fetch it by a link, at the public address"]
    assert steps["remove it"] == ""


def test_the_command_prints_each_step() -> None:
    output = StringIO()
    call_command("check_storage", stdout=output)
    assert output.getvalue().count(": ok\n") == 5


def test_the_command_says_by_its_status_that_something_is_wrong(settings) -> None:
    settings.OBJECT_STORE = replace(settings.OBJECT_STORE, secret_key="wrong")
    with pytest.raises(SystemExit, match="1"):
        call_command("check_storage", stdout=StringIO())
