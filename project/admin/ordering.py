"""Orders about rows that are ticked in a list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from dramatiq import Actor
from dramatiq.errors import BrokerConnectionError

from project.actors.wakes import send_wakes
from project.admin.confirming import MAY_ORDER, Outcomes, ask, given_order, tell
from project.admin.reading import Readable
from project.models import Order, Report, Verb, Wake


@dataclass(frozen=True)
class Deed:
    """Something to do to rows: how to look ahead, how to do it, and the actor that the rows wake then."""

    verb: Verb
    look: Callable[[Sequence[Wake]], Outcomes]
    act: Callable[[Sequence[Wake], Order], Report]
    actor: Actor[..., None]


class Ordered(Readable):
    """A table whose rows can be ordered about by who may operate."""

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Whether the user may give orders."""
        return request.user.has_perm(MAY_ORDER)

    def carry_out(self, request: HttpRequest, deed: Deed, rows: QuerySet[Model]) -> HttpResponse | None:
        """Ask first; once there is a reason, do it to what was shown then.

        The page carries each row's dispatch, so sending it a second time orders nothing new.
        """
        targets = _shown(request) or _ticked(request, rows)
        order = given_order(request, deed.verb)
        if order is None:
            hidden = _hidden(request, targets)
            return ask(request, deed.verb, deed.look(targets), hidden, back=request.get_full_path())
        report = deed.act(targets, order)
        tell(request, report.outcomes)
        try:
            send_wakes(deed.actor, report.wakes)
        except BrokerConnectionError:
            messages.warning(request, "Redis cannot be reached: the sweep will wake the rows once it can.")
        return None


def _shown(request: HttpRequest) -> list[Wake]:
    pairs = (text.split(":") for text in request.POST.getlist("target"))
    return [Wake(UUID(row_id), int(dispatch)) for row_id, dispatch in pairs]


def _ticked(request: HttpRequest, rows: QuerySet[Model]) -> list[Wake]:
    """Those of the page only, even if "all" was chosen: an order is looked at before it is given."""
    ticked = rows.filter(pk__in=request.POST.getlist(ACTION_CHECKBOX_NAME))
    return [Wake(*row) for row in ticked.values_list("pk", "dispatch")]


def _hidden(request: HttpRequest, targets: Sequence[Wake]) -> list[tuple[str, str]]:
    return [
        ("action", request.POST["action"]),
        *((ACTION_CHECKBOX_NAME, str(row_id)) for row_id, _ in targets),
        *(("target", f"{row_id}:{dispatch}") for row_id, dispatch in targets),
    ]
