"""Errors for Sentry and traces for OpenTelemetry, where somebody wants them: both are extras of the package."""
