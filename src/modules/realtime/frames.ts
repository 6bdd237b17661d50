import type { Static } from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import type { Ctx } from '../../infra/ctx'
import type { EventDefinition, LoggedEvent } from '../../infra/outbox/events'
import { AccountChanged } from '../accounts/events'
import { findAccount } from '../accounts/state'
import { accountView } from '../accounts/view'
import { ContactChanged, ContactCreated, ContactDeleted, ContactsChangedInBulk } from '../contacts/events'
import { contactDetails } from '../contacts/queries'
import { findContact } from '../contacts/service'
import { contactView, displayNameOf, type ContactRow } from '../contacts/view'
import { MessageEchoed, MessageQueued, MessageReceived, MessageStatusChanged, MessageUpdated } from '../messages/events'
import { mediaSummary } from '../media/view'
import { partsOf } from '../messages/parts'
import { findMessages } from '../messages/queries'
import { contentView, platformIdOf, type MessageRow } from '../messages/view'
import { MemberChanged } from '../organizations/members/events'

/** Where rows are read from to render a frame: an organization's part of the database. */
export type FrameScope = Pick<Ctx, 'db' | 'organizationId'>

/** What an event becomes on the wire. */
export interface Rendered {
  type: string
  payload: Record<string, unknown>
}

/**
 * Who may hear of an event: those who see its contact and hold `{resource}:read`, or simply the holders of that right, and the person
 * it is about, whatever it holds.
 */
export interface FrameKind {
  /** Frame type, spec 6.2. */
  type: string
  resource: 'messages' | 'contacts' | 'accounts' | 'users'
  audience: 'sight' | 'area'
  /** Id of the user it is about. */
  personOf?: (event: LoggedEvent) => string
  /** `null` when what it tells of is gone. */
  render: (scope: FrameScope, event: LoggedEvent, isMasked: boolean) => Record<string, unknown> | null
}

const kinds = new Map<string, FrameKind>()

function frame<S extends TSchema>(
  event: EventDefinition<S>,
  kind: Omit<FrameKind, 'render'> & {
    render: (scope: FrameScope, payload: Static<S>, isMasked: boolean) => Record<string, unknown> | null
  },
): void {
  const { render, ...rest } = kind
  kinds.set(event.name, { ...rest, render: (scope, logged, isMasked) => render(scope, logged.payload as Static<S>, isMasked) })
}

/** The kind of frame an event becomes; `null` when sockets do not hear of it. */
export const frameKindOf = (event: LoggedEvent): FrameKind | null => kinds.get(event.type) ?? null

/** Bytes of a payload; longer texts are cut and marked. */
const LONGEST_PAYLOAD_BYTES = 8 * 1024
/** Kept free in the payload of a contact for the names of what changed, bytes. */
const ROOM_FOR_CHANGES_BYTES = 512

const contactSummary = (row: ContactRow | null, isMasked: boolean) =>
  row && {
    id: row.id,
    name: displayNameOf(row, isMasked),
    phone_number: isMasked ? contactView(row, { isMasked, assignee: null }).phone_number : row.phoneNumber,
    assigned_to: row.assignedTo,
  }

function messageNew(scope: FrameScope, payload: { messageId: string }, isMasked: boolean): Record<string, unknown> | null {
  const [row] = findMessages(scope, [payload.messageId])
  if (!row) return null
  const parts = partsOf(scope, [row])(row)
  return fitted({
    id: row.id,
    contact_id: row.contactId,
    direction: row.direction,
    type: row.type,
    content: withoutRaw(contentView(row, isMasked)),
    timestamp: isoTime(row.timestampMs),
    account_id: row.accountId,
    conversation_id: row.conversationId,
    status: row.status,
    wa_message_id: platformIdOf(row),
    source: row.source,
    sent_by: row.sentBy === null ? null : { id: row.sentBy, name: row.sentByName },
    reply_to: parts.quoted,
    media: parts.media && mediaSummary(parts.media),
    client_ref: row.clientRef,
    contact: contactSummary(findContact(scope, row.contactId), isMasked),
  })
}

function messageUpdated(scope: FrameScope, payload: { messageId: string; changed: string[] }, isMasked: boolean) {
  const [row] = findMessages(scope, [payload.messageId])
  if (!row) return null
  const { media } = partsOf(scope, [row])(row)
  return fitted({
    id: row.id,
    contact_id: row.contactId,
    changed: payload.changed,
    type: row.type,
    content: withoutRaw(contentView(row, isMasked)),
    media: media && mediaSummary(media),
    edited_at: isoTimeOrNull(row.editedAtMs),
    revoked_at: isoTimeOrNull(row.revokedAtMs),
  })
}

/** Frames carry nothing of the platform's raw JSON; it is read over the API. */
function withoutRaw(content: Record<string, unknown>): Record<string, unknown> {
  const { raw: _raw, data_raw: _dataRaw, ...rest } = content
  return rest
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Cuts a text that would make the payload too large, at a whole character; content that has no text to cut is left out. */
function fitted(payload: Record<string, unknown>): Record<string, unknown> {
  if (sizeOf(payload) <= LONGEST_PAYLOAD_BYTES) return payload
  const { text } = payload['content'] as { text?: unknown }
  const bare = { ...payload, content: {}, truncated: true }
  if (typeof text !== 'string') return bare
  let kept = [...text].slice(0, LONGEST_PAYLOAD_BYTES - sizeOf(bare))
  while (sizeOf({ ...bare, content: { text: kept.join('') } }) > LONGEST_PAYLOAD_BYTES) kept = kept.slice(0, Math.floor(kept.length * 0.9))
  return { ...bare, content: { text: kept.join('') } }
}

function messageStatus(scope: FrameScope, payload: Static<typeof MessageStatusChanged.payload>): Record<string, unknown> | null {
  const [row]: (MessageRow | undefined)[] = findMessages(scope, [payload.messageId])
  if (!row) return null
  const error = row.error === null ? null : (JSON.parse(row.error) as { code: string; message: string; retryable: boolean })
  return {
    id: row.id,
    message_id: row.id,
    contact_id: row.contactId,
    status: payload.status,
    previous_status: payload.previousStatus,
    timestamp: isoTime(payload.timestampMs),
    account_id: row.accountId,
    wa_message_id: platformIdOf(row),
    error: error && { code: error.code, message: error.message, retryable: error.retryable },
  }
}

/** The contact as `GET /api/contacts/{id}` answers it; the parts that may be long are left out when it is too large for a frame. */
function contact(scope: FrameScope, contactId: string, isMasked: boolean): Record<string, unknown> | null {
  const row = findContact(scope, contactId)
  if (!row || row.deletedAtMs !== null) return null
  const details = contactDetails(scope, row, isMasked)
  if (sizeOf(details) <= LONGEST_PAYLOAD_BYTES - ROOM_FOR_CHANGES_BYTES) return details
  return { ...details, metadata: {}, attributes: {}, identities: [], truncated: true }
}

frame(MessageReceived, { type: 'message:new', resource: 'messages', audience: 'sight', render: messageNew })
frame(MessageEchoed, { type: 'message:new', resource: 'messages', audience: 'sight', render: messageNew })
frame(MessageQueued, { type: 'message:new', resource: 'messages', audience: 'sight', render: messageNew })
frame(MessageUpdated, { type: 'message:updated', resource: 'messages', audience: 'sight', render: messageUpdated })
frame(MessageStatusChanged, { type: 'message:status', resource: 'messages', audience: 'sight', render: messageStatus })
frame(ContactCreated, {
  type: 'contact:new',
  resource: 'contacts',
  audience: 'sight',
  render: (scope, payload, isMasked) => contact(scope, payload.contactId, isMasked),
})
frame(ContactChanged, {
  type: 'contact:updated',
  resource: 'contacts',
  audience: 'sight',
  render(scope, payload, isMasked) {
    const view = contact(scope, payload.contactId, isMasked)
    return view && { ...view, changed: payload.changed, visible: true }
  },
})
frame(ContactDeleted, {
  type: 'contact:deleted',
  resource: 'contacts',
  audience: 'sight',
  render: (_scope, payload) => goneContact(payload),
})
frame(ContactsChangedInBulk, {
  type: 'contact:bulk',
  resource: 'contacts',
  audience: 'area',
  render: (_scope, { reason, jobId, created, updated, deleted }) => ({ reason, job_id: jobId, created, updated, deleted }),
})
frame(AccountChanged, {
  type: 'account:updated',
  resource: 'accounts',
  audience: 'area',
  render(scope, payload) {
    const row = findAccount(scope, payload.accountId)
    if (!row) return null
    const view = accountView(row)
    return {
      id: view.id,
      name: view.name,
      status: row.deletedAtMs === null ? view.status : 'deleted',
      status_reason: view.status_reason,
      quality_rating: view.quality_rating,
      messaging_limit_tier: view.messaging_limit_tier,
      throughput_level: view.throughput_level,
      token_state: row.status === 'disconnected' ? 'invalid' : 'valid',
      changed: payload.changed,
    }
  },
})

frame(MemberChanged, {
  type: 'member:updated',
  resource: 'users',
  audience: 'area',
  personOf: (event) => (event.payload as Static<typeof MemberChanged.payload>).userId,
  render: (_scope, payload) => ({
    user_id: payload.userId,
    membership_id: payload.membershipId,
    full_name: payload.fullName,
    role_id: payload.roleId,
    role_name: payload.roleName,
    is_active: payload.isActive,
    is_available: payload.isAvailable,
    change: payload.change,
  }),
})

const goneContact = ({ contactId, reason, mergedInto }: Static<typeof ContactDeleted.payload>): Record<string, unknown> => ({
  id: contactId,
  reason,
  merged_into: mergedInto,
})

/** What who lost sight of a contact still hears: that it is gone for them, and nothing else. */
export function lostSightOf(event: LoggedEvent): { users: string[]; payload: Record<string, unknown> } | null {
  if (event.type === ContactDeleted.name) {
    const payload = event.payload as Static<typeof ContactDeleted.payload>
    return { users: payload.seenBy, payload: goneContact(payload) }
  }
  if (event.type !== ContactChanged.name) return null
  const { contactId, changed, lostBy } = event.payload as Static<typeof ContactChanged.payload>
  return lostBy.length === 0 ? null : { users: lostBy, payload: { id: contactId, changed, visible: false } }
}

/** A frame as text: `{type, payload, seq, at}` (spec 6.2). */
export const frameText = (
  rendered: Rendered,
  at: { seq: number | null; atMs: number; replayed?: true; replyTo?: string | undefined },
): string =>
  JSON.stringify({
    ...rendered,
    seq: at.seq,
    at: isoTime(at.atMs),
    ...(at.replayed ? { replayed: true } : {}),
    ...(at.replyTo === undefined ? {} : { reply_to: at.replyTo }),
  })
