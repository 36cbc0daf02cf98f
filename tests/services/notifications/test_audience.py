"""The audience rules, one by one and as laws."""

from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.models import IssueActivity, Role
from project.services.notifications.audience import Reason, audience, joining, tellings
from project.services.notifications.people import People

ANN, BOB, CARL, DORA = EVERYBODY = [UUID(int=n) for n in range(1, 5)]
CREATED, ASSIGNED, SUBSCRIBED = Reason.CREATED, Reason.ASSIGNED, Reason.SUBSCRIBED


def people(**facts: Any) -> People:
    """Ann acts, all four are members, nobody has anything to do with the issue unless `facts` say so."""
    none: frozenset[UUID] = frozenset()
    sets = dict.fromkeys(("assignees", "followers", "left", "assigned", "mentioned"), none)
    roles = dict.fromkeys(EVERYBODY, Role.MEMBER)
    return People(**{"actor": ANN, "creator": None, "guests_see_all": False, "roles": roles, **sets, **facts})


GUEST_BOB = {"roles": {ANN: Role.MEMBER, BOB: Role.GUEST}}


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        pytest.param({}, {}, id="nobody around"),
        pytest.param({"creator": BOB}, {BOB: CREATED}, id="creator"),
        pytest.param({"assignees": {BOB}}, {BOB: ASSIGNED}, id="assignee"),
        pytest.param({"followers": {BOB}}, {BOB: SUBSCRIBED}, id="follower"),
        pytest.param({"mentioned": {BOB}}, {BOB: SUBSCRIBED}, id="mentioned follows from now on"),
        pytest.param({"assigned": {BOB}}, {BOB: ASSIGNED}, id="assigned, and unassigned since"),
        pytest.param(
            {"creator": BOB, "assignees": {BOB, CARL}, "followers": {BOB, CARL, DORA}},
            {BOB: CREATED, CARL: ASSIGNED, DORA: SUBSCRIBED},
            id="several roles, the strongest reason",
        ),
        pytest.param(
            {"creator": ANN, "assignees": {ANN}, "followers": {ANN}, "assigned": {ANN}, "mentioned": {ANN}},
            {},
            id="never the actor",
        ),
        pytest.param({"actor": None, "creator": ANN}, {ANN: CREATED}, id="nobody acted: all are told"),
        pytest.param({"creator": BOB, "left": {BOB}}, {}, id="creator who left"),
        pytest.param({"assignees": {BOB}, "left": {BOB}}, {}, id="assignee who left"),
        pytest.param({"left": {BOB}, "assigned": {BOB}}, {BOB: ASSIGNED}, id="left, assigned anew"),
        pytest.param({"left": {BOB}, "mentioned": {BOB}}, {BOB: SUBSCRIBED}, id="left, mentioned"),
        pytest.param(
            {"creator": BOB, "assignees": {BOB}, "followers": {BOB}, "mentioned": {BOB}, "roles": {}},
            {},
            id="no member",
        ),
        pytest.param({"followers": {BOB}, **GUEST_BOB}, {}, id="guest, another's issue"),
        pytest.param({"mentioned": {BOB}, **GUEST_BOB}, {}, id="guest, mentioned in another's issue"),
        pytest.param({"creator": BOB, **GUEST_BOB}, {BOB: CREATED}, id="guest, own issue"),
        pytest.param({"assignees": {BOB}, **GUEST_BOB}, {BOB: ASSIGNED}, id="guest, assigned"),
        pytest.param(
            {"followers": {BOB}, "guests_see_all": True, **GUEST_BOB},
            {BOB: SUBSCRIBED},
            id="guest, open project",
        ),
    ],
)
def test_audience(facts: dict[str, Any], told: dict[UUID, Reason]) -> None:
    assert audience(people(**facts)) == told


@pytest.mark.parametrize(
    ("facts", "joins"),
    [
        pytest.param({}, [ANN], id="the actor"),
        pytest.param({"left": {ANN}}, [], id="not an actor who left"),
        pytest.param({"left": {ANN}, "mentioned": {ANN}}, [], id="not by a mention of oneself"),
        pytest.param({"left": {ANN}, "assigned": {ANN}}, [ANN], id="by assigning oneself"),
        pytest.param({"actor": None}, [], id="nobody acted"),
        pytest.param({"assigned": {BOB}, "mentioned": {CARL}}, [ANN, BOB, CARL], id="assigned, mentioned"),
        pytest.param(
            {"left": {BOB, CARL}, "assigned": {BOB}, "mentioned": {CARL}}, [ANN, BOB, CARL], id="back"
        ),
        pytest.param({"followers": {ANN, BOB}, "assigned": {BOB}}, [], id="not twice"),
        pytest.param({"assignees": {BOB}, "creator": CARL}, [ANN], id="not who was there before"),
        pytest.param({"mentioned": {BOB}, "roles": {}}, [], id="members only"),
        pytest.param({"mentioned": {BOB}, **GUEST_BOB}, [ANN], id="no guest who may not see it"),
    ],
)
def test_joining(facts: dict[str, Any], joins: list[UUID]) -> None:
    assert joining(people(**facts), actor_too=True) == joins


def test_the_actor_does_not_join_what_they_deleted() -> None:
    assert joining(people(), actor_too=False) == []


def change(field: str | None) -> IssueActivity:
    return IssueActivity(id=uuid4(), field=field)


@pytest.mark.parametrize("carrier", ["comment", "description", None])
def test_a_mention_is_told_by_the_text_that_carries_it(carrier: str | None) -> None:
    name, text, link = activities = [change("name"), change(carrier), change("link")]
    told = tellings(activities, {BOB: ASSIGNED, CARL: SUBSCRIBED}, {BOB})
    assert [(t.activity, t.receiver_id, t.reason) for t in told] == [
        (name, BOB, ASSIGNED),
        (name, CARL, SUBSCRIBED),
        (text, BOB, Reason.MENTIONED),
        (text, CARL, SUBSCRIBED),
        (link, BOB, ASSIGNED),
        (link, CARL, SUBSCRIBED),
    ]


# Ids whose order is not the one in which a set happens to give them.
users = st.sampled_from([uuid5(NAMESPACE_OID, str(n)) for n in range(8)])
some = st.frozensets(users)
crowds = st.builds(
    People,
    actor=users | st.none(),
    creator=users | st.none(),
    assignees=some,
    followers=some,
    left=some,
    assigned=some,
    mentioned=some,
    roles=st.dictionaries(users, st.sampled_from(Role)),
    guests_see_all=st.booleans(),
)
changes = st.lists(st.sampled_from([None, "name", "assignees", "comment", "description", "link"]), min_size=1)


@given(crowds)
def test_law_only_members_are_told_and_never_the_actor(crowd: People) -> None:
    receivers = audience(crowd)
    own = crowd.assignees | {crowd.creator}
    assert receivers.keys() <= crowd.roles.keys() - {crowd.actor}
    assert receivers.keys() <= own | crowd.followers | crowd.assigned | crowd.mentioned
    assert receivers.keys() & crowd.left <= crowd.assigned | crowd.mentioned
    if not crowd.guests_see_all:
        assert {user for user in receivers if crowd.roles[user] == Role.GUEST} <= own
    assert list(receivers) == sorted(receivers)


@given(crowds, changes)
def test_law_everybody_is_told_of_each_activity_once_and_of_a_mention_once(
    crowd: People, fields: list[str | None]
) -> None:
    receivers = audience(crowd)
    told = tellings([change(field) for field in fields], receivers, crowd.mentioned)
    assert len({(t.activity.id, t.receiver_id) for t in told}) == len(told) == len(fields) * len(receivers)
    mentions = [t.receiver_id for t in told if t.reason is Reason.MENTIONED]
    assert sorted(mentions) == sorted(crowd.mentioned & receivers.keys())


@given(crowds, st.booleans())
def test_law_only_members_join_and_none_twice(crowd: People, actor_too: bool) -> None:
    joins = joining(crowd, actor_too=actor_too)
    assert set(joins) <= crowd.roles.keys() - crowd.followers
    assert joins == sorted(set(joins))
