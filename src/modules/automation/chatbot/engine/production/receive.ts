import { sql } from 'drizzle-orm'

import type { Ctx } from '../../../../../infra/ctx'
import { compiled } from '../../../../../infra/db/compiled'
import type { Tx } from '../../../../../infra/db/transact'
import { textOf } from '../../../../../platform/lenient-json'
import type { ChatbotSettings } from '../../../chatbot-settings/catalog'
import { effectiveSettings, hasSettings } from '../../../chatbot-settings/effective'
import { businessHoursAt } from '../../../chatbot-settings/hours/queries'
import { asksForPerson, saysCancel } from '../../../chatbot-settings/person-words'
import type { ArrivedMessage } from '../../../../inbox/messages/events'
import { cancelWordsOf } from '../../bot-flows/queries'
import { botInbox } from '../table'
import { endSessionIn } from './end-sessions'
import { debounceMs, scheduleTurnIn } from './inbox'
import { haltReasonOf } from './silence'
import { findActiveSession, type BotSessionRow } from './store'

const insertRow = compiled((orm) =>
  orm
    .insert(botInbox)
    .values({
      organizationId: sql.placeholder('organizationId'),
      contactId: sql.placeholder('contactId'),
      accountId: sql.placeholder('accountId'),
      messageId: sql.placeholder('messageId'),
      receivedAtMs: sql.placeholder('receivedAtMs'),
      isUrgent: sql.placeholder('isUrgent'),
      isConsentWord: sql.placeholder('isConsentWord'),
    })
    .onConflictDoNothing()
    .prepare(),
)

/**
 * Hands a customer's message to the bot, in the transaction that stores it. The turn starts when the
 * customer has written nothing further for a while; taps, form answers and words to transfer or
 * cancel start it at once. If the settings no longer let the bot answer, its session ends and the
 * conversation is open for people. An organization that never used its bot pays two look-ups.
 * Returns whether the bot takes the message.
 */
export function receiveForBotIn(tx: Tx, ctx: Ctx, message: ArrivedMessage): boolean {
  if (message.isQuiet || message.type === 'system') return false
  const session = findActiveSession(ctx, message)
  if (session === null && !hasSettings(ctx)) return false
  const { contactId, accountId, messageId } = message
  const settings = effectiveSettings(ctx, accountId)
  const halted = haltReasonOf(ctx, contactId, { settings, session })
  const isAnsweredWhileOff =
    halted === 'chatbot_disabled' &&
    (settings.disabled_action === 'transfer' || isToldClosed(ctx, accountId, settings))
  if (halted !== null && !isAnsweredWhileOff) {
    if (session) endSessionIn(tx, ctx, session, { status: 'cancelled', reason: halted })
    return false
  }
  const nowMs = ctx.clock.nowMs()
  const isUrgent = isUrgentIn(ctx, { settings, session, message })
  insertRow(ctx.db).run({
    organizationId: ctx.organizationId,
    contactId,
    accountId,
    messageId,
    receivedAtMs: nowMs,
    isUrgent: isUrgent ? 1 : 0,
    isConsentWord: message.isConsentWord ? 1 : 0,
  })
  scheduleTurnIn(tx, ctx, { contactId, accountId }, isUrgent ? nowMs : nowMs + debounceMs(settings))
  return true
}

/** Whether customers hear now that it is closed, also while the bot is off. */
const isToldClosed = (
  ctx: Ctx,
  accountId: string,
  { out_of_hours_notice: isGiven }: Readonly<ChatbotSettings>,
): boolean => isGiven && !businessHoursAt(ctx, accountId, ctx.clock.nowMs()).isOpen

/** Whether a message starts its turn without a debounce, and ends it: what follows is another turn. */
function isUrgentIn(
  ctx: Ctx,
  {
    settings,
    session,
    message,
  }: {
    settings: Readonly<ChatbotSettings>
    session: BotSessionRow | null
    message: ArrivedMessage
  },
): boolean {
  if (message.isConsentWord) return true
  if (message.type === 'interactive') return true
  if (message.type !== 'text') return false
  const text = textOf(message.content['text']) ?? ''
  if (asksForPerson(settings, text)) return true
  if (session?.flowId == null) return false
  return saysCancel(settings, cancelWordsOf(ctx, session.flowId), text)
}
