import { and, desc, eq, lte, sql } from 'drizzle-orm'

import { DAY_MS, HOUR_MS, isoTime } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import type { HealthView } from './connection/model'
import { notifyAboutAccountIn } from './notify'
import { accountUnknownFields } from './table'
import type { AccountRow } from './view'

/** Maximum number of fields kept per number. The longest unseen one gives way to a new one. */
const MAX_FIELDS = 100

/** Longest field name that is kept. */
const MAX_FIELD_LENGTH = 100

/** Count of one hour: its start, epoch milliseconds, and the number of changes. */
type HourCount = [hourMs: number, changes: number]

/**
 * Counts a webhook change whose field this server does not process, inside the caller's
 * transaction. The first change of a field notifies the members who may change numbers.
 */
export function countUnknownFieldIn(
  tx: Tx,
  ctx: Ctx,
  account: AccountRow,
  change: { field: string; receivedAtMs: number },
): void {
  const field = change.field.slice(0, MAX_FIELD_LENGTH)
  const { receivedAtMs } = change
  const known = tx
    .select()
    .from(accountUnknownFields)
    .where(inOrganization(ctx, accountUnknownFields, eq(accountUnknownFields.field, field)))
    .all()
  const own = known.find(({ accountId }) => accountId === account.id)
  if (!own) makeRoomIn(tx, ctx, account.id)
  const hours = JSON.stringify(addedTo(hoursOf(own), receivedAtMs))
  const lastAtMs = Math.max(own?.lastAtMs ?? 0, receivedAtMs)
  tx.insert(accountUnknownFields)
    .values({
      organizationId: ctx.organizationId,
      accountId: account.id,
      field,
      hours,
      lastAtMs,
    })
    .onConflictDoUpdate({
      target: [
        accountUnknownFields.organizationId,
        accountUnknownFields.accountId,
        accountUnknownFields.field,
      ],
      set: { hours, lastAtMs },
    })
    .run()
  if (known.length === 0)
    notifyAboutAccountIn(tx, ctx, account, {
      kind: 'account_notice',
      severity: 'info',
      title: 'Unknown webhook field',
      body:
        `The platform sends webhooks of the field "${field}", which this server does not process. ` +
        'They are stored and can be processed after an update of the server.',
    })
}

/** Deletes the longest unseen field of a number that has the maximum number of fields. */
function makeRoomIn(tx: Tx, ctx: Ctx, accountId: string): void {
  const last = tx
    .select({ lastAtMs: accountUnknownFields.lastAtMs })
    .from(accountUnknownFields)
    .where(inOrganization(ctx, accountUnknownFields, eq(accountUnknownFields.accountId, accountId)))
    .orderBy(desc(accountUnknownFields.lastAtMs))
    .limit(1)
    .offset(MAX_FIELDS - 1)
    .get()
  if (last)
    tx.delete(accountUnknownFields)
      .where(
        inOrganization(
          ctx,
          accountUnknownFields,
          and(
            eq(accountUnknownFields.accountId, accountId),
            lte(accountUnknownFields.lastAtMs, last.lastAtMs),
          ),
        ),
      )
      .run()
}

const hoursOf = (row: { hours: string } | undefined): HourCount[] =>
  row ? (JSON.parse(row.hours) as HourCount[]) : []

/** Returns the counts with one more change, without hours that are over for a day. */
function addedTo(hours: HourCount[], atMs: number): HourCount[] {
  const hourMs = atMs - (atMs % HOUR_MS)
  const counts = new Map(hours)
  counts.set(hourMs, (counts.get(hourMs) ?? 0) + 1)
  const newestMs = Math.max(...counts.keys())
  return [...counts].filter(([startMs]) => startMs > newestMs - DAY_MS - HOUR_MS)
}

/** Returns the unknown webhook fields of a number, most recent first. */
export const unknownFieldsOf = (ctx: ReadCtx, accountId: string): HealthView['unknown_fields'] =>
  ctx.db.orm
    .select()
    .from(accountUnknownFields)
    .where(inOrganization(ctx, accountUnknownFields, eq(accountUnknownFields.accountId, accountId)))
    .orderBy(desc(accountUnknownFields.lastAtMs), sql`${accountUnknownFields.field}`)
    .limit(MAX_FIELDS)
    .all()
    .map((row) => ({
      field: row.field,
      count_24h: hoursOf(row)
        .filter(([startMs]) => startMs > ctx.clock.nowMs() - DAY_MS)
        .reduce((sum, [, changes]) => sum + changes, 0),
      last_at: isoTime(row.lastAtMs),
    }))
