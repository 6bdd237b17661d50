import { AppError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { savepoint, type Tx } from '../../../../infra/db/transact'
import { changeArgsIn } from '../../../../infra/jobs/waiting-jobs'
import { runHooks } from '../../../../infra/transaction-hooks'
import { MessageRepeated, RepeatAsked } from '../events'
import type { MessageRow } from '../view'
import { createMessageIn } from './create'
import { becomeUnknownIn, cancelRepeatIn, ownFailure } from './delivery-state'
import { endOutcomeWaitIn, REPEAT_AFTER_MS } from './outcome-wait'
import { sendJobOf } from './queue'
import { automaticRefusal } from './send-automatically'
import { MAY_HAVE_ARRIVED, repeatOf } from './stored-message'

/** The error of a message that was repeated. */
const REPEATED = ownFailure(
  'outcome_unknown',
  'WhatsApp did not confirm this reply of the bot, so it was sent again. The customer may have ' +
    'received it twice.',
)

/** Whether the bot is still in the session that sent a message. */
function isRepeatWanted(tx: Tx, ctx: Ctx, row: MessageRow): boolean {
  const answer = { isWanted: false }
  const { id: messageId, contactId, accountId } = row
  runHooks(tx, ctx, RepeatAsked, { messageId, contactId, accountId, answer })
  return answer.isWanted
}

/**
 * Returns when a message whose call was interrupted is repeated, or `null`. Templates, repeats, and
 * messages of people, programs and campaigns never are.
 */
export function repeatTimeOf(tx: Tx, ctx: Ctx, row: MessageRow): number | null {
  const isReply = row.source === 'chatbot' && row.type !== 'template' && row.resendOfId === null
  return isReply && isRepeatWanted(tx, ctx, row) ? ctx.clock.nowMs() + REPEAT_AFTER_MS : null
}

/**
 * Repeats an unconfirmed message and lets its send job send the new one, so that it keeps its place
 * before later messages. Returns the ID of the new message; `null` if the session is over or the
 * message would be refused now. Nothing waits for the outcome of the first one any longer.
 */
export function repeatMessageIn(tx: Tx, ctx: Ctx, row: MessageRow): string | null {
  const repeat =
    isRepeatWanted(tx, ctx, row) && automaticRefusal(ctx, row) === null
      ? createRepeatIn(tx, ctx, row)
      : null
  if (!repeat) cancelRepeatIn(tx, ctx, row)
  else {
    becomeUnknownIn(tx, ctx, row, REPEATED)
    changeArgsIn(tx, ctx, sendJobOf(row), { messageId: repeat.id })
    runHooks(tx, ctx, MessageRepeated, {
      messageId: row.id,
      repeatId: repeat.id,
      contactId: row.contactId,
      accountId: row.accountId,
    })
  }
  endOutcomeWaitIn(tx, ctx, row)
  return repeat?.id ?? null
}

/** Stores the repeat of a message, without a job. Returns `null` if it would be refused. */
function createRepeatIn(tx: Tx, ctx: Ctx, row: MessageRow): MessageRow | null {
  try {
    return savepoint(tx, (inner) =>
      createMessageIn(inner, ctx, {
        ...repeatOf(ctx, row),
        clientRef: row.clientRef,
        repeats: { id: row.id, warnings: [MAY_HAVE_ARRIVED] },
        automatic: 'chatbot',
        botFlowId: row.botFlowId,
        hasJob: true,
      }),
    )
  } catch (error) {
    if (!(error instanceof AppError) || error.httpStatus >= 500) throw error
    ctx.log.info({ message_id: row.id, reason: error.code }, 'unconfirmed reply not repeated')
    return null
  }
}
