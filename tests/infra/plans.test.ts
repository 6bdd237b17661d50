import { expect, test } from 'bun:test'

import { VALUES_CHOOSE_INDEX, wrapDb } from '../../src/infra/db/connection'
import { distinctValues } from '../../src/infra/db/planner-stats'
import { freshDatabase } from '../support/world'

test('an index of the rows with certain values is found by a value that is bound, and nothing else of a plan depends on one', () => {
  const { sqlite } = wrapDb(freshDatabase(), { synchronous: 'normal', cacheMib: 8 })
  const partial = sqlite
    .query<{ name: string; sql: string }, []>(
      `select name, sql from sqlite_schema where type = 'index' and sql like '% where %'`,
    )
    .all()
  const columns = partial.flatMap(({ sql }) =>
    [
      ...(sql.split(/ where /i)[1] ?? '').matchAll(/["`](\w+)["`] (?:=|<>|!=|in) (?:['(]|\d)/gi),
    ].map(([, column = '']) => column),
  )
  expect(columns.length).toBeGreaterThan(10)
  expect(columns.filter((column) => !VALUES_CHOOSE_INDEX.test(column))).toEqual([])

  const planOf = (query: string, ...values: (string | number)[]): string =>
    sqlite
      .query<{ detail: string }, (string | number)[]>(`explain query plan ${query}`)
      .all(...values)
      .map(({ detail }) => detail)
      .join()
  expect(
    planOf('select "id" from "roles" where "organization_id" = ? and "is_default" = ?', 'a', 1),
  ).toContain('roles_default')
  const page =
    'select "id" from "contacts" where "organization_id" = ? and "created_at_ms" >= ? order by "last_message_at_ms" desc limit ?'
  expect(planOf(page, 'a', 1, 20)).toBe(planOf(page, 'a', 1, 1_000_000))
})

test('every figure for the query planner belongs to a column of an index', () => {
  const indexed = freshDatabase()
    .query<{ column: string }, []>(
      `select t.name || '.' || c.name as "column" from pragma_table_list as t, pragma_index_list(t.name) as i, pragma_index_info(i.name) as c`,
    )
    .all()
    .map(({ column }) => column)
  const named = Object.entries(distinctValues()).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((column) => !indexed.includes(column))).toEqual([])
})
