"""Signing in and out on the members' pages."""

import pytest
from django.test import Client

from project.models import User
from tests.factories import make_team, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return make_user("ann", password="correct horse")


def sign_in(client: Client, address: str, password: str, then: str = "") -> tuple[int, str]:
    response = client.post("/sign-in/", {"username": address, "password": password, "next": then})
    return response.status_code, response.headers.get("Location", "")


@pytest.mark.parametrize("address", ["ann@example.org", " Ann@Example.ORG "])
def test_in_by_address_in_any_spelling_of_it_and_out(client: Client, ann: User, address: str) -> None:
    make_team(names=["ann"])
    assert sign_in(client, address, "correct horse") == (302, "/")
    assert client.get("/").status_code == 200
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").headers["Location"] == "/sign-in/"
    assert client.get("/").headers["Location"] == "/sign-in/?next=/"


@pytest.mark.parametrize(
    ("address", "password"),
    [("ann@example.org", "wrong"), ("nobody@example.org", "correct horse"), ("", ""), ("\0", "\0")],
)
def test_what_is_wrong_is_not_told_apart(client: Client, ann: User, address: str, password: str) -> None:
    assert sign_in(client, address, password) == (200, "")
    assert "_auth_user_id" not in client.session


def test_a_closed_account_stays_out(client: Client, ann: User) -> None:
    User.objects.update(is_active=False)
    assert sign_in(client, "ann@example.org", "correct horse") == (200, "")


@pytest.mark.parametrize(
    ("then", "leads_to"),
    [
        ("/acme/inbox/?tab=unread", "/acme/inbox/?tab=unread"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_it_leads_on_within_the_site_only(client: Client, ann: User, then: str, leads_to: str) -> None:
    assert sign_in(client, "ann@example.org", "correct horse", then) == (302, leads_to)


def test_who_is_signed_in_is_not_asked_again(client: Client, ann: User) -> None:
    client.force_login(ann)
    assert client.get("/sign-in/").headers["Location"] == "/"


def test_home_leads_to_the_first_workspace(client: Client, ann: User) -> None:
    client.force_login(ann)
    nowhere = client.get("/")
    assert "not a member of any workspace yet" in nowhere.content.decode()
    assert "Sign out" in nowhere.content.decode()
    team = make_team(names=["zoe"])
    client.force_login(team.members["zoe"])
    assert client.get("/").headers["Location"] == "/acme/inbox/"
