import { Type, type Static } from '@sinclair/typebox'

import { NoticeTextView } from './catalog'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })

export const NOTIFICATION_KINDS = [
  'membership_added',
  'member_registered',
  'credentials_changed',
  'token_reused',
  'api_key_stopped',
  'mention',
  'token_expiring',
  'token_invalid',
  'account_paused',
  'account_suspended',
  'account_notice',
  'quality_drop',
  'funding_missing',
  'number_silent',
  'service_allowance',
  'ai_provider',
  'bulk_done',
  'import_done',
  'export_done',
  'backup_failed',
  'cell_unreachable',
  'organization_imported',
  'organization_moved',
  'organization_move_aborted',
  'report_failed',
  'price_list_old',
  'budget_warning',
  'bot_loop',
  'bot_failed',
  'bot_repeated',
  'sends_unknown',
  'ai_budget_reached',
  'human_path_missing',
  'flow_blocked',
  'flow_throttled',
  'campaign_paused',
  'campaign_late',
  'campaign_quota',
  'campaign_incomplete',
  'template_notice',
  'messaging_limit_near',
  'messaging_limit_used',
  'webhook_failing',
  'webhook_disabled',
  'webhook_replay_done',
  'assigned',
  'sla_warning',
  'sla_critical',
  'scheduled_failed',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** A notification in API responses. */
export const NotificationView = Type.Object(
  {
    id: Uuid,
    kind: Type.String({ enum: [...NOTIFICATION_KINDS] }),
    severity: Type.String({ enum: ['info', 'warning', 'critical'] }),
    title: Type.String(),
    body: Type.String(),
    text: Type.Union([NoticeTextView, Type.Null()], {
      description:
        'The same as a code with values, for a client with words of its own; `null` for some.',
    }),
    link: Type.Union([Type.String(), Type.Null()], {
      description: 'Path in the web client with more information.',
    }),
    created_at: Time,
    read_at: Type.Union([Time, Type.Null()]),
  },
  { title: 'Notification' },
)
export type NotificationView = Static<typeof NotificationView>

/** IDs of the notifications to mark as read; omitted means all. */
export const ReadNotifications = Type.Object(
  { ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 500 })) },
  { title: 'ReadNotifications', examples: [{ ids: ['019a52b0-1c00-7000-8000-000000000007'] }] },
)

/** Number of unread notifications. */
export const UnreadView = Type.Object(
  { message: Type.String(), unread_count: Type.Integer() },
  { title: 'Unread' },
)
