import { asc, eq, lte } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { inOrganization, systemCtx, type Ctx } from '../../../infra/ctx'
import { savepoint, type Tx } from '../../../infra/db/transact'
import { findAccount } from '../../channel/accounts/queries'
import { effectiveSettings } from '../chatbot-settings/effective'
import { renderSettingText } from '../../inbox/contacts/texts/render-text'
import { findContact } from '../../inbox/contacts/service'
import { findActiveMember } from '../../organization/memberships/find'
import { sendSystemTextIn } from '../../inbox/messages/outbound/auto-reply'
import { notifyIn } from '../../organization/notifications/service'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { findTeam, membersOf } from '../../inbox/teams/find'
import { changeTransferIn, conversationOf, updateTransferIn } from './change'
import { nextEscalation } from './clocks'
import { breachIn, expireIn } from './end'
import { moveTransferIn } from './move'
import { offerAfterMovesIn } from './offer-after-moves'
import { breachDueAtMs, type TransferRow } from './rules'
import { transfers } from './table'
import { noticeText } from '../../organization/notifications/catalog'

/** Maximum number of transfers in one transaction. */
const AT_ONCE = 10

/** Time after which a transaction takes no further transfer, milliseconds. */
const SLICE_MS = 8

/** When a transfer whose work failed is tried again. */
const RETRY_MS = 5 * MINUTE_MS

/**
 * Does what is due on transfers of all organizations, oldest deadline first: up to 10 of them, for a
 * few milliseconds. Returns whether there may be more. Runs inside the caller's transaction.
 */
export function runDueIn(tx: Tx, ctx: Ctx): boolean {
  const startedMs = performance.now()
  const nowMs = ctx.clock.nowMs()
  const due = tx
    .select()
    .from(transfers)
    .where(
      inWorkingOrganizations(
        'deadlines of all organizations are kept in one place',
        transfers,
        lte(transfers.dueAtMs, nowMs),
      ),
    )
    .orderBy(asc(transfers.dueAtMs))
    .limit(AT_ONCE)
    .all()
  let done = 0
  for (const row of due) {
    if (done > 0 && performance.now() - startedMs > SLICE_MS) break
    runSafelyIn(tx, systemCtx(ctx, row.organizationId), row)
    done += 1
  }
  return done < due.length || due.length === AT_ONCE
}

/** Does what is due on a transfer. If it fails, the others do not wait for it. */
function runSafelyIn(tx: Tx, ctx: Ctx, row: TransferRow): void {
  try {
    savepoint(tx, (inner) => runOneIn(inner, ctx, row))
  } catch (error) {
    ctx.log.error(
      { error, organization_id: ctx.organizationId, transfer_id: row.id },
      'deadline of a transfer not processed',
    )
    postponeIn(tx, ctx, row)
  }
}

function postponeIn(tx: Tx, ctx: Ctx, row: TransferRow): void {
  tx.update(transfers)
    .set({ dueAtMs: ctx.clock.nowMs() + RETRY_MS })
    .where(inOrganization(ctx, transfers, eq(transfers.id, row.id)))
    .run()
}

const isDue = (ctx: Ctx, atMs: number | null): boolean => atMs !== null && atMs <= ctx.clock.nowMs()

function runOneIn(tx: Tx, ctx: Ctx, due: TransferRow): void {
  let row = due
  if (isDue(ctx, breachDueAtMs(row))) row = breachIn(tx, ctx, row)
  if (isDue(ctx, row.escalationDueAtMs)) row = escalateIn(tx, ctx, row)
  if (isDue(ctx, row.expiresAtMs)) {
    sayGoodbyeIn(tx, ctx, row)
    expireIn(tx, ctx, row)
    return
  }
  if (isDue(ctx, row.reminderDueAtMs)) row = remindIn(tx, ctx, row)
  if (isDue(ctx, row.agentDueAtMs)) passOnIn(tx, ctx, row)
}

/** Sends a text to the customer of a transfer, unless it is not set or may not be sent. */
function sayIn(tx: Tx, ctx: Ctx, row: TransferRow, text: string | null): void {
  const conversation = conversationOf(ctx, row)
  const account = findAccount(ctx, row.accountId)
  const contact = findContact(ctx, row.contactId)
  if (text === null || !conversation || !account || !contact) return
  const rendered = renderSettingText(ctx, contact, text)
  if (rendered !== null) sendSystemTextIn(tx, ctx, { conversation, account }, rendered)
}

/**
 * Escalates a transfer that nobody has answered. Level 1 warns the customer and the people of the
 * settings; level 2, a period later, alarms them and the managers of its team.
 */
function escalateIn(tx: Tx, ctx: Ctx, before: TransferRow): TransferRow {
  const level = before.escalationLevel + 1
  const settings = effectiveSettings(ctx, before.accountId)
  const after = changeTransferIn(
    tx,
    ctx,
    before,
    {
      escalationLevel: level,
      escalatedAtMs: ctx.clock.nowMs(),
      escalationDueAtMs: level === 1 ? nextEscalation(ctx, before) : null,
    },
    {
      kind: 'escalated',
      changed: ['escalation_level', 'escalated_at'],
      details: { level },
    },
  )
  if (level === 1) sayIn(tx, ctx, after, settings.sla_warning_message)
  const managers = level === 1 || after.teamId === null ? [] : managersOf(ctx, after.teamId)
  for (const userId of new Set([...settings.sla_escalation_notify_ids, ...managers]))
    if (findActiveMember(ctx, userId)) notifyOfEscalationIn(tx, ctx, after, userId)
  return after
}

const managersOf = (ctx: Ctx, teamId: string): string[] =>
  membersOf(ctx, teamId).flatMap(({ userId, role }) => (role === 'manager' ? [userId] : []))

function notifyOfEscalationIn(tx: Tx, ctx: Ctx, row: TransferRow, userId: string): void {
  const conversation = conversationOf(ctx, row)
  const waitsMinutes = Math.floor((ctx.clock.nowMs() - row.transferredAtMs) / MINUTE_MS)
  const team = row.teamId === null ? null : findTeam(ctx, row.teamId)
  const isCritical = row.escalationLevel > 1
  notifyIn(tx, ctx, {
    userId,
    kind: isCritical ? 'sla_critical' : 'sla_warning',
    severity: isCritical ? 'critical' : 'warning',
    title: isCritical ? 'A customer still waits for an answer' : 'A customer waits for an answer',
    text: noticeText(isCritical ? 'sla_critical' : 'sla_warning', {
      minutes: waitsMinutes,
      place: row.agentId === null ? 'queue' : 'person',
      ...(team ? { team: team.name } : {}),
    }),
    body:
      `Nobody has answered a transfer for ${waitsMinutes} minutes. It ` +
      (row.agentId === null ? 'waits in the queue' : 'is assigned') +
      (team ? ` of the team ${team.name}.` : '.'),
    ...(conversation ? { link: `/inbox/${conversation.id}` } : {}),
  })
}

/** Reminds a silent customer, once per silence. */
function remindIn(tx: Tx, ctx: Ctx, row: TransferRow): TransferRow {
  const settings = effectiveSettings(ctx, row.accountId)
  if (settings.client_reminder_enabled) sayIn(tx, ctx, row, settings.client_reminder_message)
  return updateTransferIn(tx, ctx, row, {
    reminderDueAtMs: null,
    remindedAtMs: ctx.clock.nowMs(),
  })
}

/** Sends the last text to the customer of a transfer that expires. */
function sayGoodbyeIn(tx: Tx, ctx: Ctx, row: TransferRow): void {
  const settings = effectiveSettings(ctx, row.accountId)
  sayIn(
    tx,
    ctx,
    row,
    row.isClientExpiry ? settings.client_auto_close_message : settings.sla_auto_close_message,
  )
}

/**
 * Returns a transfer whose agent has not responded in time to its queue, where it is offered to the
 * members of the team who have not had it.
 */
function passOnIn(tx: Tx, ctx: Ctx, row: TransferRow): void {
  const after = moveTransferIn(tx, ctx, row, {
    agentId: null,
    teamId: row.teamId,
    kind: 'returned',
    reason: 'agent_timeout',
    passesOver: true,
  })
  offerAfterMovesIn(tx, ctx, [{ before: row, after }])
}
