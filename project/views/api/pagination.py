"""Pages of a list."""

from rest_framework.pagination import PageNumberPagination


class Pages(PageNumberPagination):
    """``?page=2&per_page=50``; a page holds 50 rows unless asked otherwise, and 100 at most."""

    page_size = 50
    page_size_query_param = "per_page"
    max_page_size = 100
