"""Signing in and out."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponseBase

from project.views.pages.page import sealed


class SignInForm(AuthenticationForm):
    """Address and password. Addresses are kept in lower case, so they are looked for like that."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "No account has this address and this password.",
    }

    def clean_username(self) -> str:
        """Return the address as it is kept."""
        address: str = self.cleaned_data["username"]
        return address.strip().lower()


class SignIn(LoginView):
    """``/sign-in/``."""

    authentication_form = SignInForm
    template_name = "pages/sign_in.html"
    redirect_authenticated_user = True
    next_page = "home"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer as all pages do."""
        return sealed(super().dispatch(request, *args, **kwargs))


class SignOut(LogoutView):
    """``/sign-out/``, by POST only."""

    next_page = "sign-in"
