import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { SECOND_MS } from '../../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { onCommit, type Tx } from '../../../../infra/db/transact'
import type { SendReceipt } from '../../../../platform/client/client'
import { recordDirectResultIn } from '../../../channel/accounts/direct-send'
import { recordSendSuccessIn } from '../../../channel/accounts/suspend'
import { type AccountRow } from '../../../channel/accounts/view'
import { countTemplateSentIn } from '../../../channel/templates/usage'
import { endAttempt } from './attempts'
import { countOutcome, findMessageIn, isPending, warnIn } from './delivery-state'
import { deriveStatusIn } from '../status/derive'
import { recordAcceptanceNoteIn } from '../status/ledger'
import { messages } from '../table'
import { linkedTemplateId } from './template-payload'
import type { MessageRow } from '../view'
import { recordOwnMessageIn } from '../../conversations/thread-owner'
import { recordPlatformIdsIn } from '../../contacts/identities/sender'

/** The message status of a plain acceptance, which carries no further information. */
const ACCEPTED = 'accepted'

/** Earlier messages to the same contact that are not sent yet. */
const earlierPendingMessages = compiled((orm) =>
  orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.contactId, place(messages.contactId, 'contactId')),
          eq(messages.accountId, place(messages.accountId, 'accountId')),
          isPending,
          sql`${messages.stage} in ('retry_wait', 'ambiguous', 'uploading')`,
          lt(messages.id, place(messages.id, 'id')),
        ),
      ),
    )
    .prepare(),
)

/**
 * Records that the platform accepted the message, and applies statuses that arrived before the
 * response.
 */
export function recordAcceptedIn(
  tx: Tx,
  ctx: Ctx,
  call: { row: MessageRow; account: AccountRow; receipt: SendReceipt },
): void {
  const { row, account, receipt } = call
  endAttempt(tx, ctx, row.id, { outcome: 'accepted', httpStatus: 200 })
  ctx.rateLimiter.recordSuccess(account, ctx.clock.nowMs())
  countOutcome(tx, ctx, row, 'accepted')
  onCommit(tx, () =>
    ctx.metrics.messageSend.observe((ctx.clock.nowMs() - row.createdAtMs) / SECOND_MS),
  )
  recordSendSuccessIn(tx, ctx, account)
  const templateId = row.type === 'template' ? linkedTemplateId(ctx, row.id) : null
  if (templateId !== null) countTemplateSentIn(tx, ctx, templateId)
  const { waMessageId } = receipt
  if (receipt.messageStatus !== null && receipt.messageStatus !== ACCEPTED)
    recordAcceptanceNoteIn(tx, ctx, { ...row, waMessageId }, receipt.messageStatus)
  recordPlatformIdsIn(tx, ctx, row.contactId, {
    waId: receipt.waId,
    userId: receipt.userId,
    accountId: row.accountId,
  })
  const { conversationId } = row
  if (row.isDirect) recordDirectResultIn(tx, ctx, account, { isRefused: false })
  // A direct message changes no owner.
  else recordOwnMessageIn(tx, ctx, { conversationId, atMs: ctx.clock.nowMs() }, { isLatest: true })
  // It may have changed since the call began.
  const now = findMessageIn(tx, ctx, row.id)
  if (now)
    deriveStatusIn(tx, ctx, now, {
      isQuiet: false,
      receipt: { waMessageId, acceptedAtMs: ctx.clock.nowMs(), heldReason: null },
    })
  const { organizationId } = ctx
  const earlier = earlierPendingMessages(ctx.db).all({
    organizationId,
    contactId: row.contactId,
    accountId: row.accountId,
    id: row.id,
  })
  if (earlier.length > 0) {
    const ids = earlier.map(({ id }) => id)
    warnIn(tx, ctx, 'out_of_order', inArray(messages.id, ids))
  }
}
