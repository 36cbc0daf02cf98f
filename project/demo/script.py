"""What the team does in the story: three acts, each step one request and one sentence about it."""

from collections.abc import Iterator
from datetime import timedelta

from django.utils import timezone

from project.demo import desk
from project.demo.member import Member
from project.demo.patience import wait_for
from project.demo.progress import fanned_out
from project.demo.seed import Cast

FAN_OUT = 15  # seconds that the fan-out of what was done so far may take


class Script:
    """The acts. Each is an iterator that makes a request and then says what it was.

    Raises:
        RefusedError: from each act, if the API does not accept a request.
        TookTooLongError: if events are not fanned out in time.
    """

    def __init__(self, cast: Cast, site: str) -> None:
        self._cast = cast
        self._issues = cast.issues
        self._ana, self._ben, self._chiara, self._daniel, self._elif, self._farid = (
            Member(site, token, cast.slug, cast.project) for token in cast.tokens.values()
        )

    def morning(self) -> Iterator[str]:
        """A bit of everything: mentions, second thoughts, a preference, somebody leaves."""
        checkout, manifest = self._issues["checkout"], self._issues["manifest"]
        self._ben.change(manifest, state_id=self._cast.states["Todo"])
        yield "Ben moves the passenger list to Todo …"
        self._ben.change(manifest, state_id=self._cast.states["Backlog"])
        yield "… and back: nothing happened, so nobody should be told"
        wrong = self._chiara.comment(manifest, "<p>Fixed, please test.</p>")
        yield "Chiara comments on the passenger list …"
        self._chiara.take_back(manifest, wrong)
        yield "… and takes it back: that was another issue"
        reproduced = self._ben.comment(checkout, "<p>Reproduced, it is the secnd voucher.</p>")
        yield "Ben comments on the checkout"
        text = f"<p>Reproduced, it is the second voucher. {self._at('ana')} is it live?</p>"
        self._ben.edit(checkout, reproduced, text)
        yield "Ben corrects his comment and now mentions Ana in it"
        desk.switch_comment_mails_off(self._cast.people["daniel"])
        yield "Daniel switches mails about comments off"
        yield from self._reported_twice()
        yield from self._elif_leaves()

    def _reported_twice(self) -> Iterator[str]:
        again = self._farid.create(
            name="Two vouchers: payment hangs", assignee_ids=[self._cast.people["ben"]], priority="high"
        )
        yield "Farid opens 'Two vouchers: payment hangs' for Ben …"
        self._farid.delete(again)
        yield "… sees that Ana had reported it, and deletes it"

    def _elif_leaves(self) -> Iterator[str]:
        seats, people = self._issues["seats"], self._cast.people
        self._chiara.change(seats, assignee_ids=[people["chiara"], people["elif"]])
        yield "Chiara asks Elif to help with the seat map"
        wait_for("fan-out of all events", fanned_out, seconds=FAN_OUT)
        desk.remove_from_project(people["elif"], self._cast.project)
        yield "Elif is removed from the project: what was not mailed yet must not go out"

    def rush(self) -> Iterator[str]:
        """Everybody at once: what a release day does to a tracker."""
        issues, people, states = self._issues, self._cast.people, self._cast.states
        refund = self._ana.create(
            name="Refund the customers who paid twice",
            description_html=f"<p>{self._at('chiara')} has the list, please book it back today.</p>",
            priority="high",
            state_id=states["Todo"],
            assignee_ids=[people["farid"]],
        )
        yield "Ana opens 'Refund the customers who paid twice': for Farid, mentions Chiara"
        self._farid.change(refund, target_date=timezone.now().date() + timedelta(days=2))
        yield "Farid sets its due date to the day after tomorrow"
        self._ben.change(issues["checkout"], state_id=states["In Progress"], priority="urgent")
        yield "Ben starts on the checkout and makes it urgent"
        self._farid.comment(issues["checkout"], "<p>The harbour shop has 9 more cases.</p>")
        yield "Farid comments on the checkout"
        self._daniel.change(issues["timetable"], state_id=states["In Progress"])
        yield "Daniel starts on the timetable"
        self._chiara.comment(issues["timetable"], "<p>It is the cache: keyed by server date.</p>")
        yield "Chiara comments on the timetable"
        self._ana.change(issues["timetable"], assignee_ids=[people["daniel"], people["chiara"]])
        yield "Ana asks Chiara to help Daniel"
        self._chiara.change(issues["seats"], state_id=states["Done"])
        yield "Chiara finishes the seat map"
        self._farid.comment(issues["seats"], "<p>Tested with a screen reader, very good.</p>")
        yield "Farid comments on the seat map"
        self._daniel.change(refund, priority="urgent")
        yield "Daniel makes the refund urgent"
        self._farid.change(refund, state_id=states["Done"])
        yield "Farid has paid it back"

    def afternoon(self) -> Iterator[str]:
        """Life goes on while one worker is dead."""
        checkout, timetable = self._issues["checkout"], self._issues["timetable"]
        self._ben.comment(checkout, f"<p>Fixed. {self._at('farid')} can the shop try again?</p>")
        yield "Ben mentions Farid on the checkout"
        self._ben.change(checkout, state_id=self._cast.states["Done"])
        yield "Ben finishes the checkout"
        self._daniel.change(timetable, priority="high")
        yield "Daniel raises the timetable to high …"
        self._ana.change(timetable, priority="medium")
        yield "… Ana lowers it again"
        self._daniel.comment(timetable, "<p>Fine with me, it ships on Thursday.</p>")
        yield "Daniel comments on the timetable"

    def _at(self, key: str) -> str:
        attributes = f'entity_identifier="{self._cast.people[key]}" entity_name="user_mention"'
        return f"<mention-component {attributes}></mention-component>"
