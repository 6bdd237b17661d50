import { Type } from '@sinclair/typebox'

/** The texts of notifications that the console has in all its languages. */
const NOTICE_CODES = [
  'ai_budget_reached',
  'human_path_missing',
  'bot_loop',
  'bot_failed',
  'bot_repeated',
  'transfers_ended',
  'assigned',
  'assigned_by',
  'sla_warning',
  'sla_critical',
  'display_name_approved',
  'display_name_refused',
  'account_review',
  'account_restored',
  'number_stopped',
  'number_suspended',
  'marketing_terms',
  'account_update',
  'account_restricted',
  'account_restricted_until',
  'account_restricted_lightly',
  'quality_drop',
  'token_expiring',
  'token_lost',
  'sending_failed',
  'sending_paused',
  'number_unlinked',
  'funding_missing',
  'number_silent',
  'number_maybe_silent',
  'service_allowance',
  'messaging_limit_near',
  'messaging_limit_used',
  'template_rejected',
  'template_paused',
  'template_archived',
  'template_disabled',
  'template_category_changed',
  'template_category_will_change',
  'template_quality',
  'template_sync_failed',
  'flow_blocked',
  'flow_throttled',
  'export_finished',
  'export_failed',
  'import_finished',
  'import_checked',
  'import_failed',
  'import_undone',
  'archive_ready',
  'archive_failed',
  'privacy_export_ready',
  'privacy_export_failed',
  'webhook_disabled',
  'webhook_gone',
  'webhook_failing',
  'webhook_backlog',
  'webhook_replay_done',
  'mention',
  'bulk_done',
  'budget_warning',
  'sends_unknown',
  'scheduled_failed',
  'campaign_paused',
  'campaign_paused_import',
  'campaign_paused_restore',
  'campaign_quota',
  'campaign_late',
  'member_added',
  'api_key_stopped',
  'member_registered',
  'credentials_changed',
  'password_reset',
  'two_factor_off',
  'two_factor_lost',
  'session_ended',
  'report_failed',
] as const

/**
 * What a notification says, for a client with words of its own: a text, and what differs in it. Keys
 * that end with `_at` are times; `about` is the name of what it is about.
 */
export const NoticeTextView = Type.Object(
  {
    code: Type.String({ enum: [...NOTICE_CODES] }),
    values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description:
        'What differs in the text. Keys that end with `_at` are times; `about` is the name of what it is about.',
    }),
  },
  { title: 'NotificationWords' },
)
type NoticeCode = (typeof NOTICE_CODES)[number]

/** What a notification says. */
export interface NoticeText {
  code: NoticeCode
  values: Record<string, string | number>
}

/** Returns the text of a notification. */
export const noticeText = (code: NoticeCode, values: NoticeText['values'] = {}): NoticeText => ({
  code,
  values,
})

/** Returns the text of a notification that is about something with a name. */
export const textAbout = (text: NoticeText | undefined, about: string): { text?: NoticeText } =>
  text === undefined ? {} : { text: { code: text.code, values: { ...text.values, about } } }
