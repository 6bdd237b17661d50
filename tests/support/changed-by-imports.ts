/** Columns that an import stores otherwise than the archive says, as `docs/export-and-import.md` tells. */
export const CHANGED_BY_IMPORTS = [
  'campaigns.published_at_ms',
  'conversations.published_at_ms',
  'invitations.revoked_at_ms', // links stay behind
  'scheduled_report_mails.state', // what was being sent is left out
  'scheduled_report_runs.ended_at_ms',
  'scheduled_report_runs.state',
  'webhook_deliveries.last_error', // what was not delivered is cancelled
  'webhook_deliveries.next_attempt_at_ms',
  'webhook_deliveries.state',
  'webhook_endpoints.down_since_ms', // failures there are none here
  'webhook_endpoints.failing_since_ms',
  'webhook_endpoints.failures',
  'webhook_endpoints.first_failed_id',
  'webhook_endpoints.next_probe_at_ms',
  'webhook_endpoints.notices',
  'webhook_endpoints.since_position', // in another event log
]
