"""A small Django project whose worker processes the tests start and kill."""
