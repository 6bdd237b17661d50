import { sql, type Placeholder } from 'drizzle-orm'

import type { Ctx } from '../../infra/ctx'
import { atEndOf, compiled, type Tx } from '../../infra/db'
import { noteReachedIn } from '../contacts/reachability'
import { noteMessageOnContactIn } from '../contacts/service'
import { noteMessageOnConversationIn } from '../conversations/service'
import { messages } from './table'
import type { MessageRow } from './view'
import { indexWordsIn } from './words'

/** A message that is to be stored. What is left out is empty. */
export type MessageDraft = Pick<
  MessageRow,
  'conversationId' | 'contactId' | 'accountId' | 'direction' | 'type' | 'preview' | 'status' | 'source' | 'timestampMs' | 'receivedAtMs'
> &
  Partial<Pick<MessageRow, (typeof OPTIONAL)[number]>> & { content: Record<string, unknown> }

/** What a message means for its conversation and its contact. */
export interface MessageEffects {
  /** Opens the 24-hour window: whatever the customer says, nothing the platform says of it. */
  opensWindow: boolean
  /** 1 for a message that is to be read, else 0. */
  unread: 0 | 1
  /** Brings a closed or snoozed conversation back. */
  reopens: boolean
  /** A person answers with it: nobody waits any more. */
  isAnswer: boolean
  /** Of before the number was connected: nobody hears that the conversation changed. */
  isQuiet?: boolean
}

const REQUIRED = [
  'organizationId',
  'id',
  'conversationId',
  'contactId',
  'accountId',
  'direction',
  'type',
  'content',
  'preview',
  'status',
  'source',
  'timestampMs',
  'receivedAtMs',
  'createdAtMs',
  'updatedAtMs',
] as const

const OPTIONAL = [
  'waMessageId',
  'stage',
  'sentBy',
  'sentByName',
  'clientRef',
  'replyToId',
  'resendOfId',
  'mediaId',
  'context',
  'referral',
  'raw',
  'isSilent',
  'acceptedAtMs',
  'sentAtMs',
  'readAtMs',
  'answeredAfterMs',
  'sendOptions',
  'warnings',
] as const

/** Columns that are never empty, with what they hold when nothing is said. */
const DEFAULTS: Partial<MessageRow> = { sendOptions: '{}', warnings: '[]', isSilent: false }

const PLACES = Object.fromEntries([...REQUIRED, ...OPTIONAL].map((column) => [column, sql.placeholder(column)])) as Record<
  (typeof REQUIRED)[number] | (typeof OPTIONAL)[number],
  Placeholder
>

const insertMessage = compiled((orm) => orm.insert(messages).values(PLACES).onConflictDoNothing().returning().prepare())

/**
 * Stores a message and keeps its conversation, its contact and the search up to date, in the caller's transaction. `null` when the
 * number already has a message with this id of the platform's: then nothing is changed. Announcing it is the caller's.
 */
export function storeMessageIn(tx: Tx, ctx: Ctx, draft: MessageDraft, effects: MessageEffects): MessageRow | null {
  const { content, ...rest } = draft
  const nowMs = ctx.clock.nowMs()
  const empty = Object.fromEntries(OPTIONAL.map((column) => [column, DEFAULTS[column] ?? null]))
  const row = insertMessage(ctx.db).get({
    ...empty,
    ...rest,
    content: JSON.stringify(content),
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  })
  if (!row) return null
  indexWordsIn(tx, ctx, row)
  if (row.direction === 'incoming')
    atEndOf(tx, () => ctx.metrics.messages.inc({ direction: 'incoming', type: row.type, outcome: 'received' }))
  const news = { atMs: row.timestampMs, inboundAtMs: effects.opensWindow ? row.timestampMs : null, unread: effects.unread }
  const { reopens, isAnswer, isQuiet = false } = effects
  const { conversationId, referral } = row
  noteMessageOnConversationIn(tx, ctx, { conversationId, messageId: row.id, reopens, isAnswer, isQuiet, referral, ...news })
  noteMessageOnContactIn(tx, ctx, { contactId: row.contactId, accountId: row.accountId, preview: row.preview, ...news })
  if (effects.opensWindow) noteReachedIn(tx, ctx, row.contactId)
  return row
}
