import type { Ctx } from '../../../../../infra/ctx'
import { isStorageError } from '../../../../../infra/db/errors'
import { savepoint, type Tx } from '../../../../../infra/db/transact'
import { stateChange } from '../../../../inbox/conversations/change-state'
import { findConversation } from '../../../../inbox/conversations/service'
import { changeConversationIn } from '../../../../inbox/conversations/update'
import { effectiveSettings } from '../../../chatbot-settings/effective'
import { finishRun } from '../finish-run'
import type { SessionStatus } from '../model'
import { beginRun, endSession, openSession, trace } from '../run'
import { endSessionIn } from './end-sessions'
import { wakeInboxIn } from './inbox'
import { productionPorts } from './ports'
import { haltReasonOf, silenceReasonOf } from './silence'
import { sessionOf, type SessionPlace, type BotSessionRow } from './store'

/** Work of the bot that cannot go on. */
interface Failed {
  place: SessionPlace
  session: BotSessionRow | null
  /** The first message of the turn that failed; `null` if the customer waits for no answer. */
  messageId: string | null
  /** It lost its job, or a bug of this server stops it. */
  reason: 'lost' | 'internal_error'
}

/**
 * Ends work of the bot that cannot go on, in the caller's transaction: the customer is told once,
 * those who manage the bot learn where and why, and people answer. What was written before is not
 * sent any more. Where the bot must be silent, nothing is said.
 */
export function giveUpIn(tx: Tx, ctx: Ctx, failed: Failed): void {
  const { place, session } = failed
  const settings = effectiveSettings(ctx, place.accountId)
  const silence =
    haltReasonOf(ctx, place.contactId, { settings, session }) ??
    silenceReasonOf(ctx, place, { settings, session })
  if (silence !== null) leaveSilentlyIn(tx, ctx, failed, silence)
  else sayOrLeaveIn(tx, ctx, failed)
  wakeInboxIn(tx, ctx, place)
}

/** Tells the customer and the managers. If even that fails, the session ends all the same. */
function sayOrLeaveIn(tx: Tx, ctx: Ctx, failed: Failed): void {
  try {
    savepoint(tx, (inner) => sayIn(inner, ctx, failed))
  } catch (error) {
    if (isStorageError(error)) throw error
    ctx.log.error({ error, session_id: failed.session?.id }, 'the bot cannot say that it failed')
    leaveSilentlyIn(tx, ctx, failed, failed.reason)
  }
}

function sayIn(tx: Tx, ctx: Ctx, { place, session: before, messageId, reason }: Failed): void {
  const ports = productionPorts(tx, ctx, { place, before })
  const run = beginRun(ports, before && sessionOf(before), null)
  run.drafts.length = 0
  run.givesNotice = false
  const session = run.session ?? Object.assign(openSession(run), { firstMessageId: messageId })
  if (messageId !== null) session.state.isAnswered = false
  trace(run, { stage: 'guard', outcome: reason })
  endSession(run, 'failed', reason)
  finishRun(run)
}

/** How a session ends that must be silent for a reason. Every other reason cancels it. */
const ENDS: Readonly<Record<string, SessionStatus>> = {
  lost: 'failed',
  internal_error: 'failed',
  contact_blocked: 'failed',
  contact_deleted: 'failed',
  transfer_active: 'transferred',
  person_wrote: 'transferred',
}

/** Ends the session, and leaves the conversation to people. */
function leaveSilentlyIn(tx: Tx, ctx: Ctx, { place, session }: Failed, reason: string): void {
  if (session) endSessionIn(tx, ctx, session, { status: ENDS[reason] ?? 'cancelled', reason })
  const conversation = findConversation(ctx, place)
  if (conversation?.state === 'pending')
    changeConversationIn(tx, ctx, conversation, stateChange(ctx, conversation, 'open'))
}
