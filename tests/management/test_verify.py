import json
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command

from project.models import EmailDigest
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def run(*options: str) -> tuple[int, str]:
    output = StringIO()
    try:
        call_command("verify", *options, stdout=output)
    except SystemExit as exit_:
        return int(str(exit_.code)), output.getvalue()
    return 0, output.getvalue()


def make_empty_digest() -> EmailDigest:
    return EmailDigest.objects.create(id=uuid4(), receiver=make_user("bob"))


def test_without_a_finding_the_status_is_zero() -> None:
    status, output = run()
    assert status == 0
    assert "nothing is broken" in output


def test_a_finding_is_told_in_words_with_a_sample() -> None:
    digest = make_empty_digest()

    status, output = run()

    assert status == 1
    assert "BROKEN: 1 × not true that a digest covers at least one log row" in output
    assert str(digest.id) in output


def test_findings_as_json() -> None:
    digest = make_empty_digest()

    status, output = run("--json")

    assert status == 1
    (finding,) = json.loads(output)["findings"]
    assert finding["name"] == "digest_has_lines"
    assert (finding["kind"], finding["count"], finding["sample"]) == ("broken", 1, [str(digest.id)])


def test_no_findings_as_json() -> None:
    status, output = run("--json")
    assert status == 0
    assert json.loads(output)["findings"] == []
    assert json.loads(output)["checks"] > 0
