"""What must hold of exports, as they were asked for and as they were made."""

from project.services.maintenance.check import Check


def _told_in(table: str) -> str:
    """SQL: what a table says of the end of `run`."""
    return (
        f"SELECT FROM {table} AS told WHERE told.entity_name = 'export'"
        " AND told.entity_identifier = run.export_id"
        " AND told.data #>> '{export,dispatch}' = run.dispatch::text"
    )


BROKEN = (
    Check(
        "open_export_has_run",
        "an export that is wanted has a run, which somebody will make",
        "SELECT export.id FROM exporters AS export LEFT JOIN export_runs AS run ON run.export_id = export.id"
        " WHERE run.export_id IS NULL AND export.deleted_at IS NULL"
        " AND export.status IN ('queued', 'processing')",
    ),
    Check(
        "export_mirrors_run",
        "an export says of itself what its run says",
        "SELECT export.id FROM exporters AS export JOIN export_runs AS run ON run.export_id = export.id"
        " WHERE export.status <> run.status OR export.reason <> run.reason OR export.key <> run.key",
    ),
    Check(
        "export_end_is_whole",
        "an export that ended has a time, a failed one a reason, a completed one all that its link needs",
        "SELECT export_id FROM export_runs WHERE (status IN ('queued', 'processing')) <> (ended_at IS NULL)"
        " OR status = 'failed' AND reason = ''"
        " OR status IN ('completed', 'expired') AND (length(sha256) <> 64 OR size IS NULL"
        " OR rows_total IS DISTINCT FROM rows_done OR snapshot_at IS NULL OR expires_at IS NULL)",
    ),
    Check(
        "export_names_its_own_archive",
        "an export that was completed names the archive of its last attempt, and no other one names any",
        "SELECT export.id FROM exporters AS export JOIN export_runs AS run ON run.export_id = export.id"
        " WHERE run.key <> CASE WHEN run.status IN ('completed', 'expired')"
        " THEN format('exports/%%s/%%s/%%s.zip', export.workspace_id, export.id, run.attempt) ELSE '' END",
    ),
    Check(
        "export_end_is_told",
        "an export that was completed or failed has a notification and a log row about that, while those are kept",
        "SELECT run.export_id FROM export_runs AS run"  # noqa: S608 (constants)
        " WHERE run.status IN ('completed', 'expired', 'failed') AND run.ended_at > %(kept_whole)s"
        f" AND NOT (EXISTS ({_told_in('notifications')}) AND EXISTS ({_told_in('email_notification_logs')}))",
    ),
    Check(
        "export_stores_no_link",
        "a link is made for a click, and none is stored",
        "SELECT export.id FROM exporters AS export JOIN export_runs AS run ON run.export_id = export.id"
        " WHERE export.url <> ''",
    ),
)

LATE = (
    Check(
        "export_ends_in_time",
        "an export that is due, or being made, makes progress",
        "SELECT export_id FROM export_runs WHERE status = 'queued' AND due_at < %(late)s"
        " OR status = 'processing' AND progress_at < %(late)s",
    ),
    Check(
        "archive_is_removed_in_time",
        "an archive is removed when its time is over",
        "SELECT export_id FROM export_runs WHERE status = 'completed' AND expires_at < %(kept)s",
    ),
)
