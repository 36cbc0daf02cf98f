"""People."""

import uuid
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone


class UserManager(BaseUserManager["User"]):
    """Creates users as Django's commands expect."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user who signs in with `email`."""
        address = self.normalize_email(email).strip().lower()
        user = self.model(email=address, username=fields.pop("username", address), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user who may do everything in the admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A member, a bot or an operator (Plane's ``users``)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    username = models.CharField(max_length=128, unique=True)
    email = models.CharField(max_length=255, null=True, blank=True, unique=True)
    display_name = models.CharField(max_length=255, default="", blank=True)
    first_name = models.CharField(max_length=255, default="", blank=True)
    last_name = models.CharField(max_length=255, default="", blank=True)
    avatar = models.TextField(default="", blank=True)
    is_active = models.BooleanField(default=True)
    is_bot = models.BooleanField(default=False)
    is_staff = models.BooleanField(default=False)
    is_email_verified = models.BooleanField(default=False)
    is_email_valid = models.BooleanField(default=False)
    user_timezone = models.CharField(max_length=255, default="UTC")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    date_joined = models.DateTimeField(default=timezone.now, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        db_table = "users"

    def __str__(self) -> str:
        return self.display_name or self.email or self.username

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Keep the address lower-case and a display name there, as Plane does."""
        if self.email:
            self.email = self.email.strip().lower()
            self.display_name = self.display_name or self.email.partition("@")[0]
        super().save(*args, **kwargs)

    @property
    def full_name(self) -> str:
        """First and last name, or the display name if both are empty."""
        return f"{self.first_name} {self.last_name}".strip() or self.display_name

    @property
    def shown_name(self) -> str:
        """What other people read, in mails and on pages: the display name, or else the full one."""
        return self.display_name or self.full_name
