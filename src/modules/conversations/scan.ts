import { and, asc, desc, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { BoundedList, Candidates } from '../../infra/bounded-list'
import { hasIdIn, inOrganization, type Ctx } from '../../infra/ctx'
import { sumOverRows, type Scan } from '../../infra/row-sums'
import { conversations } from './table'
import { uuidPlaceholder, LAST_UUID } from '../../infra/db/uuid'

/**
 * Returns a conversation list in its order, with the test whether each matches the filter.
 * Candidates are contact IDs. With `only`, the condition of a partial index of the column, other
 * conversations are not read, and neither are those without a value.
 */
export function conversationsInOrder(
  ctx: Ctx,
  sort: { column: SQLiteColumn; order: 'asc' | 'desc'; only?: SQL },
  filter: SQL,
): BoundedList {
  const isDown = sort.order === 'desc'
  const direction = isDown ? desc : asc
  const compare = sql.raw(isDown ? '<' : '>')
  const value = sql<number | null>`${sql`${sort.column}`}`
  const read = (condition: SQL | undefined) =>
    ctx.db.orm
      .select({ value, id: conversations.id, fits: sql<number>`coalesce((${filter}), 0)` })
      .from(conversations)
      .where(inOrganization(ctx, conversations, condition, sort.only))
      .orderBy(direction(sort.column), direction(conversations.id))
      .limit(sql.placeholder('limit'))
      .prepare()
  const position = sql`(${sort.column}, ${conversations.id}) ${compare} (${sql.placeholder('value')}, ${uuidPlaceholder('id')})`
  const dated = read(and(isNotNull(sort.column), position))
  const undated = read(
    and(isNull(sort.column), sql`${conversations.id} ${compare} ${uuidPlaceholder('id')}`),
  )
  const first = isDown ? { value: Number.MAX_SAFE_INTEGER, id: LAST_UUID } : { value: -1, id: '' }
  const found = ctx.db.orm
    .select({ value, id: conversations.id })
    .from(conversations)
    .where(
      inOrganization(
        ctx,
        conversations,
        and(hasIdIn(conversations.contactId), sort.only, sql`coalesce((${filter}), 0)`),
      ),
    )
    .prepare()
  return {
    order: sort.order,
    walk(after, limit) {
      const rows =
        after !== null && after.value === null ? [] : dated.all({ ...(after ?? first), limit })
      if (rows.length === limit || sort.only) return rows
      const id = after !== null && after.value === null ? after.id : first.id
      return [...rows, ...undated.all({ id, limit: limit - rows.length })]
    },
    matching: (ids) => found.all({ ids: JSON.stringify(ids) }),
  }
}

/**
 * Counts the matching conversations and sums values over them, for the given contacts or for all.
 */
export const sumOverConversations = <K extends string>(
  ctx: Ctx,
  {
    candidates,
    ...scan
  }: Pick<Scan<K>, 'filter' | 'sums' | 'groups'> & { candidates: Candidates | null },
): Promise<Record<K | 'rows', number>> =>
  sumOverRows(ctx, {
    table: conversations,
    among: candidates && { column: conversations.contactId, candidates },
    ...scan,
  })
