import { Type, type TProperties } from '@sinclair/typebox'

import { MESSAGE_STATUSES } from '../../../../platform/message-types'
import { freeObject } from '../../../../lib/fields'
import { withVariants } from '../../../../lib/variants'
import { AiContextView } from '../../../automation/ai/contexts/model'
import { CallView } from '../../../channel/calls/model'
import { ProgressView } from '../../../outreach/campaigns/results/model'
import { Dashboard } from '../../../insight/analytics/dashboard/model'
import { TeamBoardChanges } from '../../../insight/team-board/model'
import { ContactDetails } from '../../../inbox/contacts/model'
import { ConversationView } from '../../../inbox/conversations/model'
import { MessageView, ReactionsView } from '../../../inbox/messages/model'
import { OrderView } from '../../../inbox/orders/model'
import { NotificationView } from '../../../organization/notifications/model'
import { WorkView } from '../../../organization/notifications/work/model'
import { PermissionKey } from '../../../organization/roles/model'
import { PresenceView } from '../presence/model'
import { ServerAttention, ServerWork } from '../attention/model'
import { Seq } from './client/model'
import { ScheduledMessage } from '../../../inbox/scheduled-messages/model'
import { TransferView } from '../../../automation/transfers/model'
import { TRANSFER_CHANGES } from '../../../automation/transfers/table'

const Text = Type.String()
const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Text, Type.Null()])
const changed = Type.Array(Text, { description: 'Names of the fields that changed.' })

const { id, contact_id, direction, type, content, status, wa_message_id, source, sent_by } =
  MessageView.properties
const {
  account_id,
  conversation_id,
  reply_to,
  media,
  client_ref,
  repeat_of,
  edited_at,
  revoked_at,
} = MessageView.properties
const { observed, ai_generated, direct } = MessageView.properties

const {
  thread_owner,
  owner_since,
  owner_role,
  waiting_since,
  contact,
  assigned_user,
  team,
  priority,
  bot_active,
} = ConversationView.properties
const { bot_waits_until, last_message, transfer, can_take, can_call } = ConversationView.properties

/** A contact as embedded in other payloads. */
export const ContactSummary = Type.Object(
  { id: Uuid, name: textOrNull, phone_number: textOrNull, assigned_to: uuidOrNull },
  { title: 'FrameContact' },
)
const conversationState = {
  state: Type.String({ enum: ['open', 'pending', 'snoozed', 'closed'] }),
  assigned_to: uuidOrNull,
  team_id: uuidOrNull,
  unread_count: Type.Integer(),
  last_message_at: timeOrNull,
}
const ConversationSummary = Type.Object(
  { ...conversationState, window_expires_at: timeOrNull, bot_active },
  { title: 'FrameConversation' },
)
const MessageStatus = Type.String({ enum: [...MESSAGE_STATUSES] })
const { read_at: _readAt, ...notification } = NotificationView.properties
const Truncated = {
  truncated: Type.Optional(Type.Boolean({ description: '`true` if texts were cut.' })),
}
const Note = Type.Object(
  {
    id: Uuid,
    contact_id: Uuid,
    content: Text,
    author: Type.Union([Type.Object({ id: Uuid, name: textOrNull }), Type.Null()]),
    created_at: Time,
    updated_at: Time,
    ...Truncated,
  },
  { title: 'FrameNote' },
)
const Watched = Type.Object({ topics: Type.Array(Text) }, { title: 'WatchedTopics' })

/** The payloads of server frames, by type. */
export const SERVER_PAYLOADS = {
  ready: Type.Object({
    connection_id: Text,
    user_id: Uuid,
    api_key_id: uuidOrNull,
    organization_id: Uuid,
    log: Uuid,
    seq: Seq,
    oldest_seq: Seq,
    expires_at: timeOrNull,
    visibility: Type.String({ enum: ['all', 'assigned'] }),
    masked: Type.Boolean(),
    topics: Type.Array(Text),
    presence: Type.Array(PresenceView),
  }),
  pong: Type.Object({ seq: Seq }),
  resumed: Type.Object({ from: Seq, to: Seq, count: Type.Integer() }),
  resync: Type.Object({
    reason: Type.String({
      enum: ['too_old', 'ahead', 'log_changed', 'too_many', 'rights_changed'],
    }),
    seq: Seq,
    oldest_seq: Seq,
    log: Uuid,
  }),
  subscribed: Watched,
  unsubscribed: Watched,
  authenticated: Type.Object({ expires_at: timeOrNull }),
  error: Type.Object({
    code: Type.String({
      enum: [
        'bad_json',
        'unknown_type',
        'bad_request',
        'rate_limited',
        'bad_topic',
        'not_found',
        'forbidden',
        'too_many_topics',
        'already_resumed',
        'auth_failed',
        'auth_mismatch',
      ],
    }),
    message: Text,
    type: textOrNull,
  }),
  'message:new': Type.Object({
    ...{ id, contact_id, direction, type, content, timestamp: Time, account_id, conversation_id },
    ...{ status, wa_message_id, source, observed, ai_generated, direct },
    ...{ sent_by, reply_to, media, client_ref, repeat_of },
    contact: ContactSummary,
    conversation: Type.Union([ConversationSummary, Type.Null()]),
    campaign_id: Type.Optional(Uuid),
    ...Truncated,
  }),
  'message:status': Type.Object({
    id: Uuid,
    message_id: Uuid,
    contact_id: Uuid,
    status: MessageStatus,
    previous_status: MessageStatus,
    timestamp: Time,
    account_id: Uuid,
    wa_message_id: textOrNull,
    error: Type.Union([
      Type.Object({ code: Text, message: Text, retryable: Type.Boolean() }),
      Type.Null(),
    ]),
    campaign_id: Type.Optional(Uuid),
  }),
  'message:updated': Type.Object({
    ...{ id, contact_id, changed, type, content, media, edited_at, revoked_at },
    ...Truncated,
  }),
  'message:reaction': Type.Object({
    message_id: Uuid,
    contact_id: Uuid,
    by: Type.String({ enum: ['contact', 'user'] }),
    user_id: uuidOrNull,
    emoji: textOrNull,
    reactions: ReactionsView.properties.reactions,
  }),
  'contact:new': ContactDetails,
  'contact:updated': Type.Object({
    ...Type.Partial(ContactDetails).properties,
    id: Uuid,
    changed,
    visible: Type.Boolean({
      description: 'When `false`, the caller no longer sees the contact: the frame has only `id`.',
    }),
    ...Truncated,
  }),
  'contact:deleted': Type.Object({
    id: Uuid,
    reason: Type.String({ enum: ['deleted', 'erased', 'merged'] }),
    merged_into: uuidOrNull,
  }),
  'contact:bulk': Type.Object({
    reason: Type.String({ enum: ['import', 'bulk_update', 'bulk_delete'] }),
    job_id: textOrNull,
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
  }),
  'conversation:updated': Type.Object({
    id: Uuid,
    contact_id: Uuid,
    account_id: Uuid,
    ...conversationState,
    last_message_preview: textOrNull,
    window_expires_at: timeOrNull,
    snoozed_until: timeOrNull,
    changed,
    ...{
      thread_owner,
      owner_since,
      owner_role,
      waiting_since,
      contact,
      assigned_user,
      team,
      priority,
      bot_active,
    },
    ...{ bot_waits_until, last_message, transfer, can_take, can_call },
    ...Truncated,
  }),
  'conversation:presence': PresenceView,
  'call:updated': Type.Object({ ...CallView.properties, contact: ContactSummary, changed }),
  'order:updated': Type.Object({
    ...OrderView.properties,
    contact: ContactSummary,
    changed,
    ...Truncated,
  }),
  'scheduled:updated': Type.Object({
    ...Type.Omit(ScheduledMessage, ['contact']).properties,
    ...Truncated,
  }),
  'work:progress': WorkView,
  'transfer:new': Type.Object({ ...TransferView.properties, ...Truncated }),
  'transfer:updated': Type.Object({
    ...Type.Partial(TransferView).properties,
    id: Uuid,
    status: TransferView.properties.status,
    agent_id: uuidOrNull,
    changed: Type.Optional(changed),
    reason: Type.String({
      enum: TRANSFER_CHANGES.filter((kind) => kind !== 'created'),
      description:
        'Callers who can no longer list the transfer get only `id`, `status`, `agent_id` and ' +
        '`reason`.',
    }),
    ...Truncated,
  }),
  'note:new': Note,
  'note:updated': Note,
  'note:deleted': Type.Object({ id: Uuid, contact_id: Uuid }),
  'webhook:event': Type.Object(
    {
      id: Text,
      type: Text,
      timestamp: Time,
      organization_id: Uuid,
      seq: Type.Integer(),
      data: freeObject(),
    },
    { description: 'An event as webhooks send it: one of the bodies in `webhooks`.' },
  ),
  'delivery:updated': Type.Object(
    { id: Uuid, endpoint_id: Uuid },
    {
      description: 'A request of a webhook delivery began, or ended, or the delivery was given up.',
    },
  ),
  'campaign:progress': Type.Omit(ProgressView, ['eta_seconds', 'errors'], {
    title: 'FrameCampaignProgress',
  }),
  'analytics:dashboard': Dashboard,
  'team:board': TeamBoardChanges,
  'server:attention': ServerAttention,
  'server:work': ServerWork,
  'account:updated': Type.Object({
    id: Uuid,
    name: Text,
    status: Type.String({ enum: ['pending', 'active', 'disconnected', 'suspended', 'deleted'] }),
    status_reason: textOrNull,
    quality_rating: Type.String({ enum: ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] }),
    messaging_limit_tier: textOrNull,
    throughput_level: Type.String({ enum: ['STANDARD', 'HIGH', 'COEXISTENCE'] }),
    token_state: Type.String({ enum: ['valid', 'expiring', 'invalid'] }),
    changed: Type.Array(Text, {
      description: 'Changed fields. `callback`: WhatsApp has checked the callback address.',
    }),
  }),
  'template:updated': Type.Object({
    id: Uuid,
    account_id: Uuid,
    name: Text,
    language: Text,
    status: Text,
    category: Type.String({ enum: ['MARKETING', 'UTILITY', 'AUTHENTICATION'] }),
    quality: Type.String({ enum: ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] }),
    reason: textOrNull,
    changed,
  }),
  'flow:updated': Type.Object({
    id: Uuid,
    account_id: Uuid,
    name: Text,
    status: Type.String({
      enum: ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED', 'DELETED'],
    }),
    changed,
  }),
  'ai_context:updated': Type.Object({
    id: Uuid,
    name: textOrNull,
    document: AiContextView.properties.document,
    is_deleted: Type.Boolean(),
  }),
  'ai_questions:updated': Type.Object({}),
  'member:updated': Type.Object({
    user_id: Uuid,
    membership_id: Uuid,
    full_name: Text,
    role_id: Uuid,
    role_name: Text,
    is_active: Type.Boolean(),
    is_available: Type.Boolean(),
    change: Type.String({ enum: ['added', 'updated', 'removed', 'availability'] }),
  }),
  'permissions:updated': Type.Object({
    role_id: Uuid,
    role_name: Text,
    permissions: Type.Array(PermissionKey),
    visibility: Type.String({ enum: ['all', 'assigned'] }),
    masked: Type.Boolean(),
    reason: Type.String({
      enum: [
        'role_changed',
        'confirmed',
        'role_edited',
        'super_admin_changed',
        'masking_changed',
        'key_edited',
        'team_changed',
      ],
      description:
        'With `team_changed` the permissions are the same, but the user sees other contacts.',
    }),
  }),
  'notification:new': Type.Object(notification),
}

/** The types of frames that are no answers to frames of a client. */
export const EVENT_TYPES = Object.keys(SERVER_PAYLOADS).filter((type) => type.includes(':'))

/** A frame that the server sends. */
export const ServerFrame = withVariants(
  Type.Object(
    {
      type: Text,
      seq: Type.Union([Seq, Type.Null()], {
        description: 'Number of the event in the log; `null` for frames that are not replayed.',
      }),
      at: Time,
      replayed: Type.Optional(
        Type.Boolean({ description: '`true` for missed events that are sent after a reconnect.' }),
      ),
      reply_to: Type.Optional(
        Type.String({ description: '`id` of the client frame that this frame responds to.' }),
      ),
    },
    { title: 'ServerFrame' },
  ),
  'type',
  Object.fromEntries(
    Object.entries(SERVER_PAYLOADS).map(([kind, payload]): [string, TProperties] => [
      kind,
      { payload },
    ]),
  ),
)
