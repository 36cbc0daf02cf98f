"""The explain page of the admin: why did, or did not, this person get this mail, or this export?"""

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from project.models import NotFoundError, Story
from project.services.digests import explain as mails
from project.services.digests.explain_lookup import find_issue, find_user
from project.services.exports.explain import explain_export

QUESTIONS = {**mails.QUESTIONS, "export": explain_export}


class PersonForm(forms.Form):
    """Asks about one person and one issue."""

    user = forms.CharField(label="Person", help_text="Address or id")
    issue = forms.CharField(label="Issue", help_text="Key such as ACME-12, or id")

    def stories(self) -> list[Story]:
        """Return the answer.

        Raises:
            NotFoundError: if there is no such person or issue.
        """
        person, issue = find_user(self.cleaned_data["user"]), find_issue(self.cleaned_data["issue"])
        return mails.explain_person(person, issue, now=timezone.now(), limits=settings.LIMITS)


class RowForm(forms.Form):
    """Asks about one row."""

    about = forms.ChoiceField(choices=[(name, name.title()) for name in QUESTIONS])
    id = forms.UUIDField(label="Id")

    def stories(self) -> list[Story]:
        """Return the answer.

        Raises:
            NotFoundError: if there is no such row.
        """
        return QUESTIONS[self.cleaned_data["about"]](
            self.cleaned_data["id"], now=timezone.now(), limits=settings.LIMITS
        )


@require_GET
@permission_required("project.operate", raise_exception=True)
def explain(request: HttpRequest) -> HttpResponse:
    """Show both forms, and the stories that answer the one that was sent."""
    person = PersonForm(request.GET if "user" in request.GET else None)
    row = RowForm(request.GET if "about" in request.GET else None)
    stories: list[Story] | None = None
    for form in (person, row):
        if form.is_valid():
            try:
                stories = form.stories()
            except NotFoundError as error:
                form.add_error(None, str(error))
    context = {"title": "Explain", "forms": [person, row], "stories": stories}
    return TemplateResponse(request, "ops/explain.html", {**admin.site.each_context(request), **context})
