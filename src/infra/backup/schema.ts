import { Database } from 'bun:sqlite'

import { knownMigrations, migrate, migrationStatus } from '../db/migrate'

/** An object of a schema as SQLite stores it. */
interface SchemaObject {
  type: string
  name: string
  table: string
  sql: string | null
}

/**
 * Tables allowed beside those of the program, exactly as their tools create them. The program does
 * not depend on their content.
 */
const COMPANIONS: Record<string, string> = {
  // Planner statistics, written at each start.
  sqlite_stat1: 'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  sqlite_stat4: 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
  // Litestream adds these to a database it copies.
  _litestream_lock: 'CREATE TABLE _litestream_lock (id INTEGER)',
  _litestream_seq: 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
}

const isCompanion = ({ type, name, sql }: SchemaObject): boolean =>
  type === 'table' && sql !== null && Object.hasOwn(COMPANIONS, name) && COMPANIONS[name] === sql

/**
 * Returns the unique key of an object. A trigger may have the name of a table and would be hidden
 * in a list by name only.
 */
const keyOf = ({ type, name }: SchemaObject): string =>
  type === 'trigger' ? `trigger ${name}` : name

function objectsOf(sqlite: Database): SchemaObject[] {
  const objects = sqlite
    .query<SchemaObject, []>('select type, name, tbl_name as "table", sql from sqlite_schema')
    .all()
  return objects.filter((object) => !isCompanion(object))
}

/**
 * Compares the schema of a database with the result of its applied migrations, object by object.
 * Returns the differences in words; none for a valid database of this program. Throws
 * MigrationError for a newer database and for an edited migration.
 */
export function schemaDifferences(sqlite: Database): string[] {
  const { applied: tags, pending } = migrationStatus(sqlite)
  const applied = new Set(tags.map(({ tag }) => tag))
  const reference = new Database(':memory:', { strict: true })
  try {
    const migrations = knownMigrations().filter(({ tag }) => applied.has(tag))
    migrate(reference, { clock: { nowMs: () => 0 }, migrations })
    // Each start replaces all triggers before it migrates, so those of a former version may differ.
    const counts = ({ type }: SchemaObject): boolean => pending.length === 0 || type !== 'trigger'
    const actual = Map.groupBy(objectsOf(sqlite).filter(counts), keyOf)
    const expected = new Map(
      objectsOf(reference)
        .filter(counts)
        .map((object) => [keyOf(object), object]),
    )
    return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((key) => {
      const [found, second] = actual.get(key) ?? []
      const difference =
        second === undefined
          ? differenceOf(found, expected.get(key))
          : `there are several objects named ${second.name}`
      return difference === null ? [] : [difference]
    })
  } finally {
    reference.close()
  }
}

function differenceOf(
  actual: SchemaObject | undefined,
  expected: SchemaObject | undefined,
): string | null {
  if (actual === undefined) return `the ${expected?.type} ${expected?.name} is missing`
  if (expected === undefined) return `the ${actual.type} ${actual.name} does not belong to it`
  if (actual.type !== expected.type)
    return `${actual.name} is a ${actual.type} instead of a ${expected.type}`
  return actual.sql === expected.sql && actual.table === expected.table
    ? null
    : `the ${actual.type} ${actual.name} differs`
}
