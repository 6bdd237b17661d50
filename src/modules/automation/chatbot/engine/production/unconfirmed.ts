import { and, eq, sql } from 'drizzle-orm'

import { HOUR_MS } from '../../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { expedite } from '../../../../../infra/jobs/waiting-jobs'
import type { Outcome } from '../../../../../infra/jobs/work'
import { effectiveSettings } from '../../../chatbot-settings/effective'
import { findContact } from '../../../../inbox/contacts/service'
import { findConversation } from '../../../../inbox/conversations/service'
import { wasNotifiedSince } from '../../../../organization/notifications/queries'
import { notifyIn, type NewNotification } from '../../../../organization/notifications/service'
import { holdersOf } from '../../../../organization/roles/holders'
import { RunBotStep } from '../../jobs'
import type { Session } from '../model'
import { botSessions, botTrace } from '../table'
import { botKey } from './inbox'
import { haltReasonOf } from './silence'
import { findActiveSession, sessionOf, type SessionPlace } from './store'
import { noticeText } from '../../../../organization/notifications/catalog'

/** The rows of a session's trace that sent a message. */
const stepsThatSent = (ctx: Ctx, sessionId: string, messageId: string) =>
  inOrganization(
    ctx,
    botTrace,
    and(
      eq(botTrace.sessionId, sessionId),
      sql`instr(${botTrace.sentMessageIds}, ${messageId}) > 0`,
    ),
  )

/** Wants an unconfirmed message repeated if the session that sent it goes on. */
export function answerRepeatIn(
  tx: Tx,
  ctx: Ctx,
  {
    messageId,
    answer,
    ...place
  }: SessionPlace & { messageId: string; answer: { isWanted: boolean } },
): void {
  const session = findActiveSession(ctx, place)
  if (!session) return
  const settings = effectiveSettings(ctx, place.accountId)
  if (haltReasonOf(ctx, place.contactId, { settings, session }) !== null) return
  answer.isWanted =
    tx
      .select({ id: botTrace.id })
      .from(botTrace)
      .where(stepsThatSent(ctx, session.id, messageId))
      .limit(1)
      .get() !== undefined
}

/** Adds a repeated message to its session and notifies the people who are responsible. */
export function recordRepeatIn(
  tx: Tx,
  ctx: Ctx,
  { messageId, repeatId, ...place }: SessionPlace & { messageId: string; repeatId: string },
): void {
  const session = findActiveSession(ctx, place)
  if (session) {
    tx.update(botTrace)
      .set({ sentMessageIds: sql`json_insert(${botTrace.sentMessageIds}, '$[#]', ${repeatId})` })
      .where(stepsThatSent(ctx, session.id, messageId))
      .run()
    tx.update(botSessions)
      .set({ messages: session.messages + 1, botMessages: session.botMessages + 1 })
      .where(inOrganization(ctx, botSessions, eq(botSessions.id, session.id)))
      .run()
  }
  notifyResponsibleIn(tx, ctx, place)
}

/** How often those who manage the bot are notified about conversations without an owner. */
const NOTICE_PAUSE_MS = HOUR_MS

/**
 * Notifies the person whose conversation or contact it is. If there is none, notifies those who
 * manage the bot, at most once an hour.
 */
function notifyResponsibleIn(tx: Tx, ctx: Ctx, place: SessionPlace): void {
  const { contactId } = place
  const contact = findContact(ctx, contactId)
  const owner = findConversation(ctx, place)?.assignedTo ?? contact?.assignedTo ?? null
  const notice: Omit<NewNotification, 'userId'> = {
    kind: 'bot_repeated',
    severity: 'warning',
    title: 'The chatbot sent a reply again',
    text: noticeText('bot_repeated'),
    body:
      'WhatsApp did not confirm a reply within 2 minutes, so the chatbot sent it again. The ' +
      'customer may have received it twice.',
    link: `/contacts/${contactId}`,
  }
  if (owner !== null) return notifyIn(tx, ctx, { ...notice, userId: owner })
  const sinceMs = ctx.clock.nowMs() - NOTICE_PAUSE_MS
  for (const userId of holdersOf(tx, ctx, 'chatbot:update'))
    if (!wasNotifiedSince(ctx, { userId, kind: notice.kind, sinceMs }))
      notifyIn(tx, ctx, { ...notice, userId })
}

/** Lets the next step of a session wait until the outcome of a message is known. */
export function awaitOutcomeIn(tx: Tx, ctx: Ctx, { id, state }: Session, waitMs: number): Outcome {
  if (!state.awaitsOutcome)
    tx.update(botSessions)
      .set({ state: JSON.stringify({ ...state, awaitsOutcome: true }) })
      .where(inOrganization(ctx, botSessions, eq(botSessions.id, id)))
      .run()
  return { snoozeMs: waitMs }
}

/** Lets the step of a session run now that waits for the outcome of a message. */
export function continueStepIn(tx: Tx, ctx: Ctx, { contactId, accountId }: SessionPlace): void {
  const row = findActiveSession(ctx, { contactId, accountId })
  if (!row || !sessionOf(row).state.awaitsOutcome) return
  expedite(tx, ctx, {
    kind: RunBotStep.name,
    orderingKeys: [botKey(contactId)],
    args: { sessionId: row.id, step: row.steps },
  })
}
