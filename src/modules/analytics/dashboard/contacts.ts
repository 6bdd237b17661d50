import { and, eq, gte, isNotNull, lt, sql } from 'drizzle-orm'

import { dateAfter, localDayOf } from '../../../lib/local-day'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { inSlices } from '../../../infra/event-loop'
import { contactCounts, contacts } from '../../contacts/table'
import { conversations } from '../../conversations/table'
import { growthOf } from '../report/rates'
import { SLOT_MS } from '../rollups/rules'
import { contactsSeen } from '../rollups/table'
import type { Dashboard } from './model'
import type { DashboardScope } from './scope'

/** Conversations read per query. */
const AT_ONCE = 200

/** Counts contacts: those that exist, and those first seen in a span. */
interface ContactCounter {
  total: number
  seen: (fromMs: number, beforeMs: number) => number
}

/** Returns the figures about contacts. */
export async function contactFigures(
  ctx: Ctx,
  { accountId, range, today, timezone, days }: DashboardScope,
): Promise<Dashboard['contacts']> {
  const startOf = (date: string): number => localDayOf(date, timezone).fromMs
  const before = startOf(dateAfter(days.start, -range.days.length))
  const { total, seen } =
    accountId === undefined ? allContacts(ctx) : await contactsOfNumber(ctx, accountId, before)
  const now = seen(range.fromMs, today.beforeMs)
  return {
    total,
    new_today: seen(today.fromMs, today.beforeMs),
    new_this_week: seen(startOf(days.monday), today.beforeMs),
    new_in_period: now,
    growth_percent: growthOf(now, seen(before, range.fromMs)),
  }
}

function allContacts(ctx: Ctx): ContactCounter {
  const sum = (from: number, before: number): number =>
    ctx.db.orm
      .select({ contacts: sql<number>`coalesce(sum(${contactsSeen.contacts}), 0)` })
      .from(contactsSeen)
      .where(
        inOrganization(
          ctx,
          contactsSeen,
          and(gte(contactsSeen.start, from), lt(contactsSeen.start, before)),
        ),
      )
      .get()?.contacts ?? 0
  return {
    total:
      ctx.db.orm
        .select({ contacts: contactCounts.contacts })
        .from(contactCounts)
        .where(inOrganization(ctx, contactCounts))
        .get()?.contacts ?? 0,
    seen: (fromMs, beforeMs) => sum(fromMs / SLOT_MS, beforeMs / SLOT_MS),
  }
}

/**
 * Counts the contacts with a message on a number, deleted ones among those first seen included.
 * Reads in slices of a few milliseconds.
 */
async function contactsOfNumber(
  ctx: Ctx,
  accountId: string,
  sinceMs: number,
): Promise<ContactCounter> {
  let total = 0
  const times: number[] = []
  let position = { atMs: -1, id: '' }
  await inSlices(ctx, () => {
    const rows = ctx.db.orm
      .select({
        id: conversations.id,
        atMs: conversations.lastMessageAtMs,
        firstSeenAtMs: contacts.firstSeenAtMs,
        deletedAtMs: contacts.deletedAtMs,
      })
      .from(conversations)
      .innerJoin(
        contacts,
        and(
          eq(contacts.organizationId, conversations.organizationId),
          eq(contacts.id, conversations.contactId),
        ),
      )
      .where(
        inOrganization(
          ctx,
          conversations,
          eq(conversations.accountId, accountId),
          isNotNull(conversations.lastMessageAtMs),
          sql`(${conversations.lastMessageAtMs}, ${conversations.id}) > (${position.atMs}, ${sql.param(position.id, conversations.id)})`,
        ),
      )
      .orderBy(conversations.lastMessageAtMs, conversations.id)
      .limit(AT_ONCE)
      .all()
    for (const { firstSeenAtMs, deletedAtMs } of rows) {
      if (deletedAtMs === null) total += 1
      if (firstSeenAtMs >= sinceMs) times.push(firstSeenAtMs)
    }
    const last = rows.at(-1)
    if (last) position = { atMs: last.atMs ?? 0, id: last.id }
    return rows.length < AT_ONCE
  })
  return {
    total,
    seen: (fromMs, beforeMs) => times.filter((ms) => ms >= fromMs && ms < beforeMs).length,
  }
}
