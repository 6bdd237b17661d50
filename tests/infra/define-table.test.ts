import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'

import { integer, text } from '../../src/infra/db/columns'
import {
  declarationOf,
  emptied,
  filledAtMerge,
  tableWithoutPeople,
  tableWithPeople,
} from '../../src/infra/db/define-table'

const people = tableWithPeople(
  'people',
  { of: 'contacts', erased: 'columns' },
  {
    id: integer('id').primaryKey().business(),
    name: text('name').personal(),
    tags: text('tags').notNull().default('[]').personal({ merged: 'combined' }),
    key: text('key')
      .notNull()
      .personal({ erased: sql`hex("id")`, merged: 'stays' }),
    sortName: text('sort_name').notNull().default('').derived(),
    shown: text('shown')
      .generatedAlwaysAs(sql`"name"`)
      .derived(),
    blockedAtMs: integer('blocked_at_ms').business({ merged: 'fills' }),
  },
)

test('a column of a table with people that does not say what it holds does not compile', () => {
  const careless = tableWithPeople(
    'careless',
    { of: 'contacts', erased: 'rows' },
    {
      id: integer('id').primaryKey().business(),
      // @ts-expect-error: it is neither personal nor business nor derived
      nickname: text('nickname'),
    },
  )
  expect(declarationOf(careless).columns).toEqual({ id: { class: 'business' } })
})

test('an erasure empties what is personal and derived, and nothing that the database computes', () => {
  expect(emptied(people)).toEqual({ name: null, tags: '[]', key: sql`hex("id")`, sortName: '' })
})

test('a table does not start whose column an erasure could not empty', () => {
  const careless = (): unknown =>
    tableWithPeople(
      'careless',
      { of: 'contacts', erased: 'columns' },
      { nickname: text('nickname').notNull().personal() },
    )
  expect(careless).toThrow('nickname must not be null: say what an erasure leaves of it')
})

test('a merge fills personal columns that may be empty, and those that say so', () => {
  expect(filledAtMerge(people)).toEqual(['name', 'blockedAtMs'])
  const careless = tableWithPeople(
    'careless',
    { of: 'contacts', erased: 'rows' },
    { nickname: text('nickname').notNull().default('').personal() },
  )
  expect(() => filledAtMerge(careless)).toThrow('nickname is never empty')
})

test('a table without people gives the reason once, and its columns need to say nothing', () => {
  const prices = tableWithoutPeople('prices', 'prices of the platform', {
    micros: integer('micros'),
  })
  expect(declarationOf(prices).people).toEqual({ none: 'prices of the platform' })
  expect(emptied(prices)).toEqual({})
})
