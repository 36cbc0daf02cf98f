"""Estimates: the scale by which a project guesses the size of its issues."""

from django.db import models

from project.models.audited import InProject, LiveManager


class Estimate(InProject):
    """A scale (Plane's ``estimates``)."""

    name = models.CharField(max_length=255)
    description = models.TextField(default="", blank=True)
    type = models.CharField(max_length=255, default="categories")
    last_used = models.BooleanField(default=False)

    objects = LiveManager["Estimate"]()
    all_objects = models.Manager["Estimate"]()

    class Meta(InProject.Meta):
        db_table = "estimates"

    def __str__(self) -> str:
        return self.name


class EstimatePoint(InProject):
    """A mark on a scale, such as "5" or "XL" (Plane's ``estimate_points``)."""

    estimate = models.ForeignKey(Estimate, models.CASCADE, related_name="points")
    key = models.IntegerField(default=0)
    description = models.TextField(default="", blank=True)
    value = models.CharField(max_length=255)

    objects = LiveManager["EstimatePoint"]()
    all_objects = models.Manager["EstimatePoint"]()

    class Meta(InProject.Meta):
        db_table = "estimate_points"

    def __str__(self) -> str:
        return self.value
