import { and, eq, sql, type SQL } from 'drizzle-orm'

import { compiledUpdate } from '../../../../infra/db/compiled-update'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { onCommit, type Tx } from '../../../../infra/db/transact'
import { endWaitingJobs } from '../../../../infra/jobs/waiting-jobs'
import { describePlatformError, type PlatformError } from '../../../../platform/client/errors'
import { publishStatusIn, runMessageMovedHooks } from '../publish-status'
import { sendKey } from '../rules'
import { settleCostIn } from '../cost/settle'
import { SendMessage } from '../jobs'
import { messages } from '../table'
import { scheduleUnknownNoticeIn } from './notify-unknown'
import type { MessageRow } from '../view'

/** The error of a failed message, as the API returns it. */
export interface SendError {
  code: string
  platform_code: number | null
  message: string
  details: string | null
  retryable: boolean
  /** Earliest time for another try, ISO 8601, if known. */
  retry_after?: string
}

/** Creates an error that does not come from the platform. */
export const ownFailure = (code: string, message: string, retryable = false): SendError => ({
  code,
  platform_code: null,
  message,
  details: null,
  retryable,
})

/** Translates a platform error for the API. */
export function failureOf(error: PlatformError): SendError {
  const { code, message, retryable } = describePlatformError(error.platformCode, error.retryClass)
  return { code, platform_code: error.platformCode, message, details: error.details, retryable }
}

/** Delivery states before the call; the message can still be canceled. */
export const PENDING_STATES = ['queued', 'held', 'uploading', 'retry_wait'] as const

/** Condition for unsent and unresolved messages, worded exactly as the partial indexes are. */
export const isPending = sql`${messages.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`

/** Send options without the sealed one-time code, which is deleted once the message is sent. */
const withoutCode = sql<
  string | null
>`case when ${messages.type} = 'template' then json_remove(${messages.sendOptions}, '$.sealed') else ${messages.sendOptions} end`

/** Returns the send options of a message as `withoutCode` does. */
export function optionsWithoutCode({ type, sendOptions }: MessageRow): string | null {
  if (type !== 'template' || sendOptions?.includes('"sealed"') !== true) return sendOptions
  const { sealed: _sealed, ...rest } = JSON.parse(sendOptions) as Record<string, unknown>
  return JSON.stringify(rest)
}

/** Whether the message was not submitted yet. */
export const isWaiting = ({ stage }: Pick<MessageRow, 'stage'>): boolean =>
  PENDING_STATES.some((waiting) => waiting === stage)

/** Counts the result of a message in the metrics, after the commit. */
export function countOutcome(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  outcome: 'accepted' | 'failed' | 'unknown',
): void {
  onCommit(tx, () => {
    ctx.metrics.messages.inc({ direction: 'outgoing', type: row.type, outcome })
    if (row.source === 'campaign') ctx.metrics.campaignMessages.inc({ outcome })
  })
}

const messageById = compiled((orm) =>
  orm
    .select()
    .from(messages)
    .where(inOrganization(anyScope, messages, eq(messages.id, place(messages.id, 'id'))))
    .prepare(),
)

/** Returns the message with this ID as it is inside the transaction. */
export function findMessageIn(tx: Tx, ctx: Ctx, id: string): MessageRow | undefined {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  return messageById(ctx.db).get({ organizationId: ctx.organizationId, id })
}

const changeMessage = compiledUpdate(
  messages,
  inOrganization(anyScope, messages, eq(messages.id, place(messages.id, 'id'))),
)

/** Sets the delivery state of a message. `heldReason` says why it is held. */
export function setDeliveryState(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  stage: MessageRow['stage'],
  heldReason: string | null = null,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  changeMessage(ctx.db, { organizationId: ctx.organizationId, id: row.id }, { stage, heldReason })
}

/** Marks the message as interrupted during its call, and when it is repeated, if at all. */
export function setAmbiguousIn(tx: Tx, ctx: Ctx, row: MessageRow, repeatAtMs: number | null): void {
  void tx // as above
  const change = { stage: 'ambiguous', heldReason: null, repeatAtMs } as const
  changeMessage(ctx.db, { organizationId: ctx.organizationId, id: row.id }, change)
}

/** Records that the message is not repeated. */
export function cancelRepeatIn(tx: Tx, ctx: Ctx, row: MessageRow): void {
  void tx // as above
  changeMessage(ctx.db, { organizationId: ctx.organizationId, id: row.id }, { repeatAtMs: null })
}

/** Adds a warning to the matching messages, once each. */
export function warnIn(
  tx: Tx,
  ctx: Ctx,
  warning: 'quote_not_sent' | 'out_of_order' | 'recipient_differs' | 'may_have_arrived',
  which: SQL | undefined,
): void {
  const known = sql`coalesce(${messages.warnings}, '[]')`
  tx.update(messages)
    .set({ warnings: sql`json_insert(${known}, '$[#]', ${warning})` })
    .where(inOrganization(ctx, messages, and(which, sql`instr(${known}, ${warning}) = 0`)))
    .run()
}

/** Marks the message as failed and publishes its status. */
export function failIn(tx: Tx, ctx: Ctx, row: MessageRow, error: SendError): void {
  const nowMs = ctx.clock.nowMs()
  tx.update(messages)
    .set({
      stage: 'failed',
      status: 'failed',
      heldReason: null,
      failedAtMs: nowMs,
      error: JSON.stringify(error),
      sendOptions: withoutCode,
    })
    .where(inOrganization(ctx, messages, eq(messages.id, row.id)))
    .run()
  settleCostIn(tx, ctx, row, { ...row, status: 'failed' })
  publishStatusIn(tx, ctx, row, { status: 'failed', timestampMs: nowMs })
  countOutcome(tx, ctx, row, 'failed')
  runMessageMovedHooks(tx, ctx, row)
}

/** The error of a message that only a person can resend. */
const OUTCOME_UNKNOWN = ownFailure(
  'outcome_unknown',
  'The platform did not confirm this message. It may have been delivered; check with the ' +
    'customer before you resend it.',
  true,
)

/** Marks the message as `unknown` and publishes its status. A later platform status resolves it. */
export function becomeUnknownIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  error: SendError = OUTCOME_UNKNOWN,
): void {
  const nowMs = ctx.clock.nowMs()
  tx.update(messages)
    .set({
      stage: 'unknown',
      status: 'unknown',
      heldReason: null,
      repeatAtMs: null,
      error: JSON.stringify(error),
      sendOptions: withoutCode,
    })
    .where(inOrganization(ctx, messages, eq(messages.id, row.id)))
    .run()
  publishStatusIn(tx, ctx, row, { status: 'unknown', timestampMs: nowMs })
  countOutcome(tx, ctx, row, 'unknown')
  scheduleUnknownNoticeIn(tx, ctx)
  runMessageMovedHooks(tx, ctx, row)
}

/**
 * Fails a waiting message and ends its job. The job is `cancelled` if a person canceled the
 * message, otherwise `discarded`.
 */
export function failWaitingIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  error: SendError,
  isCalledOff = false,
): void {
  failIn(tx, ctx, row, error)
  endWaitingJobs(
    tx,
    ctx,
    { kind: SendMessage.name, orderingKeys: [sendKey(row.contactId)], args: { messageId: row.id } },
    { state: isCalledOff ? 'cancelled' : 'discarded', reason: error.code },
  )
}
