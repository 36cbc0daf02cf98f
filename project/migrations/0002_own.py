"""The tables that are ours alone; they can be added to a database that Plane made."""

import datetime
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.utils.timezone
import project.models.unsubscribe
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('project', '0001_plane'),
    ]

    operations = [
        migrations.CreateModel(
            name='ExportRun',
            fields=[
                ('export', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='run', serialize=False, to='project.exporter')),
                ('wish', models.UUIDField()),
                ('multiple', models.BooleanField(default=False)),
                ('time_zone', models.CharField(default='UTC', max_length=255)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('processing', 'Processing'), ('completed', 'Completed'), ('failed', 'Failed'), ('cancelled', 'Cancelled'), ('expired', 'Expired')], default='queued', max_length=16)),
                ('reason', models.TextField(blank=True, default='')),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('enqueued_at', models.DateTimeField(blank=True, null=True)),
                ('dispatch', models.PositiveIntegerField(default=1)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('owner', models.UUIDField(blank=True, null=True)),
                ('unanswered', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('progress_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('snapshot_at', models.DateTimeField(blank=True, null=True)),
                ('full_projects', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ('own_projects', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ('rows_total', models.PositiveIntegerField(blank=True, null=True)),
                ('rows_done', models.PositiveIntegerField(default=0)),
                ('cut_cells', models.PositiveIntegerField(default=0)),
                ('key', models.TextField(blank=True, default='')),
                ('size', models.PositiveBigIntegerField(blank=True, null=True)),
                ('sha256', models.CharField(blank=True, default='', max_length=64)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'export_runs',
            },
        ),
        migrations.CreateModel(
            name='EmailDigest',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('issue', 'Issue'), ('rollup', 'Roll-up'), ('export', 'Export')], default='issue', max_length=16)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('status', models.CharField(choices=[('waiting', 'Waiting'), ('sending', 'Sending'), ('fenced', 'Fenced'), ('held', 'Held'), ('sent', 'Sent'), ('sent_assumed', 'Sent (assumed)'), ('suppressed', 'Suppressed'), ('failed', 'Failed'), ('expired', 'Expired')], default='waiting', max_length=16)),
                ('reason', models.TextField(blank=True, default='')),
                ('urgent', models.BooleanField(default=False)),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('enqueued_at', models.DateTimeField(blank=True, null=True)),
                ('dispatch', models.PositiveIntegerField(default=1)),
                ('awaits_breaker', models.BooleanField(default=False)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('owner', models.UUIDField(blank=True, null=True)),
                ('unanswered', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('dot_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('answer', models.TextField(blank=True, default='')),
                ('abridged', models.BooleanField(default=False)),
                ('generation', models.PositiveIntegerField(default=0)),
                ('sealed_at', models.DateTimeField(blank=True, null=True)),
                ('to_address', models.CharField(blank=True, default='', max_length=255)),
                ('subject', models.TextField(blank=True, default='')),
                ('message_id', models.CharField(blank=True, default='', max_length=100)),
                ('content', models.BinaryField(blank=True, null=True)),
                ('content_sha256', models.CharField(blank=True, default='', max_length=64)),
                ('receiver', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('issue', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='digests', to='project.issue')),
            ],
            options={
                'db_table': 'email_digests',
            },
        ),
        migrations.CreateModel(
            name='IssueMute',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='project.issue')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'issue_mutes',
            },
        ),
        migrations.CreateModel(
            name='MailBreaker',
            fields=[
                ('sender', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('cause', models.TextField(blank=True, default='')),
                ('probes', models.PositiveIntegerField(default=0)),
                ('probe_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'mail_breakers',
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('opened_at__isnull', True), ('probe_at__isnull', True)), models.Q(('opened_at__isnull', False), ('probe_at__isnull', False), models.Q(('cause', ''), _negated=True)), _connector='OR'), name='breaker_open_is_probed')],
            },
        ),
        migrations.CreateModel(
            name='MailFailure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sender', models.CharField(max_length=64)),
                ('kind', models.CharField(max_length=16)),
                ('at', models.DateTimeField()),
            ],
            options={
                'db_table': 'mail_failures',
                'indexes': [models.Index(fields=['sender', 'at'], name='mail_failure_recent')],
            },
        ),
        migrations.CreateModel(
            name='MailProviderEvent',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('provider', models.CharField(max_length=32)),
                ('token', models.CharField(editable=False, max_length=255, null=True, unique=True)),
                ('kind', models.CharField(max_length=32)),
                ('reject_reason', models.CharField(blank=True, default='', max_length=32)),
                ('recipient', models.CharField(blank=True, default='', max_length=255)),
                ('words', models.TextField(blank=True, default='')),
                ('permanent', models.BooleanField(default=False)),
                ('raw', models.TextField()),
                ('happened_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('dispatch', models.PositiveIntegerField(default=1)),
                ('enqueued_at', models.DateTimeField(blank=True, null=True)),
                ('processed_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.TextField(blank=True, default='')),
                ('digest', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='project.emaildigest')),
            ],
            options={
                'db_table': 'mail_provider_events',
            },
        ),
        migrations.CreateModel(
            name='RequeueAudit',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('by', models.CharField(max_length=255)),
                ('why', models.TextField()),
                ('verb', models.CharField(choices=[('requeue', 'Re-queue'), ('discard', 'Discard'), ('assume_sent', 'Assume sent'), ('cancel', 'Cancel'), ('resume', 'Resume'), ('clear', 'Clear')], max_length=16)),
                ('target', models.CharField(choices=[('dead_letters', 'Dead letters'), ('digests', 'Digests'), ('events', 'Events'), ('exports', 'Exports'), ('mail', 'Mail'), ('addresses', 'Addresses')], max_length=16)),
                ('rows', models.JSONField(default=dict)),
                ('counts', models.JSONField(default=dict)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'order of an operator',
                'verbose_name_plural': 'orders of operators',
                'db_table': 'requeue_audit',
                'permissions': [('operate', 'Can re-queue, discard and resolve failed work, and explain mails')],
                'indexes': [models.Index(fields=['-at'], name='requeue_time'), django.contrib.postgres.indexes.GinIndex(fields=['rows'], name='requeue_rows')],
                'constraints': [models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='requeue_has_reason')],
            },
        ),
        migrations.CreateModel(
            name='ScheduleRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('actor', models.CharField(max_length=100)),
                ('tick', models.DateTimeField()),
                ('status', models.CharField(choices=[('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='running', max_length=16)),
                ('reason', models.TextField(blank=True, default='')),
                ('outcome', models.TextField(blank=True, default='')),
                ('taken_up_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'db_table': 'schedule_runs',
                'constraints': [models.UniqueConstraint(fields=('actor', 'tick'), name='run_once_per_tick'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('status', 'running')), models.Q(models.Q(('status', 'running'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='run_ended_has_time'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='run_failed_has_reason')],
            },
        ),
        migrations.CreateModel(
            name='SuppressedAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=255)),
                ('reason', models.CharField(choices=[('unknown', 'No such mailbox'), ('full', 'Mailbox full'), ('policy', 'Refused by policy'), ('complaint', 'Marked as unwanted')], max_length=16)),
                ('evidence', models.TextField()),
                ('since', models.DateTimeField()),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('cleared_at', models.DateTimeField(blank=True, null=True)),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='project.emaildigest')),
            ],
            options={
                'verbose_name_plural': 'suppressed addresses',
                'db_table': 'suppressed_addresses',
            },
        ),
        migrations.CreateModel(
            name='UnsubscribeToken',
            fields=[
                ('token', models.CharField(default=project.models.unsubscribe.new_token, editable=False, max_length=16, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('issue', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='project.issue')),
                ('receiver', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'unsubscribe_tokens',
            },
        ),
        migrations.CreateModel(
            name='MailStop',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(choices=[('issue', 'About one issue'), ('project', 'About one project'), ('workspace', 'From one workspace'), ('exports', 'About own exports'), ('all', 'All mail')], max_length=16)),
                ('at', models.DateTimeField()),
                ('before', models.JSONField(default=dict)),
                ('ticket', models.PositiveIntegerField(default=1)),
                ('taken_back_at', models.DateTimeField(blank=True, null=True)),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stops', to='project.unsubscribetoken')),
            ],
            options={
                'db_table': 'mail_stops',
            },
        ),
        migrations.AddField(
            model_name='unsubscribetoken',
            name='workspace',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='project.workspace'),
        ),
        migrations.CreateModel(
            name='IssueEvent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=64)),
                ('activity_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ('mentioned_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ('bulk_id', models.UUIDField(blank=True, null=True)),
                ('occurred_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('fanned_out', 'Fanned out'), ('failed', 'Failed')], default='pending', max_length=16)),
                ('dispatch', models.PositiveIntegerField(default=1)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('enqueued_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('fanned_out_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.TextField(blank=True, default='')),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='project.issue')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='project.project')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='project.workspace')),
            ],
            options={
                'db_table': 'issue_events',
            },
        ),
        migrations.AddField(
            model_name='emaildigest',
            name='workspace',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='project.workspace'),
        ),
        migrations.CreateModel(
            name='MailSchedule',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='mail_schedule', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('mode', models.CharField(choices=[('instant', 'At once'), ('window', 'Gathered'), ('daily', 'Once a day'), ('off', 'Never')], default='window', max_length=16)),
                ('daily_at', models.TimeField(default=datetime.time(9, 0))),
                ('quiet_from', models.TimeField(blank=True, null=True)),
                ('quiet_until', models.TimeField(blank=True, null=True)),
                ('mentions_at_once', models.BooleanField(default=True)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'mail_schedules',
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('quiet_from__isnull', True), ('quiet_until__isnull', True)), models.Q(('quiet_from__isnull', False), ('quiet_until__isnull', False), models.Q(('quiet_from', models.F('quiet_until')), _negated=True)), _connector='OR'), name='mail_schedule_quiet_hours_begin_and_end')],
            },
        ),
        migrations.CreateModel(
            name='EmailDigestLine',
            fields=[
                ('log', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='line', serialize=False, to='project.emailnotificationlog')),
                ('suppressed', models.CharField(blank=True, default='', max_length=64)),
                ('digest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='project.emaildigest')),
            ],
            options={
                'db_table': 'email_digest_lines',
            },
        ),
        migrations.AddIndex(
            model_name='exportrun',
            index=models.Index(condition=models.Q(('status__in', ['processing', 'queued'])), fields=['status', 'due_at'], name='export_open'),
        ),
        migrations.AddIndex(
            model_name='exportrun',
            index=models.Index(condition=models.Q(('status', 'completed')), fields=['expires_at'], name='export_completed_expiry'),
        ),
        migrations.AddConstraint(
            model_name='exportrun',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ['processing', 'queued'])), fields=('wish',), name='export_open_wish'),
        ),
        migrations.AddConstraint(
            model_name='exportrun',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('status__in', ['processing', 'queued'])), models.Q(models.Q(('status__in', ['processing', 'queued']), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='export_ended_has_time'),
        ),
        migrations.AddConstraint(
            model_name='exportrun',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='export_failed_has_reason'),
        ),
        migrations.AddConstraint(
            model_name='exportrun',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'processing'), _negated=True), models.Q(('owner__isnull', False), ('progress_at__isnull', False), ('started_at__isnull', False)), _connector='OR'), name='export_processing_has_owner'),
        ),
        migrations.AddConstraint(
            model_name='exportrun',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'completed'), _negated=True), models.Q(('expires_at__isnull', False), ('rows_total', models.F('rows_done')), ('size__isnull', False), ('snapshot_at__isnull', False), models.Q(('key', ''), _negated=True), models.Q(('sha256', ''), _negated=True)), _connector='OR'), name='export_completed_is_whole'),
        ),
        migrations.AddConstraint(
            model_name='exportrun',
            constraint=models.CheckConstraint(condition=models.Q(('unanswered__lte', models.F('attempt'))), name='export_unanswered_within_attempts'),
        ),
        migrations.AddConstraint(
            model_name='issuemute',
            constraint=models.UniqueConstraint(fields=('user', 'issue'), name='issue_mute_unique'),
        ),
        migrations.AddIndex(
            model_name='mailproviderevent',
            index=models.Index(fields=['created_at'], name='provider_event_created'),
        ),
        migrations.AddIndex(
            model_name='mailproviderevent',
            index=models.Index(condition=models.Q(('processed_at__isnull', True)), fields=['created_at'], name='provider_event_open'),
        ),
        migrations.AddConstraint(
            model_name='mailproviderevent',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('outcome', ''), ('processed_at__isnull', True)), models.Q(('processed_at__isnull', False), models.Q(('outcome', ''), _negated=True)), _connector='OR'), name='provider_event_processed_has_outcome'),
        ),
        migrations.AddIndex(
            model_name='suppressedaddress',
            index=models.Index(fields=['address', 'since'], name='suppressed_address'),
        ),
        migrations.AddIndex(
            model_name='suppressedaddress',
            index=models.Index(fields=['since'], name='suppressed_since'),
        ),
        migrations.AddConstraint(
            model_name='suppressedaddress',
            constraint=models.CheckConstraint(condition=models.Q(('until__isnull', True), ('until__gte', models.F('since')), _connector='OR'), name='suppression_ends_after_it_begins'),
        ),
        migrations.AddConstraint(
            model_name='unsubscribetoken',
            constraint=models.UniqueConstraint(fields=('receiver', 'issue', 'workspace'), name='unsubscribe_token_unique', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='unsubscribetoken',
            constraint=models.CheckConstraint(condition=models.Q(('issue__isnull', True), ('workspace__isnull', True), _connector='OR'), name='unsubscribe_token_of_issue_or_workspace'),
        ),
        migrations.AddIndex(
            model_name='issueevent',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['enqueued_at'], name='event_pending'),
        ),
        migrations.AddIndex(
            model_name='issueevent',
            index=models.Index(condition=models.Q(('status', 'failed')), fields=['occurred_at'], name='event_failed'),
        ),
        migrations.AddIndex(
            model_name='issueevent',
            index=models.Index(fields=['issue', 'occurred_at'], name='event_issue_time'),
        ),
        migrations.AddConstraint(
            model_name='issueevent',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('fanned_out_at__isnull', False), ('status', 'fanned_out')), models.Q(models.Q(('status', 'fanned_out'), _negated=True), ('fanned_out_at__isnull', True)), _connector='OR'), name='event_fanned_out_has_time'),
        ),
        migrations.AddConstraint(
            model_name='issueevent',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='event_failed_has_reason'),
        ),
        migrations.AddIndex(
            model_name='emaildigest',
            index=models.Index(condition=models.Q(('status__in', ['expired', 'failed', 'held', 'sent', 'sent_assumed', 'suppressed']), _negated=True), fields=['status', 'due_at'], name='digest_open'),
        ),
        migrations.AddIndex(
            model_name='emaildigest',
            index=models.Index(fields=['status', 'ended_at'], name='digest_ended'),
        ),
        migrations.AddIndex(
            model_name='emaildigest',
            index=models.Index(fields=['message_id'], name='digest_message_id'),
        ),
        migrations.AddIndex(
            model_name='emaildigest',
            index=models.Index(fields=['issue', 'receiver', 'created_at'], name='digest_issue_receiver'),
        ),
        migrations.AddConstraint(
            model_name='emaildigest',
            constraint=models.CheckConstraint(condition=models.Q(('kind', 'issue'), ('issue__isnull', True), _connector='OR'), name='digest_of_one_issue_only_if_so'),
        ),
        migrations.AddConstraint(
            model_name='emaildigest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', False), ('status__in', ['expired', 'failed', 'held', 'sent', 'sent_assumed', 'suppressed'])), models.Q(models.Q(('status__in', ['expired', 'failed', 'held', 'sent', 'sent_assumed', 'suppressed']), _negated=True), ('ended_at__isnull', True)), _connector='OR'), name='digest_ended_has_time'),
        ),
        migrations.AddConstraint(
            model_name='emaildigest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ['expired', 'failed', 'held', 'sent_assumed', 'suppressed']), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='digest_unless_sent_has_reason'),
        ),
        migrations.AddConstraint(
            model_name='emaildigest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ['expired', 'failed', 'suppressed']), _negated=True), ('dot_at__isnull', True), _connector='OR'), name='digest_unsent_passed_no_dot'),
        ),
        migrations.AddConstraint(
            model_name='emaildigest',
            constraint=models.CheckConstraint(condition=models.Q(('dot_at__isnull', True), models.Q(('content__isnull', False), ('sealed_at__isnull', False)), _connector='OR'), name='digest_dot_was_sealed'),
        ),
        migrations.AddConstraint(
            model_name='emaildigest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ['fenced', 'sent', 'sent_assumed', 'held']), _negated=True), ('dot_at__isnull', False), _connector='OR'), name='digest_passed_dot_has_time'),
        ),
        migrations.AddConstraint(
            model_name='emaildigest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ['sending', 'fenced']), _negated=True), models.Q(('owner__isnull', False), ('started_at__isnull', False)), _connector='OR'), name='digest_sending_has_owner'),
        ),
        migrations.AddConstraint(
            model_name='emaildigest',
            constraint=models.CheckConstraint(condition=models.Q(('unanswered__lte', models.F('attempt'))), name='digest_unanswered_within_attempts'),
        ),
    ]
