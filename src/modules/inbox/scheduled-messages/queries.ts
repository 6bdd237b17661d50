import { and, asc, count, desc, eq, gte, inArray, isNull, lt, sql, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import type { Page } from '../../../lib/page'
import { maskPhonesIn } from '../../../lib/phone'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { readNumbered } from '../../../infra/offset-pagination'
import { LISTED_COLUMNS, listedContact } from '../contacts/listed'
import { contacts } from '../contacts/table'
import { isVisibleIn, masksNumbers } from '../contacts/sight/visibility'
import { users } from '../../organization/users/table'
import type { ScheduledMessage } from './model'
import type { ScheduledError, ScheduledRow } from './row'
import { scheduledMessages } from './table'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** Limits a query to what the caller wrote. An API key wrote only what it created itself. */
const isOwn = ({ actor }: Pick<Ctx, 'actor'>): SQL =>
  actor.apiKeyId === null
    ? eq(scheduledMessages.createdBy, actor.userId ?? '')
    : eq(scheduledMessages.createdByKey, actor.apiKeyId)

/** Limits a query to the messages that the caller sees: own ones, with `contacts:delete` all. */
const isUsable = (ctx: Ctx): SQL | undefined =>
  and(
    hasPermission(ctx.actor, 'contacts:delete') ? undefined : isOwn(ctx),
    isVisibleIn(ctx, scheduledMessages.contactId),
  )

/** Filters of the list. */
export interface ScheduledFilter {
  contactId?: string | undefined
  accountId?: string | undefined
  state?: ScheduledRow['state'] | undefined
  mine?: boolean | undefined
  fromMs?: number | undefined
  toMs?: number | undefined
}

/** Returns a page of the scheduled messages that the caller sees, by their time. */
export function listScheduled(
  ctx: Ctx,
  query: ScheduledFilter & { page: number; limit: number; order: 'asc' | 'desc' },
): Page<ScheduledMessage> {
  const { contactId, accountId, state, mine, fromMs, toMs, order } = query
  const by = order === 'asc' ? asc : desc
  return readNumbered(ctx, query, {
    table: scheduledMessages,
    filter: inOrganization(
      ctx,
      scheduledMessages,
      isUsable(ctx),
      contactId === undefined ? undefined : eq(scheduledMessages.contactId, contactId),
      accountId === undefined ? undefined : eq(scheduledMessages.accountId, accountId),
      state === undefined ? undefined : eq(scheduledMessages.state, state),
      mine === true ? isOwn(ctx) : undefined,
      fromMs === undefined ? undefined : gte(scheduledMessages.sendAtMs, fromMs),
      toMs === undefined ? undefined : lt(scheduledMessages.sendAtMs, toMs),
    ),
    order: [by(scheduledMessages.sendAtMs), by(scheduledMessages.id)],
    views: (rows) => scheduledViews(ctx, rows),
  })
}

/** Returns a scheduled message that the caller may see and change. Throws NotFoundError. */
export function getScheduled(ctx: Ctx, id: string): ScheduledRow {
  const row = ctx.db.orm
    .select()
    .from(scheduledMessages)
    .where(inOrganization(ctx, scheduledMessages, eq(scheduledMessages.id, id), isUsable(ctx)))
    .get()
  if (!row) throw new NotFoundError('Scheduled message')
  return row
}

/** Returns a scheduled message, whoever sees it, or `null`. */
export const findScheduled = (scope: Scope, id: string): ScheduledRow | null =>
  scope.db.orm
    .select()
    .from(scheduledMessages)
    .where(inOrganization(scope, scheduledMessages, eq(scheduledMessages.id, id)))
    .get() ?? null

// Written without a parameter, so that the partial indexes apply.
const IS_OPEN = sql`${scheduledMessages.state} = 'scheduled'`

/** Returns the scheduled messages of a contact that have not ended. There are few. */
export const openOfContact = (
  scope: Scope,
  contactId: string,
  ...conditions: (SQL | undefined)[]
): ScheduledRow[] =>
  scope.db.orm
    .select()
    .from(scheduledMessages)
    .where(
      inOrganization(
        scope,
        scheduledMessages,
        eq(scheduledMessages.contactId, contactId),
        IS_OPEN,
        ...conditions,
      ),
    )
    .all()

/** Returns up to `limit` scheduled messages of a phone number that have not ended. */
export const openOfAccount = (scope: Scope, accountId: string, limit: number): ScheduledRow[] =>
  scope.db.orm
    .select()
    .from(scheduledMessages)
    .where(
      inOrganization(scope, scheduledMessages, eq(scheduledMessages.accountId, accountId), IS_OPEN),
    )
    .limit(limit)
    .all()

/** Counts the scheduled messages that have not ended, of the organization or of a contact. */
export const countOpen = (scope: Scope, contactId?: string): number =>
  scope.db.orm
    .select({ rows: count() })
    .from(scheduledMessages)
    .where(
      inOrganization(
        scope,
        scheduledMessages,
        contactId === undefined ? undefined : eq(scheduledMessages.contactId, contactId),
        IS_OPEN,
      ),
    )
    .get()?.rows ?? 0

/** Returns a scheduled message as the caller sees it. */
export function scheduledView(ctx: Ctx, row: ScheduledRow): ScheduledMessage {
  const [view] = scheduledViews(ctx, [row])
  if (!view) throw new Error('the scheduled message was not shown')
  return view
}

/**
 * Returns scheduled messages as the caller sees them: numbers in those of others can be masked.
 * Contacts that were deleted have no name anymore.
 */
function scheduledViews(ctx: Ctx, rows: ScheduledRow[]): ScheduledMessage[] {
  const isMasked = masksNumbers(ctx)
  const ids = rows.map(({ contactId }) => contactId)
  const people = ctx.db.orm
    .select(LISTED_COLUMNS)
    .from(contacts)
    .where(
      inOrganization(ctx, contacts, and(inArray(contacts.id, ids), isNull(contacts.deletedAtMs))),
    )
    .all()
  const known = new Map(people.map((row) => [row.id, listedContact(row, isMasked)]))
  const facts = factsOfRows(ctx, rows, (row) => isMasked && row.createdBy !== ctx.actor.userId)
  return facts.map((one) => ({
    ...one,
    contact: known.get(one.contact_id) ?? {
      ...{ id: one.contact_id, display_name: null, phone_number: null },
    },
  }))
}

/** A scheduled message without whom it is for. */
type ScheduledFacts = Omit<ScheduledMessage, 'contact'>

/** Returns scheduled messages as the API shows them. Reads the names of all authors at once. */
export function factsOfRows(
  scope: Scope,
  rows: ScheduledRow[],
  isMasked: (row: ScheduledRow) => boolean,
): ScheduledFacts[] {
  const ids = [...new Set(rows.map(({ createdBy }) => createdBy).filter((id) => id !== null))]
  const names = scope.db.orm
    .select({ id: users.id, name: users.fullName })
    .from(users)
    .where(inArray(users.id, ids))
    .all()
  return rows.map((row) =>
    factsOfRow(row, names.find(({ id }) => id === row.createdBy)?.name ?? null, isMasked(row)),
  )
}

function factsOfRow(row: ScheduledRow, author: string | null, isMasked: boolean): ScheduledFacts {
  const shown = (written: string): Record<string, unknown> => {
    const value = JSON.parse(written) as Record<string, unknown>
    return isMasked ? (masked(value) as Record<string, unknown>) : value
  }
  return {
    id: row.id,
    contact_id: row.contactId,
    account_id: row.accountId,
    message: shown(row.message),
    send_at: isoTime(row.sendAtMs),
    cancel_on_reply: row.cancelsOnReply,
    fallback_template: row.fallbackTemplate === null ? null : shown(row.fallbackTemplate),
    state: row.state,
    message_id: row.messageId,
    fallback_sent: row.isFallbackSent,
    error: row.error === null ? null : (JSON.parse(row.error) as ScheduledError),
    created_by: row.createdBy === null ? null : { id: row.createdBy, name: author },
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
    ended_at: isoTimeOrNull(row.endedAtMs),
  }
}

/** Masks the phone numbers in all texts of a message. IDs stay. */
function masked(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name.endsWith('_id') ? value : maskPhonesIn(value)
  if (Array.isArray(value)) return value.map((entry) => masked(entry))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, masked(entry, key)]))
}
