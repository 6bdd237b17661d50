import { expect, test } from 'bun:test'

import { VALUES_CHOOSE_INDEX, wrapDb } from '../../src/infra/db/connection'
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
