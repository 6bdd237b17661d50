import { SECOND_MS } from '../../../../../lib/clock'
import type { Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { enqueue } from '../../../../../infra/jobs/enqueue'
import { hasLiveJob } from '../../../../../infra/jobs/waiting-jobs'
import type { Outcome } from '../../../../../infra/jobs/work'
import { findConversation } from '../../../../inbox/conversations/service'
import { isWindowOpen } from '../../../../inbox/conversations/window'
import {
  showTypingIn,
  TYPING_EVERY_MS,
} from '../../../../inbox/messages/conversation/send-typing-indicator'
import { maySendAutomatically } from '../../../../inbox/messages/outbound/automatic'
import { ShowBotTyping } from '../../jobs'
import { timerOf } from '../table'
import { findSession, type BotSessionRow } from './store'

/** How long a turn takes before the bot shows that it is typing. */
const TYPES_AFTER_MS = SECOND_MS

/** Longest delay of a flow during which the bot is typing: as long as WhatsApp shows it once. */
const LONGEST_DELAY_MS = 25 * SECOND_MS

/**
 * Lets the bot show that it is typing if a turn still goes on in a second, in the transaction that
 * interrupts it for the first time.
 */
export function typeSoonIn(tx: Tx, ctx: Ctx, { id }: { id: string }): void {
  const orderingKey = `bot-typing:${id}`
  if (hasLiveJob(ctx, { kind: ShowBotTyping.name, orderingKeys: [orderingKey] })) return
  const runAtMs = ctx.clock.nowMs() + TYPES_AFTER_MS
  enqueue(tx, ctx, ShowBotTyping, { args: { sessionId: id }, orderingKey, runAtMs })
}

/** Whether the bot is typing while a flow waits from one time to another. */
export const isTyped = (fromMs: number, untilMs: number): boolean =>
  untilMs - fromMs <= LONGEST_DELAY_MS

/** Shows the customer that the bot is typing, in the caller's transaction, as long as its turn goes on. */
export function showBotTypingIn(tx: Tx, ctx: Ctx, { sessionId }: { sessionId: string }): Outcome {
  const session = findSession(ctx, sessionId)
  if (session?.status !== 'active' || !isUnderWay(session)) return undefined
  const conversation = findConversation(ctx, session)
  if (!conversation || !isWindowOpen(conversation, ctx.clock.nowMs())) return undefined
  if (!maySendAutomatically(ctx, conversation.id)) return undefined
  showTypingIn(tx, ctx, conversation)
  return { snoozeMs: TYPING_EVERY_MS }
}

/** Whether a session waits for a call, for other work, or for a short time. */
const isUnderWay = ({ waitingFor, expiresAtMs, lastActivityMs }: BotSessionRow): boolean =>
  waitingFor === null ||
  waitingFor === 'http' ||
  (waitingFor === 'timer' && isTyped(lastActivityMs, timerOf(expiresAtMs) ?? lastActivityMs))
