import { getTableColumns, isNotNull, sql, type Placeholder } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { onCommit, type Tx } from '../../../infra/db/transact'
import type { ConversationRow } from '../conversations/row'
import { warnAboutSpendIn } from './cost/spend'
import { messages } from './table'
import type { MessageRow } from './view'
import { indexNewWordsIn } from './search-index'
import { recordMessageOnConversationIn } from '../conversations/record-message'
import { recordMessageOnContactIn } from '../contacts/activity/record-activity'

/** A message to store. Omitted columns are empty. */
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

/** Effects of a message on its conversation and contact. */
export interface MessageEffects {
  /** Opens the 24-hour window: true for what the customer writes, false for platform notices. */
  opensWindow: boolean
  /** 1 for a message that counts as unread. */
  unread: 0 | 1
  /** Reopens a closed or snoozed conversation. */
  reopens: boolean
  /** The bot may answer it, so it does not open a conversation that the bot looks after. */
  isForBot?: boolean
  /** Counts as an answer of the team. */
  isAnswer: boolean
  /** Part of the imported history, of which no event tells. */
  isPast?: boolean
  /** The current conversation, if this transaction has already read it. */
  conversation?: ConversationRow
}

const REQUIRED = [
  'organizationId',
  'id',
  'conversationId',
  'contactId',
  'accountId',
  'type',
  'content',
  'preview',
  'status',
  'source',
  'timestampMs',
  'receivedAtMs',
  'createdAtMs',
] as const

const OPTIONAL = [
  'waMessageId',
  'stage',
  'aiModel',
  'sentBy',
  'sentByName',
  'clientRef',
  'botFlowId',
  'campaignId',
  'templateId',
  'isDirect',
  'isTest',
  'replyToId',
  'resendOfId',
  'mediaId',
  'context',
  'referral',
  'raw',
  'isSilent',
  'isObserved',
  'acceptedAtMs',
  'sentAtMs',
  'readAtMs',
  'answeredAfterMs',
  'sendOptions',
  'warnings',
  'costMicros',
  'costCurrency',
  'costCategory',
  'costCountry',
  'costFreeReason',
  'isCostEstimate',
  'costMonth',
  'windowAtSend',
] as const

/** An empty row: defaults for required columns, `null` for all others. */
const EMPTY_ROW = {
  ...Object.fromEntries(Object.keys(getTableColumns(messages)).map((column) => [column, null])),
  isSilent: false,
  isObserved: false,
  isDirect: false,
  isTest: false,
  isCostEstimate: false,
} as MessageRow

const PLACEHOLDERS = Object.fromEntries(
  [...REQUIRED, ...OPTIONAL].map((column) => [column, sql.placeholder(column)]),
) as Record<(typeof REQUIRED)[number] | (typeof OPTIONAL)[number], Placeholder>

const insertMessage = compiled((orm) =>
  orm
    .insert(messages)
    .values(PLACEHOLDERS)
    .onConflictDoUpdate({
      target: [messages.organizationId, messages.accountId, messages.waMessageId],
      targetWhere: isNotNull(messages.waMessageId),
      set: { waMessageId: sql`${messages.waMessageId}` },
      setWhere: sql`false`, // so it does nothing: Drizzle's `do nothing` allows no condition of a target
    })
    .prepare(),
)

const INSERTED = 'select last_insert_rowid() as "row" where changes() = 1'

/**
 * Inserts a row and returns its number, or `null` if it is not new. Skips `returning`, which takes
 * half as long again.
 */
function insertRow(ctx: Ctx, row: MessageRow): number | null {
  insertMessage(ctx.db).run({ ...row })
  return ctx.db.sqlite.query<{ row: number }, []>(INSERTED).get()?.row ?? null
}

/**
 * Stores a message and updates its conversation, its contact and the search index, in the caller's
 * transaction. Returns `null` and changes nothing if the number already has a message with this
 * platform ID. Does not publish an event.
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
  }
  const inserted = insertRow(ctx, row)
  if (inserted === null) return null
  row.row = inserted
  indexNewWordsIn(tx, ctx, row, content)
  if (row.costMonth !== null) warnAboutSpendIn(tx, ctx, row.accountId)
  if (row.direction === 'incoming')
    onCommit(tx, () =>
      ctx.metrics.messages.inc({ direction: 'incoming', type: row.type, outcome: 'received' }),
    )
  const activity = {
    atMs: row.timestampMs,
    inboundAtMs: effects.opensWindow ? row.timestampMs : null,
    unread: effects.unread,
  }
  const { reopens, isForBot = false, isAnswer, isPast = false, conversation = null } = effects
  const { conversationId, referral } = row
  recordMessageOnConversationIn(tx, ctx, {
    conversationId,
    messageId: row.id,
    reopens,
    isForBot,
    isAnswer,
    isPast,
    referral,
    conversation,
    ...activity,
  })
  recordMessageOnContactIn(tx, ctx, {
    contactId: row.contactId,
    accountId: row.accountId,
    ...activity,
  })
  return row
}
