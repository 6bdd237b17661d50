import { and, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteSelect } from 'drizzle-orm/sqlite-core'

import type { BoundedList, Candidates } from '../../../infra/bounded-list'
import { hasIdIn, inOrganization, type Ctx } from '../../../infra/ctx'
import { sumOverRows, type Scan } from '../../../infra/row-sums'
import type { ConversationRow } from './row'
import { CONVERSATION_STATES, conversations } from './table'
import { uuidPlaceholder, LAST_UUID } from '../../../infra/db/uuid'
import { wordPlace } from '../../../infra/db/word'

/** An order of conversations, by a value and then by ID; those without a value come last. */
export interface ConversationOrder {
  column: SQLiteColumn
  order: 'asc' | 'desc'
}

/** The states to read, each along the index by state; `null` for an index without the state. */
export type ReadStates = readonly ConversationRow['state'][] | null

/**
 * Merges reads of conversations, one per state, in an order. The first two columns of each are the
 * value and the ID. An index has the order within a state, and SQLite reads of each state no more
 * than the merged rows need. A state is part of the statement, so that SQLite does not compile it
 * again for each value (`opaqueParam`).
 */
export function inStates<S extends SQLiteSelect>(
  states: ReadStates,
  order: 'asc' | 'desc',
  read: (state: SQL | undefined) => S,
): S {
  const reads = (states ?? [null]).map((state) =>
    read(
      state === null
        ? undefined
        : sql`${conversations.state} = ${wordPlace(CONVERSATION_STATES, state)}`,
    ),
  )
  return reads
    .reduce((merged, next) => merged.unionAll(next as never) as S) // all have the columns of `S`
    .orderBy(sql.raw(`1 ${order}`), sql.raw(`2 ${order}`)) as S
}

/** Returns the states to read of rows without a value. The index of waiting times holds no such rows. */
export const statesOfUndated = (column: SQLiteColumn, states: ReadStates): ReadStates =>
  column === conversations.lastMessageAtMs ? states : null

/**
 * Returns a conversation list in its order, with the test whether each matches the filter.
 * Candidates are contact IDs. With `isDated`, conversations without a value are not read; only those
 * of `states` are read, which the filter must say too.
 */
export function conversationsInOrder(
  ctx: Ctx,
  sort: ConversationOrder & { states: ReadStates; isDated?: boolean },
  filter: SQL,
): BoundedList {
  const { column, order } = sort
  const compare = sql.raw(order === 'desc' ? '<' : '>')
  const value = sql<number | null>`${sql`${column}`}`
  const read = (states: ReadStates, condition: SQL | undefined) =>
    inStates(states, order, (state) =>
      ctx.db.orm
        .select({ value, id: conversations.id, fits: sql<number>`coalesce((${filter}), 0)` })
        .from(conversations)
        .where(inOrganization(ctx, conversations, condition, state))
        .$dynamic(),
    )
      .limit(sql.placeholder('limit'))
      .prepare()
  const position = sql`(${column}, ${conversations.id}) ${compare} (${sql.placeholder('value')}, ${uuidPlaceholder('id')})`
  const dated = read(sort.states, and(isNotNull(column), position))
  const undated = read(
    statesOfUndated(column, sort.states),
    and(isNull(column), sql`${conversations.id} ${compare} ${uuidPlaceholder('id')}`),
  )
  const first =
    order === 'desc' ? { value: Number.MAX_SAFE_INTEGER, id: LAST_UUID } : { value: -1, id: '' }
  const found = ctx.db.orm
    .select({ value, id: conversations.id })
    .from(conversations)
    .where(
      inOrganization(
        ctx,
        conversations,
        and(hasIdIn(conversations.contactId), sql`coalesce((${filter}), 0)`),
      ),
    )
    .prepare()
  return {
    order,
    walk(after, limit) {
      const rows =
        after !== null && after.value === null ? [] : dated.all({ ...(after ?? first), limit })
      if (rows.length === limit || sort.isDated === true) return rows
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
