import { and, asc, eq } from 'drizzle-orm'

import { SECOND_MS } from '../../../../../lib/clock'
import { anyScope, hasIdIn, inOrganization, type Ctx } from '../../../../../infra/ctx'
import { compiled, place } from '../../../../../infra/db/compiled'
import type { Tx } from '../../../../../infra/db/transact'
import { enqueue } from '../../../../../infra/jobs/enqueue'
import { expedite, hasLiveJob } from '../../../../../infra/jobs/waiting-jobs'
import type { ChatbotSettings } from '../../../chatbot-settings/catalog'
import { RunBotTurn } from '../../jobs'
import { botInbox } from '../table'
import { isBefore } from '../words'
import type { SessionPlace, BotSessionRow } from './store'

/** Maximum time from the first message of a turn to its answer, milliseconds. */
const LONGEST_DEBOUNCE_MS = 15 * SECOND_MS

/** Ordering key of the jobs of a contact. */
export const botKey = (contactId: string): string => `bot:${contactId}`

/** Ordering key of the calls of a session. */
export const callKey = (sessionId: string): string => `bot-call:${sessionId}`

/** Returns how long the bot waits for further messages, milliseconds. */
export const debounceMs = (settings: Readonly<ChatbotSettings>): number =>
  settings.debounce_seconds * SECOND_MS

/** Returns when the turn of waiting messages starts, the oldest of them first. */
export function turnDueAtMs(
  settings: Readonly<ChatbotSettings>,
  rows: readonly WaitingMessage[],
): number {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last || rows.some(({ isUrgent }) => isUrgent)) return 0
  return Math.min(
    last.receivedAtMs + debounceMs(settings),
    first.receivedAtMs + LONGEST_DEBOUNCE_MS,
  )
}

/** Enqueues the turn of a contact. */
export const enqueueTurnIn = (tx: Tx, ctx: Ctx, place: SessionPlace, atMs: number): void =>
  void enqueue(tx, ctx, RunBotTurn, {
    args: place,
    orderingKey: botKey(place.contactId),
    runAtMs: atMs,
  })

/** Enqueues the turn of a contact unless it is enqueued; an urgent one runs at once. */
export function scheduleTurnIn(tx: Tx, ctx: Ctx, place: SessionPlace, atMs: number): void {
  const which = { kind: RunBotTurn.name, orderingKeys: [botKey(place.contactId)], args: place }
  if (!hasLiveJob(ctx, which)) enqueueTurnIn(tx, ctx, place, atMs)
  else if (atMs <= ctx.clock.nowMs()) expedite(tx, ctx, which)
}

/** Whether a message waits for the bot on a number, from a contact. */
const ofPlace = () =>
  and(
    eq(botInbox.contactId, place(botInbox.contactId, 'contactId')),
    eq(botInbox.accountId, place(botInbox.accountId, 'accountId')),
  )

const waiting = compiled((orm) =>
  orm
    .select()
    .from(botInbox)
    .where(inOrganization(anyScope, botInbox, ofPlace()))
    .orderBy(asc(botInbox.messageId))
    .prepare(),
)

/** A message that waits for the bot. */
export type WaitingMessage = typeof botInbox.$inferSelect

/** Returns the messages of a contact on a number that wait for the bot, oldest first. */
export const waitingMessages = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  { contactId, accountId }: SessionPlace,
) => waiting(db).all({ organizationId, contactId, accountId })

/** Lets the messages that arrived during a run form the next turn. */
export function wakeInboxIn(tx: Tx, ctx: Ctx, place: SessionPlace): void {
  if (waitingMessages(ctx, place).length > 0) scheduleTurnIn(tx, ctx, place, ctx.clock.nowMs())
}

const clearInbox = compiled((orm) =>
  orm
    .delete(botInbox)
    .where(inOrganization(anyScope, botInbox, ofPlace()))
    .prepare(),
)

/** Removes all waiting messages of a contact on a number, in the caller's transaction. */
export function clearInboxIn(tx: Tx, ctx: Ctx, { contactId, accountId }: SessionPlace): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  clearInbox(ctx.db).run({ organizationId: ctx.organizationId, contactId, accountId })
}

const takeFromInbox = compiled((orm) =>
  orm
    .delete(botInbox)
    .where(inOrganization(anyScope, botInbox, and(ofPlace(), hasIdIn(botInbox.messageId))))
    .prepare(),
)

/** Takes messages of a contact on a number out of the inbox, in the transaction of their turn. */
export function takeFromInboxIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, accountId }: SessionPlace,
  rows: readonly WaitingMessage[],
): void {
  void tx // as above
  const ids = JSON.stringify(rows.map(({ messageId }) => messageId))
  takeFromInbox(ctx.db).run({ organizationId: ctx.organizationId, contactId, accountId, ids })
}

/**
 * Returns how many of the waiting messages form the next turn, the shortest first. A turn ends with
 * a tap, a form or a word that takes effect at once. What was written before a session that began by
 * request is a turn of its own.
 */
export function turnLengths(
  rows: readonly WaitingMessage[],
  session: Pick<BotSessionRow, 'id' | 'firstMessageId'> | null,
): number[] {
  const before =
    session === null ? 0 : rows.filter((row) => isBefore(session, row.messageId)).length
  return rows
    .map((_, index) => index + 1)
    .filter((length) => {
      const isLast = length === rows.length
      return isLast || length === before || rows[length - 1]?.isUrgent === true
    })
}
