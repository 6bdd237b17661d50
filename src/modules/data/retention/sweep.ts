import { DAY_MS } from '../../../lib/clock'
import { inOrganization, type Ctx, type JobCtx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { eraseBotDataBeforeIn } from '../../automation/chatbot/engine/contact-changes'
import { deleteUsageBeforeIn } from '../../automation/ai/contact-changes'
import { deleteQuestionsBeforeIn } from '../../automation/ai/questions/contact-changes'
import { eraseCallsBeforeIn } from '../../channel/calls/contact-changes'
import { contacts } from '../../inbox/contacts/table'
import { eraseMessagesBeforeIn } from '../../inbox/messages/contact-changes/erase'
import { eraseNotesBeforeIn } from '../../inbox/contacts/notes/contact-changes'
import {
  limitsInEffect,
  retentionRow,
  type Limits,
} from '../../organization/organizations/retention/service'
import { eraseInactiveIn } from '../../inbox/contact-operations/delete'
import { eraseTransfersBeforeIn } from '../../automation/transfers/contact-changes'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { inactiveSince } from './inactive'

/** Number of contacts erased in one transaction. Separate jobs erase their messages. */
const CONTACTS_AT_ONCE = 20

/** Maximum number of rounds in one run. The next night continues. */
const MAX_ROUNDS = 20_000

/** Returns the limits in force; `null` while nothing may be erased. */
function limitsNow(ctx: Ctx): Limits | null {
  const row = retentionRow(ctx, ctx.organizationId)
  return row.isLegalHold
    ? null
    : limitsInEffect(row, { nowMs: ctx.clock.nowMs(), journalDays: ctx.settings.journalDays })
}

/**
 * Erases an organization's expired data in batches and yields to the event loop in between. Files
 * and stored webhook deliveries have sweeps of their own.
 */
export async function sweepOrganization(ctx: JobCtx): Promise<void> {
  const before = (days: number | null | undefined): number | null =>
    days == null ? null : ctx.clock.nowMs() - days * DAY_MS
  await inSteps(ctx, () => {
    const beforeMs = before(limitsNow(ctx)?.messages_days)
    return beforeMs !== null && transact(ctx.db, (tx) => eraseMessagesBeforeIn(tx, ctx, beforeMs))
  })
  await inSteps(ctx, () => {
    const beforeMs = before(limitsNow(ctx)?.messages_days)
    return beforeMs !== null && transact(ctx.db, (tx) => eraseCallsBeforeIn(tx, ctx, beforeMs))
  })
  await inSteps(ctx, () => {
    const beforeMs = before(limitsNow(ctx)?.messages_days)
    return beforeMs !== null && transact(ctx.db, (tx) => eraseTransfersBeforeIn(tx, ctx, beforeMs))
  })
  await inSteps(ctx, () => {
    const beforeMs = before(limitsNow(ctx)?.messages_days)
    return beforeMs !== null && transact(ctx.db, (tx) => eraseBotDataBeforeIn(tx, ctx, beforeMs))
  })
  await inSteps(ctx, () => {
    const beforeMs = before(limitsNow(ctx)?.messages_days)
    return beforeMs !== null && transact(ctx.db, (tx) => deleteUsageBeforeIn(tx, ctx, beforeMs))
  })
  await inSteps(ctx, () => {
    const beforeMs = before(limitsNow(ctx)?.messages_days)
    return beforeMs !== null && transact(ctx.db, (tx) => deleteQuestionsBeforeIn(tx, ctx, beforeMs))
  })
  await inSteps(ctx, () => {
    const beforeMs = before(limitsNow(ctx)?.notes_days)
    return beforeMs !== null && transact(ctx.db, (tx) => eraseNotesBeforeIn(tx, ctx, beforeMs))
  })
  await inSteps(ctx, () => {
    const beforeMs = before(limitsNow(ctx)?.contacts_inactive_days)
    return beforeMs !== null && eraseInactive(ctx, beforeMs)
  })
}

async function inSteps(ctx: JobCtx, step: () => boolean): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS && step(); round += 1) {
    ctx.signal.throwIfAborted()
    await yieldToEventLoop()
  }
}

function eraseInactive(ctx: Ctx, beforeMs: number): boolean {
  return transact(ctx.db, (tx) => {
    const rows = tx
      .select()
      .from(contacts)
      .where(inOrganization(ctx, contacts, inactiveSince(beforeMs)))
      .limit(CONTACTS_AT_ONCE)
      .all()
    for (const row of rows) eraseInactiveIn(tx, ctx, row)
    return rows.length === CONTACTS_AT_ONCE
  })
}
