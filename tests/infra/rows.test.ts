import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { drizzle, type BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { alias, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { quickenRows } from '../../src/infra/rows'

const things = sqliteTable('things', {
  id: integer('id').primaryKey(),
  ownName: text('own_name'),
  isGood: integer('is_good', { mode: 'boolean' }),
  at: integer('at', { mode: 'timestamp_ms' }),
  facts: text('facts', { mode: 'json' }),
  parentId: integer('parent_id'),
})
const parents = alias(things, 'parents')

const hasParent = eq(parents.id, things.parentId)
const doubled = sql<number>`${things.id} * 2`.mapWith(Number)
const named = sql<number>`count(*)`.as('rows')

/** Ways to select that the program uses, and odd ones. */
const SELECTS: ((orm: BunSQLiteDatabase) => { all: () => unknown; get: () => unknown })[] = [
  (orm) => orm.select().from(things),
  (orm) => orm.select().from(things).where(eq(things.id, 99)),
  (orm) =>
    orm.select({ id: things.id, doubled, text: sql<string>`'x'`, fact: things.facts }).from(things),
  (orm) => orm.select({ named, isGood: things.isGood }).from(things).groupBy(things.isGood),
  (orm) =>
    orm
      .select({ thing: things, parent: parents, doubled })
      .from(things)
      .leftJoin(parents, hasParent),
  (orm) =>
    orm
      .select({ thing: things, parent: { name: parents.ownName, id: parents.id } })
      .from(things)
      .leftJoin(parents, hasParent),
  (orm) =>
    orm
      .select({ mixed: { name: parents.ownName, id: things.id } })
      .from(things)
      .leftJoin(parents, hasParent),
  (orm) =>
    orm
      .select({ mixed: { doubled, id: parents.id }, id: things.id })
      .from(things)
      .leftJoin(parents, hasParent),
  (orm) => orm.select({ thing: { name: things.ownName } }).from(things),
  (orm) => orm.select({ parent: parents }).from(parents).rightJoin(things, hasParent),
  (orm) => orm.select().from(things).innerJoin(parents, hasParent),
  (orm) => orm.update(things).set({ ownName: 'new' }).where(eq(things.id, 2)).returning(),
]

test('rows are those that Drizzle makes by itself, of one table and of joins, with nothing and with much in them', () => {
  const rowsOf = (isQuick: boolean): unknown[] => {
    const sqlite = new Database(':memory:')
    sqlite.run(
      'create table things (id integer primary key, own_name text, is_good integer, at integer, facts text, parent_id integer)',
    )
    sqlite.run(
      `insert into things values (1, 'one', 1, 5, '{"a":[1]}', null), (2, null, 0, null, null, 1), (3, null, null, 7, 'null', 2)`,
    )
    const orm = drizzle(sqlite)
    if (isQuick) quickenRows(orm)
    return SELECTS.flatMap((select) => [select(orm).all(), select(orm).get()])
  }
  expect(rowsOf(true)).toStrictEqual(rowsOf(false))
})

test('what is filled in for placeholders is what Drizzle fills in by itself; one that is missing is refused', () => {
  const stored = (isQuick: boolean): unknown[] => {
    const sqlite = new Database(':memory:')
    sqlite.run(
      'create table things (id integer primary key, own_name text, is_good integer, at integer, facts text, parent_id integer)',
    )
    const orm = drizzle(sqlite)
    if (isQuick) quickenRows(orm)
    const names = ['id', 'ownName', 'isGood', 'at', 'facts'] as const
    const values = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as Record<
      (typeof names)[number],
      never
    >
    const insert = orm
      .insert(things)
      .values({ ...values, parentId: 7 })
      .prepare()
    insert.run({ id: 1, ownName: 'one', isGood: true, at: new Date(5), facts: { a: [1] } })
    insert.run({
      id: 2,
      ownName: null,
      isGood: false,
      at: new Date(0),
      facts: null,
      more: 'nobody asks for it',
    })
    const rename = orm
      .update(things)
      .set({ ownName: sql`${sql.placeholder('ownName')} || ${'!'}` })
      .where(eq(things.id, sql.placeholder('id')))
      .returning()
      .prepare()
    const found = orm
      .select()
      .from(things)
      .where(eq(things.isGood, sql.placeholder('isGood')))
      .prepare()
    const rows = [
      rename.get({ ownName: 'new', id: 2 }),
      found.all({ isGood: true }),
      found.values({ isGood: false }),
      rename.all({ ownName: null, id: 1 }),
    ]
    expect(() => insert.run({ id: 3, ownName: 'three' })).toThrow(
      'No value for placeholder "isGood" was provided',
    )
    expect(() => found.get({})).toThrow('No value for placeholder "isGood" was provided')
    return [...rows, sqlite.query('select * from things').all()]
  }
  expect(stored(true)).toStrictEqual(stored(false))
})
