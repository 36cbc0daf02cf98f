"""What Prometheus reads."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from project.actors.metrics import metrics
from project.views.watchers import is_watcher, refused


@require_GET
@never_cache
def show_metrics(request: HttpRequest) -> HttpResponse:
    """Answer with all metrics in Prometheus' text format, to those who may see them."""
    if not is_watcher(request):
        return refused()
    return HttpResponse(generate_latest(metrics()), content_type=CONTENT_TYPE_LATEST)
