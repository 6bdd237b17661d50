import { getTableColumns, sql, type Placeholder } from 'drizzle-orm'

import type { Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { onCommit, type Tx } from '../../infra/db/transact'
import { recordReachedIn } from '../contacts/reachability'
import { recordMessageOnContactIn } from '../contacts/service'
import type { ConversationRow } from '../conversations/row'
import { recordMessageOnConversationIn } from '../conversations/service'
import { messages } from './table'
import type { MessageRow } from './view'
import { indexNewWordsIn } from './search-index'

/** A message that is to be stored. What is left out is empty. */
export type NewMessageRow = Pick<
  MessageRow,
  | 'conversationId'
  | 'contactId'
  | 'accountId'
  | 'direction'
  | 'type'
  | 'preview'
  | 'status'
  | 'source'
  | 'timestampMs'
  | 'receivedAtMs'
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
  /** The conversation as it stands, where it was read in this transaction. */
  conversation?: ConversationRow
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

/**
 * A message of which nothing is said: columns that are never empty, with what they hold then, and
 * all others.
 */
const EMPTY_ROW = {
  ...Object.fromEntries(Object.keys(getTableColumns(messages)).map((column) => [column, null])),
  sendOptions: '{}',
  warnings: '[]',
  isSilent: false,
} as MessageRow

const PLACEHOLDERS = Object.fromEntries(
  [...REQUIRED, ...OPTIONAL].map((column) => [column, sql.placeholder(column)]),
) as Record<(typeof REQUIRED)[number] | (typeof OPTIONAL)[number], Placeholder>

const insertMessage = compiled((orm) =>
  orm.insert(messages).values(PLACEHOLDERS).onConflictDoNothing().prepare(),
)

/**
 * Whether a message is there now that was not before. The row is as it was given: reading it back
 * takes half as long again.
 */
function insertRow(ctx: Ctx, row: MessageRow): boolean {
  insertMessage(ctx.db).run({ ...row })
  return ctx.db.sqlite.query<{ rows: number }, []>('select changes() as rows').get()?.rows === 1
}

/**
 * Stores a message and keeps its conversation, its contact and the search up to date, in the
 * caller's transaction. `null` when the number already has a message with this id of the
 * platform's: then nothing is changed. Announcing it is the caller's.
 */
export function storeMessageIn(
  tx: Tx,
  ctx: Ctx,
  message: NewMessageRow,
  effects: MessageEffects,
): MessageRow | null {
  const { content, ...rest } = message
  const nowMs = ctx.clock.nowMs()
  const row: MessageRow = {
    ...EMPTY_ROW,
    ...rest,
    content: JSON.stringify(content),
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
  if (!insertRow(ctx, row)) return null
  indexNewWordsIn(tx, ctx, row, content)
  if (row.direction === 'incoming')
    onCommit(tx, () =>
      ctx.metrics.messages.inc({ direction: 'incoming', type: row.type, outcome: 'received' }),
    )
  const activity = {
    atMs: row.timestampMs,
    inboundAtMs: effects.opensWindow ? row.timestampMs : null,
    unread: effects.unread,
  }
  const { reopens, isAnswer, isQuiet = false, conversation = null } = effects
  const { conversationId, referral } = row
  recordMessageOnConversationIn(tx, ctx, {
    conversationId,
    messageId: row.id,
    reopens,
    isAnswer,
    isQuiet,
    referral,
    conversation,
    ...activity,
  })
  recordMessageOnContactIn(tx, ctx, {
    contactId: row.contactId,
    accountId: row.accountId,
    preview: row.preview,
    ...activity,
  })
  if (effects.opensWindow) recordReachedIn(tx, ctx, row.contactId)
  return row
}
