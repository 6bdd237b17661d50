import { and, eq, inArray, lt, sql } from 'drizzle-orm'

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { anyScope, inOrganization, type Ctx, type JobCtx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { onCommit, type Tx } from '../../../infra/db/transact'
import { transactGrouped } from '../../../infra/db/group-commit'
import type { Outcome } from '../../../infra/jobs/work'
import { PlatformError } from '../../../platform/client/errors'
import type { SendReceipt } from '../../../platform/client/client'
import { recordSendSuccessIn } from '../../accounts/suspend'
import { accessTokenOf, findAccount } from '../../accounts/queries'
import { isRestricted, type AccountRow } from '../../accounts/view'
import { findContact, recordPlatformIdsIn } from '../../contacts/service'
import type { ContactRow } from '../../contacts/view'
import { isWindowOpen } from '../../conversations/window'
import { countTemplateSentIn, isPaused, isSendable } from '../../templates/state'
import type { TemplateRow } from '../../templates/view'
import { findConversation } from '../../conversations/service'
import { beginAttempt, endAttempt, lastCallAt } from './attempts'
import { recordFailureIn } from './failures'
import { blockReasonOf } from './send-gate'
import { buildPayload, platformIdToQuote, type SendContext } from './payload'
import { RESTRICTED, TEMPLATE_PAUSED } from '../rules'
import {
  becomeUnknownIn,
  countOutcome,
  failIn,
  failWaitingIn,
  findMessageIn,
  isPending,
  ownFailure,
  setDeliveryState,
  warnIn,
  type SendError,
} from './delivery-state'
import { placeOfGate } from './gate-keys'
import { enqueueUploadIn } from './queue'
import { recordAcceptanceNoteIn, deriveStatusIn } from '../status/apply'
import { messages } from '../table'
import {
  filesOfMessage,
  linkedTemplateId,
  templateOfMessage,
  templateToSend,
} from './template-payload'
import { UPLOAD_LOOK_MS, uploadedIdOf } from './upload'
import type { MessageRow } from '../view'

/** A message that waits for its number without a gate is looked at again so often. */
const HELD_PAUSE_MS = 10 * MINUTE_MS

/** Clocks are put right by less than this all the time, milliseconds. */
const FAR_AHEAD_MS = 30 * SECOND_MS

/** The word by which the platform says that it took a message and has nothing more to say. */
const PLAINLY_ACCEPTED = 'accepted'

type Step =
  | {
      kind: 'call'
      row: MessageRow
      account: AccountRow
      accessToken: string
      payload: Record<string, unknown>
    }
  | { kind: 'end'; outcome: Outcome }

/**
 * Takes one message a step further on its way to the platform: checks once more what may have
 * changed, writes down that the call is being made, makes it, writes down the answer. A message
 * whose call was cut off is never sent again; it waits for news and becomes `unknown` without any.
 * Returns when to go on; nothing when the message has reached an end.
 */
export async function deliverMessage(ctx: JobCtx, messageId: string): Promise<Outcome> {
  // Messages that go together share the commit of their marks, and those answered together that of
  // their outcomes.
  const step = await transactGrouped(ctx.db, 'now', (tx) => prepareSendIn(tx, ctx, messageId))
  if (step.kind === 'end') return step.outcome
  const { row, account } = step
  try {
    const receipt = await ctx.platform.sendMessage({
      phoneId: account.phoneId,
      apiVersion: account.apiVersion,
      accessToken: step.accessToken,
      payload: step.payload,
      signal: ctx.signal,
    })
    await transactGrouped(ctx.db, 'soon', (tx) =>
      recordAcceptedIn(tx, ctx, { row, account, receipt }),
    )
    return undefined
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return await transactGrouped(ctx.db, 'soon', (tx) =>
      recordFailureIn(tx, ctx, { row, account, error }),
    )
  }
}

/**
 * Everything before the call, in one transaction: the checks and, last, the mark that the call is
 * being made.
 */
function prepareSendIn(tx: Tx, ctx: JobCtx, messageId: string): Step {
  const end = (outcome: Outcome): Step => ({ kind: 'end', outcome })
  const row = findMessageIn(tx, ctx, messageId)
  if (!row || row.stage === null || ['accepted', 'failed', 'unknown'].includes(row.stage))
    return end(undefined)
  // The process ended while a call was under way: it may have reached the platform.
  if (row.stage === 'sending') return end(becomeAmbiguous(tx, ctx, row))
  if (row.stage === 'ambiguous') return end(waitForStatus(tx, ctx, row))

  const account = findAccount(ctx, row.accountId)
  const contact = findContact(ctx, row.contactId)
  const template = templateOfMessage(ctx, row)
  const refusal = refusalOf(ctx, row, { account, contact, template })
  if (refusal) return end(giveUp(tx, ctx, row, refusal))
  const hold = account && blockReasonOf(account, ctx.clock.nowMs())
  const accessToken = account && accessTokenOf(ctx, account)
  if (!account || !contact || hold || !accessToken)
    return end(waitForNumber(tx, ctx, row, { reason: hold?.reason ?? 'no_token' }))

  if (template && isPaused(template)) return end(waitForTemplate(tx, ctx, row))
  // What is no template goes to open windows only.
  if (template && isRestricted(account, ctx.clock.nowMs()) && !isHeard(ctx, row))
    return end(waitForFreedom(tx, ctx, row, account))

  const toSend = templateToSend(ctx, row)
  if (template && toSend === null) return end(giveUp(tx, ctx, row, codeLost))
  const uploaded = new Map(
    filesOfMessage(row, toSend).map((mediaId) => [mediaId, uploadedIdOf(ctx, mediaId, account.id)]),
  )
  const missing = [...uploaded].find(([, platformId]) => platformId === null)
  if (missing) {
    enqueueUploadIn(tx, ctx, { messageId: row.id, mediaId: missing[0], accountId: account.id })
    setDeliveryState(tx, ctx, row, 'uploading')
    return end({ snoozeMs: UPLOAD_LOOK_MS })
  }
  const wait = ctx.rateLimiter.take(ctx, account, contact.id, placeOfGate(ctx.gateKey))
  if (wait?.waitsFor === 'number')
    return end(waitForNumber(tx, ctx, row, { untilMs: wait.untilMs }))
  if (wait) return end(waitForContact(tx, ctx, row, wait.untilMs))

  beginAttempt(tx, ctx, row.id)
  setDeliveryState(tx, ctx, row, 'sending')
  const quoted =
    row.replyToId === null ? null : platformIdToQuote(ctx, findMessageIn(tx, ctx, row.replyToId))
  if (row.replyToId !== null && quoted === null)
    warnIn(tx, ctx, 'quote_not_sent', eq(messages.id, row.id))
  const moment: SendContext = {
    addressee: contact,
    replyTo: quoted,
    platformMediaId: row.mediaId === null ? null : (uploaded.get(row.mediaId) ?? null),
    callbackData: row.id,
    ...(toSend === null
      ? {}
      : { template: { toSend, idOf: (mediaId) => uploaded.get(mediaId) ?? null } }),
  }
  return { kind: 'call', row, account, accessToken, payload: buildPayload(row, moment) }
}

/** Why a waiting message can no longer be sent at all; `null` when it can. */
function refusalOf(
  ctx: Ctx,
  row: MessageRow,
  now: { account: AccountRow | null; contact: ContactRow | null; template: TemplateRow | null },
): SendError | null {
  const { account, contact, template } = now
  if (!account || account.deletedAtMs !== null)
    return ownFailure(
      'account_deleted',
      'The phone number was disconnected before the message was sent.',
    )
  if (ctx.clock.nowMs() - row.createdAtMs >= ctx.settings.sendExpiryHours * HOUR_MS)
    return expiryOf(account)
  if (!contact || contact.deletedAtMs !== null)
    return ownFailure('contact_deleted', 'The contact has been deleted.')
  if (contact.blockedAtMs !== null) return ownFailure('contact_blocked', 'The contact is blocked.')
  if (row.type === 'template')
    return template === null ? templateGone : templateRefusal(template, contact)
  if (!isHeard(ctx, row))
    return ownFailure(
      'window_closed',
      'The 24-hour window closed before the message could be sent. Send a template instead.',
    )
  return null
}

/** Whether a message goes to a window that is open now. */
const isHeard = (ctx: Ctx, { contactId, accountId }: MessageRow): boolean =>
  isWindowOpen(findConversation(ctx, { contactId, accountId }), ctx.clock.nowMs())

const templateGone = ownFailure(
  'template_not_approved',
  'The template of this message was deleted. Send another one.',
)

const codeLost = ownFailure(
  'code_lost',
  'The one-time code of this message can no longer be read. Send a new one.',
)

/** Why a template can no longer be sent to a contact; a paused one waits. */
function templateRefusal(template: TemplateRow, contact: ContactRow): SendError | null {
  if (!isSendable(template) && !isPaused(template))
    return ownFailure(
      'template_not_approved',
      `Template "${template.name}" cannot be sent because its status is ${template.status}. ` +
        'Send another one.',
    )
  return template.category === 'MARKETING' && contact.marketingConsent === 'opted_out'
    ? ownFailure('opted_out', 'The contact has opted out of marketing messages.')
    : null
}

/** Why a message fails that waited longer than anything may wait. */
export const expiryOf = (account: Pick<AccountRow, 'status'>): SendError =>
  account.status === 'active'
    ? ownFailure(
        'expired',
        'The message expired before it could be sent. Resend it if it is still relevant.',
        true,
      )
    : ownFailure(
        'account_disconnected',
        'The message expired because the phone number could not send. Resend it when the ' +
          'number works again.',
        true,
      )

/**
 * The message waits at the gate of its number; one from before there were gates looks again by
 * itself.
 */
function waitForNumber(
  tx: Tx,
  ctx: JobCtx,
  row: MessageRow,
  why: { reason: string } | { untilMs: number },
): Outcome {
  if ('reason' in why) setDeliveryState(tx, ctx, row, 'held', why.reason)
  else setDeliveryState(tx, ctx, row, 'queued')
  if (ctx.gateKey !== '') return { backToGate: true }
  return { snoozeMs: 'untilMs' in why ? why.untilMs - ctx.clock.nowMs() : HELD_PAUSE_MS }
}

/**
 * The message waits until the platform sends its template again; that is told by an event, which
 * hurries it.
 */
function waitForTemplate(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  setDeliveryState(tx, ctx, row, 'held', TEMPLATE_PAUSED)
  return { snoozeMs: HELD_PAUSE_MS }
}

/**
 * The message waits until its number may write first again, which an event tells and hurries it;
 * its customer's next message hurries it, too.
 */
function waitForFreedom(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  { restrictedUntilMs }: AccountRow,
): Outcome {
  setDeliveryState(tx, ctx, row, 'held', RESTRICTED)
  const leftMs = restrictedUntilMs === null ? Infinity : restrictedUntilMs - ctx.clock.nowMs()
  return { snoozeMs: Math.min(HELD_PAUSE_MS, leftMs) }
}

/** The message waits until its contact may get one more. */
function waitForContact(tx: Tx, ctx: Ctx, row: MessageRow, untilMs: number): Outcome {
  setDeliveryState(tx, ctx, row, 'retry_wait', 'contact_pace')
  return { snoozeMs: untilMs - ctx.clock.nowMs() }
}

function becomeAmbiguous(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  setDeliveryState(tx, ctx, row, 'ambiguous')
  endAttempt(tx, ctx, row.id, { outcome: 'ambiguous' })
  return { snoozeMs: ctx.settings.sendUnknownMinutes * MINUTE_MS }
}

/**
 * After long enough without news nobody knows whether the message arrived, and it says so. Only a
 * person sends it again.
 */
function waitForStatus(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  const sinceMs = lastCallAt(tx, ctx, row.id) ?? row.createdAtMs
  const leftMs = sinceMs + ctx.settings.sendUnknownMinutes * MINUTE_MS - ctx.clock.nowMs()
  // A call of a time that is yet to come: the clock was put back since.
  const isOfWrongTime = sinceMs - ctx.clock.nowMs() > FAR_AHEAD_MS
  if (leftMs > 0 && !isOfWrongTime) return { snoozeMs: leftMs }
  becomeUnknownIn(tx, ctx, row)
  return undefined
}

function giveUp(tx: Tx, ctx: Ctx, row: MessageRow, error: SendError): Outcome {
  failIn(tx, ctx, row, error)
  return { giveUp: error.code }
}

/**
 * Marks a message as failed because its job was given up: that is a bug of ours, and the row must
 * not wait for ever.
 */
export function failAbandonedIn(tx: Tx, ctx: Ctx, messageId: string): void {
  const row = findMessageIn(tx, ctx, messageId)
  if (row && row.stage !== null && !['accepted', 'failed', 'unknown'].includes(row.stage))
    failWaitingIn(
      tx,
      ctx,
      row,
      ownFailure(
        'internal_error',
        'The message could not be sent because of an internal error.',
        true,
      ),
    )
}

const keepReceipt = compiled((orm) =>
  orm
    .update(messages)
    .set({
      waMessageId: sql`${sql.placeholder('waMessageId')}`,
      acceptedAtMs: sql`${sql.placeholder('nowMs')}`,
      heldReason: null,
    })
    .where(inOrganization(anyScope, messages, eq(messages.id, sql.placeholder('id'))))
    .returning()
    .prepare(),
)

/** Earlier messages to the same contact that still wait on their way. */
const earlierPendingMessages = compiled((orm) =>
  orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.contactId, sql.placeholder('contactId')),
          eq(messages.accountId, sql.placeholder('accountId')),
          isPending,
          sql`${messages.stage} in ('retry_wait', 'ambiguous', 'uploading')`,
          lt(messages.id, sql.placeholder('id')),
        ),
      ),
    )
    .prepare(),
)

/**
 * The platform took the message: from now on only its statuses move it; those that came early are
 * applied.
 */
function recordAcceptedIn(
  tx: Tx,
  ctx: Ctx,
  done: { row: MessageRow; account: AccountRow; receipt: SendReceipt },
): void {
  const { row, account, receipt } = done
  endAttempt(tx, ctx, row.id, { outcome: 'accepted', httpStatus: 200 })
  ctx.rateLimiter.passed(account, ctx.clock.nowMs())
  countOutcome(tx, ctx, row, 'accepted')
  onCommit(tx, () =>
    ctx.metrics.messageSend.observe((ctx.clock.nowMs() - row.createdAtMs) / SECOND_MS),
  )
  recordSendSuccessIn(tx, ctx, account)
  const templateId = row.type === 'template' ? linkedTemplateId(ctx, row.id) : null
  if (templateId !== null) countTemplateSentIn(tx, ctx, templateId)
  const now = keepReceipt(ctx.db).get({
    organizationId: ctx.organizationId,
    id: row.id,
    waMessageId: receipt.waMessageId,
    nowMs: ctx.clock.nowMs(),
  })
  if (receipt.messageStatus !== null && receipt.messageStatus !== PLAINLY_ACCEPTED)
    recordAcceptanceNoteIn(tx, ctx, now, receipt.messageStatus)
  recordPlatformIdsIn(tx, ctx, row.contactId, {
    waId: receipt.waId,
    userId: receipt.userId,
    accountId: row.accountId,
  })
  deriveStatusIn(tx, ctx, now)
  const { organizationId } = ctx
  const overtaken = earlierPendingMessages(ctx.db).all({
    organizationId,
    contactId: row.contactId,
    accountId: row.accountId,
    id: row.id,
  })
  if (overtaken.length > 0) {
    const ids = overtaken.map(({ id }) => id)
    warnIn(tx, ctx, 'out_of_order', inArray(messages.id, ids))
  }
}
